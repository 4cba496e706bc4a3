import Foundation
import Pigeon
import PigeonSQLite

extension QueryDefinition where Value == [User] {
    static var users: Self {
        QueryDefinition("users") { context in try await context[Server.self].users() }
            .persisted(schema: 1)
    }
}

extension QueryDefinition where Value == User {
    static func user(_ id: Int) -> Self {
        QueryDefinition("users", id) { context in try await context[Server.self].user(id) }
    }
}

extension QueryDefinition where Value == Pages<[Post], Int> {
    static var posts: Self {
        .pages("posts", first: 1) { page, context in
            try await context[Server.self].posts(page: page)
        } next: { posts, page in
            posts.isEmpty ? nil : page + 1
        }
        .persisted(schema: 1)
    }
}

struct RenameUser: DurableMutation {
    var id: Int
    var name: String
    var scope: String? { "users/\(id)" }

    func run(_ context: MutationContext) async throws -> User {
        try await context[Server.self].rename(id, to: name)
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.users) { $0[id].name = name }
        edits.update(.user(id)) { $0.name = name }
    }

    func invalidates(_ user: User) -> [KeyFilter] { [.path("users")] }
}

@main
@MainActor
final class Screen {
    let server = Server()
    let client: QueryClient
    let users: Query<Void, [User]>
    let header: Query<Void, [User]>

    init(isOnline: Bool) throws {
        let folder = FileManager.default.temporaryDirectory
        let store = try SQLiteMutationStore(at: folder.appendingPathComponent("pigeon-screen-outbox.sqlite"))
        let environment = QueryEnvironment()
        environment.connectivity.set(isOnline)
        client = QueryClient(
            cache: try SQLiteQueryCache(at: folder.appendingPathComponent("pigeon-screen.sqlite")),
            outbox: Outbox.Setup(store: store, mutations: [RenameUser.self]), dependencies: Dependencies(server),
            environment: environment)
        users = Query(.users, client: client)
        header = Query(.users, client: client)
    }

    static func main() async throws {
        let isOffline = CommandLine.arguments.contains("--offline")
        let renames = CommandLine.arguments.contains("--rename")
        let screen = try Screen(isOnline: !isOffline && !renames)
        if isOffline { return screen.showWhatIsKept() }
        if renames { return try await screen.rename(to: "Yve") }
        if CommandLine.arguments.contains("--return") { return await screen.makeWhatWaits() }
        await screen.showUsers()
        await screen.showHeader()
        await screen.refreshUsers()
        await screen.showDetails()
        try await screen.showPosts()
        try await screen.rename(to: "Zoe")
        await screen.client.flush()
    }

    func showWhatIsKept() {
        let posts = PaginatedQuery(.posts, client: client)
        print("users:", text(users.snapshot))
        print("posts:", posts.items.map(\.title))
        if users.snapshot.isPaused { print("You are offline.") }
    }

    func makeWhatWaits() async {
        print("users:", text(users.snapshot))
        await client.outbox.drain()
        print("waiting:", client.outbox.snapshot.waiting.map(\.name))
        print("on the server:", await server.names)
    }

    func showUsers() async {
        for await snapshot in users.snapshots {
            print("users:", text(snapshot))
            if snapshot.value != nil { break }
        }
    }

    func showHeader() async {
        for await snapshot in header.snapshots {
            guard let users = snapshot.value else { continue }
            print("header: \(users.count) users, after \(await server.requests) request")
            break
        }
    }

    func refreshUsers() async {
        await server.setDown(true)
        let refresh = Task { await users.refresh() }
        for await snapshot in users.snapshots where snapshot.isFetching {
            print("refresh:", text(snapshot))
            break
        }
        await refresh.value
        print("server down:", text(users.snapshot))
        await server.setDown(false)
        await users.refresh()
        print("server up:", text(users.snapshot))
    }

    func showDetails() async {
        let detail = Query(client: client) { id in .user(id) }
        for id in [1, 2] {
            detail.refetch(request: id)
            for await snapshot in detail.snapshots {
                guard let user = snapshot.value else { continue }
                print("detail:", user.name)
                break
            }
        }
    }

    func showPosts() async throws {
        let posts = PaginatedQuery(.posts, client: client)
        for await snapshot in posts.snapshots where snapshot.value != nil { break }
        print("posts:", posts.items.map(\.title))
        while posts.hasNextPage {
            try await posts.nextPage()
            print("posts:", posts.items.map(\.title))
        }
    }

    func rename(to name: String) async throws {
        let change = Task { try await client.submit(RenameUser(id: 0, name: name)) }
        for await snapshot in users.snapshots where snapshot.value?.first?.name == name {
            print("at once:", text(snapshot))
            break
        }
        switch try await change.value {
        case .completed(let user): print("confirmed:", user.name)
        case .queued: return print("waiting:", client.outbox.snapshot.waiting.map(\.name))
        }
        for await snapshot in users.snapshots where !snapshot.isFetching {
            print("fetched again:", text(snapshot))
            break
        }
    }

    func text(_ snapshot: Snapshot<[User]>) -> String {
        switch snapshot.phase {
        case .pending: return "loading…"
        case .content(let users):
            let names = users.map(\.name).joined(separator: ", ")
            if snapshot.isFetching { return "\(names) (refreshing…)" }
            return snapshot.error == nil ? names : "\(names) (not refreshed)"
        case .failure: return "That did not work. Try again?"
        }
    }
}

struct User: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

struct Post: Codable, Equatable, Sendable {
    var title: String
}

struct ServerIsDown: Error {}

/// Simulates a server that is far away.
actor Server {
    private(set) var requests = 0
    private(set) var names = ["Ann", "Bea", "Cid"]
    private var isDown = false

    func users() async throws -> [User] {
        try await travel()
        return names.indices.map { User(id: $0, name: names[$0]) }
    }

    func user(_ id: Int) async throws -> User {
        try await travel()
        return User(id: id, name: names[id])
    }

    func posts(page: Int) async throws -> [Post] {
        try await travel()
        return page < 3 ? [Post(title: "Post \(page)")] : []
    }

    func rename(_ id: Int, to name: String) async throws -> User {
        try await travel()
        names[id] = name
        return User(id: id, name: name)
    }

    func setDown(_ isDown: Bool) {
        self.isDown = isDown
    }

    private func travel() async throws {
        requests += 1
        try await Task.sleep(for: .milliseconds(200))
        if isDown { throw ServerIsDown() }
    }
}
