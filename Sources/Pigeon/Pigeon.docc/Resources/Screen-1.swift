import Pigeon

extension QueryDefinition where Value == [User] {
    static var users: Self {
        QueryDefinition("users") { context in try await context[Server.self].users() }
    }
}

@main
@MainActor
final class Screen {
    let server = Server()
    let client: QueryClient
    let users: Query<Void, [User]>

    init() {
        client = QueryClient(dependencies: Dependencies(server))
        users = Query(.users, client: client)
    }

    static func main() async throws {
        await Screen().showUsers()
    }

    func showUsers() async {
        for await snapshot in users.snapshots {
            print("users:", text(snapshot))
            if snapshot.value != nil { break }
        }
    }

    func text(_ snapshot: Snapshot<[User]>) -> String {
        switch snapshot.phase {
        case .pending: "loading…"
        case .content(let users): users.map(\.name).joined(separator: ", ")
        case .failure: "That did not work. Try again?"
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
    private var names = ["Ann", "Bea", "Cid"]
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
