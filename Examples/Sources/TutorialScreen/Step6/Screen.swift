import Foundation
import Pigeon
import PigeonSQLite

@main
@MainActor
final class Screen {
    static let server = Server()

    let environment = QueryEnvironment()
    let client: QueryClient
    let users: Query<Void, [User]>
    let header: Query<Void, [User]>.Consumer
    let posts: PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>
    let rename: Mutation<String, User>

    init() throws {
        let folder = FileManager.default.temporaryDirectory
        let cache = try SQLiteQueryCache(at: folder.appendingPathComponent("pigeon-screen.sqlite"))
        let store = try SQLiteMutationStore(at: folder.appendingPathComponent("pigeon-screen-outbox.sqlite"))
        let config = QueryCacheConfig(usagePolicy: .useAndThenFetch)
        client = QueryClient(
            cache: cache, outbox: Outbox.Setup(store: store, mutations: [RenameUser.self]), environment: environment)
        users = Query(key: "users", cache: cache, cacheConfig: config, client: client) {
            try await Screen.server.users()
        }
        header = Query.Consumer(key: "users", client: client)
        posts = PaginatedQuery(
            key: "posts", firstPage: NumericPaginatedQueryKey(current: 1), cache: cache, cacheConfig: config,
            client: client
        ) { _, page in
            try await Screen.server.posts(page: page.current)
        }
        rename = Mutation(
            client: client,
            optimistic: { name, edits in
                edits.update(QueryDefinition<[User]>.value(at: "users")) { $0[0].name = name }
            }
        ) { name in
            try await Screen.server.rename(0, to: name)
        }
    }

    static func main() async throws {
        let screen = try Screen()
        if CommandLine.arguments.contains("--offline") {
            screen.showWhatIsKept()
            return
        }
        if CommandLine.arguments.contains("--rename") {
            try await screen.renameOffline()
            return
        }
        if CommandLine.arguments.contains("--return") {
            await screen.makeWhatWaits()
            return
        }
        await screen.showUsers()
        await screen.showHeader()
        try await screen.showPosts()
        try await screen.renameFirst()
        await screen.client.flush()
    }

    func showWhatIsKept() {
        environment.connectivity.set(false)
        users.refetch(request: ())
        print("users:", text(users.state))
        print("posts:", posts.items.map(\.title))
        if users.snapshot.isPaused { print("You are offline.") }
    }

    func renameOffline() async throws {
        environment.connectivity.set(false)
        users.refetch(request: ())
        try await client.enqueue(RenameUser(name: "Yve"))
        for await state in users.states where state.value?.first?.name == "Yve" {
            print("at once:", text(state))
            break
        }
        print("waiting:", client.outbox.snapshot.waiting.map(\.name))
    }

    func makeWhatWaits() async {
        users.refetch(request: ())
        print("users:", text(users.state))
        await client.outbox.drain()
        print("waiting:", client.outbox.snapshot.waiting.map(\.name))
        print("on the server:", await Screen.server.names)
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

    func renameFirst() async throws {
        let change = Task { try await rename("Zoe") }
        for await state in users.states where state.value?.first?.name == "Zoe" {
            print("at once:", text(state))
            break
        }
        print("confirmed:", try await change.value.name)
        await client.invalidate(.path("users"))
        print("fetched again:", text(users.state))
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

struct RenameUser: DurableMutation {
    var name: String
    var scope: String? { "users" }

    func run(_ context: MutationContext) async throws -> User {
        try await Screen.server.rename(0, to: name)
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(QueryDefinition<[User]>.value(at: "users")) { [name] in $0[0].name = name }
    }
}

/// Simulates a server that is far away.
actor Server {
    private(set) var requests = 0
    private(set) var names = ["Ann", "Bea", "Cid"]

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
