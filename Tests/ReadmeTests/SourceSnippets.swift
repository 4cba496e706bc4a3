import Foundation
import Pigeon
import PigeonREST
import PigeonTesting
import Testing

private typealias UserTable = SourceSnippets.UserTable

private let database = SourceSnippets.Database()

private protocol UserServer: Sendable {
    func user(_ id: Int) async throws -> SourceSnippets.User
}

private struct LiveServer: UserServer {
    func user(_ id: Int) async throws -> SourceSnippets.User { SourceSnippets.User(id: id, name: "Ann") }
}

extension QueryDefinition where Value == SourceSnippets.User {
    fileprivate static func stored(_ id: Int) -> Self {
        QueryDefinition("users", id) { context in try await context[(any UserServer).self].user(id) }
            .staleAfter(.minutes(5))
            .stored(in: UserTable(database: database, id: id))
    }
}

extension QueryDefinition where Value == [String] {
    static var settings: Self { .value("settings").staleAfter(.never).persisted() }
}

@Suite("Examples of sources of truth")
struct SourceSnippets {
    struct User: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    /// A database of the program, for the examples of ``PigeonCore/SourceOfTruth``.
    actor Database {
        private var rows: [Int: (user: User, savedAt: Date?)] = [:]

        func user(_ id: Int) throws -> (user: User, savedAt: Date?)? { rows[id] }
        func put(_ user: User, savedAt: Date?) throws { rows[user.id] = (user, savedAt) }
        func removeUser(_ id: Int) throws { rows[id] = nil }
    }

    struct UserTable: SourceOfTruth {
        let database: Database
        let id: User.ID

        func load() async throws -> Stored<User>? {
            try await database.user(id).map { Stored($0.user, savedAt: $0.savedAt) }
        }
        func save(_ stored: Stored<User>) async throws {
            try await database.put(stored.value, savedAt: stored.savedAt)
        }
        func remove() async throws { try await database.removeUser(id) }
    }

    @Test func `a table keeps what was fetched`() async throws {
        let server = LiveServer() as any UserServer
        let first = QueryClient(dependencies: Dependencies(server))
        #expect(try await first.fetch(.stored(1)).name == "Ann")
        let second = QueryClient()
        #expect(try await second.fetch(.stored(1)).name == "Ann")
        try await second.clear()
        #expect(try await database.user(1) == nil)
    }

    @Test func `a value has a key alone`() throws {
        let client = QueryClient(cache: InMemoryQueryCache())
        try client.set(["dark"], for: .settings)
        #expect(client.value(of: .settings) == ["dark"])
    }

    @Test func `a client is shared`() {
        SharedState.$current.withValue(SharedState()) {
            QueryClient.setShared(QueryClient(dependencies: Dependencies(LiveServer() as any UserServer)))
            #expect(QueryClient.shared.dependencies[(any UserServer).self] != nil)
        }
    }
}

extension SourceSnippets.User: Identifiable {}
