import Pigeon

@main
@MainActor
final class Screen {
    static let server = Server()

    let users: Query<Void, [User]>
    let header: Query<Void, [User]>.Consumer
    let posts: PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>

    init() {
        users = Query(key: "users") {
            try await Screen.server.users()
        }
        header = Query.Consumer(key: "users")
        posts = PaginatedQuery(key: "posts", firstPage: NumericPaginatedQueryKey(current: 1)) { _, page in
            try await Screen.server.posts(page: page.current)
        }
    }

    static func main() async throws {
        let screen = Screen()
        await screen.showUsers()
        await screen.showHeader()
        try await screen.showPosts()
    }

    func showUsers() async {
        users.refetch(request: ())
        for await state in users.states {
            print("users:", text(state))
            if state.value != nil { break }
        }
    }

    func showHeader() async {
        for await state in header.states {
            guard let users = state.value else { continue }
            print("header: \(users.count) users, after \(await Screen.server.requests) request")
            break
        }
    }

    func showPosts() async throws {
        posts.refetch(request: ())
        for await state in posts.states where state.value != nil { break }
        print("posts:", posts.items.map(\.title))
        while posts.hasNextPage {
            try await posts.nextPage()
            print("posts:", posts.items.map(\.title))
        }
    }

    func text(_ state: QueryState<[User]>) -> String {
        switch state {
        case .idle: "nothing asked yet"
        case .loading: "loading…"
        case .succeed(let users): users.map(\.name).joined(separator: ", ")
        case .failed: "That did not work. Try again?"
        }
    }
}

struct User: Codable, Equatable, Sendable {
    var name: String
}

struct Post: Codable, Equatable, Sendable {
    var title: String
}

/// Simulates a server that is far away.
actor Server {
    private(set) var requests = 0
    private var names = ["Ann", "Bea", "Cid"]

    func users() async throws -> [User] {
        try await travel()
        return names.map(User.init)
    }

    func posts(page: Int) async throws -> [Post] {
        try await travel()
        return page < 3 ? [Post(title: "Post \(page)")] : []
    }

    func rename(_ index: Int, to name: String) async throws -> User {
        try await travel()
        names[index] = name
        return User(name: name)
    }

    private func travel() async throws {
        requests += 1
        try await Task.sleep(for: .milliseconds(200))
    }
}
