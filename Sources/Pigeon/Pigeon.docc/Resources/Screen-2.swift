import Pigeon

@main
@MainActor
final class Screen {
    static let server = Server()

    let users: Query<Void, [User]>
    let header: Query<Void, [User]>.Consumer

    init() {
        users = Query(key: "users") {
            try await Screen.server.users()
        }
        header = Query.Consumer(key: "users")
    }

    static func main() async throws {
        let screen = Screen()
        await screen.showUsers()
        await screen.showHeader()
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
