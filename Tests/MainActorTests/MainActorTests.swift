import PigeonCore
import TestSupport
import Testing

// A module as new Xcode projects make it: everything in it belongs to the main actor unless it says otherwise.

nonisolated struct User: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var name: String
}

nonisolated struct API: Sendable {
    func user(_ id: Int) async throws -> User { User(id: id, name: "Bea") }
    func rename(_ id: Int, to name: String) async throws -> User { User(id: id, name: name) }
}

nonisolated extension QueryDefinition where Value == User {
    static func user(_ id: User.ID) -> Self {
        QueryDefinition("users", id) { context in try await context[API.self].user(id) }
            .staleAfter(.seconds(30))
    }
}

nonisolated struct RenameUser: Mutating {
    var id: Int
    var name: String

    func run(_ context: MutationContext) async throws -> User {
        try await context[API.self].rename(id, to: name)
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.user(id)) { [name] in $0.name = name }
    }
    func invalidates(_ user: User) -> [KeyFilter] { [.query(.user(id))] }
}

@Suite("a module that is main-actor by default", .rule("N9"))
struct MainActorTests {
    @Test("Definitions and mutations marked nonisolated are used from the main actor and elsewhere")
    func definitions() async throws {
        let client = QueryClient(dependencies: Dependencies(API()))
        #expect(try await client.fetch(.user(42)).name == "Bea")
        #expect(try await client.mutate(RenameUser(id: 42, name: "Ann")).name == "Ann")
        #expect(client.snapshot(of: .user(42)).isInvalidated)
    }
}
