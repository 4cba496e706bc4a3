import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

private struct Draft: Codable, Sendable, Equatable {
    var id: TemporaryID<Int>
    var title: String
}

extension QueryDefinition where Value == [Draft] {
    fileprivate static var drafts: Self { QueryDefinition("drafts") { _ in [] } }
}

extension QueryDefinition where Value == Draft {
    fileprivate static func draft(_ id: TemporaryID<Int>) -> Self {
        QueryDefinition("drafts", id) { _ in Draft(id: id, title: "server") }.staleAfter(.seconds(60))
    }
}

private struct CreateDraft: DurableMutation {
    var id: TemporaryID<Int>
    var title: String
    var scope: String? { "drafts/\(id)" }

    func run(_ context: MutationContext) async throws -> Draft {
        _ = try await context[NotesServer.self].make("+\(title)", context)
        return Draft(id: .assigned(42), title: title)
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        let draft = Draft(id: id, title: title)
        edits.update(.drafts) { $0.append(draft) }
        edits.set(draft, for: .draft(id))
    }
    func assigns(_ output: Draft) -> [AssignedID] { [id.becomes(output.id)] }
}

private struct EditDraft: DurableMutation {
    var id: TemporaryID<Int>
    var title: String
    var scope: String? { "drafts/\(id)" }

    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make("\(id)=\(title)", context)
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        let (id, title) = (id, title)
        edits.update(.drafts) { drafts in
            for index in drafts.indices where drafts[index].id.matches(id) { drafts[index].title = title }
        }
    }
}

/// Cannot be decoded once its identifier is the server's.
private struct Picky: DurableMutation {
    var id: TemporaryID<Int>
    var scope: String? { "drafts/\(id)" }

    init(id: TemporaryID<Int>) { self.id = id }

    init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(TemporaryID<Int>.self)
        guard id.value == nil else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "too late"))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }

    func run(_ context: MutationContext) async throws -> String { "" }
}

@Suite("Identifiers that the server assigns later")
struct TemporaryIDTests {
    private let id = TemporaryID<Int>.make()

    private func program(
        _ store: any MutationStore = InMemoryMutationStore(), _ server: NotesServer = NotesServer(),
        isOnline: Bool = false, seed: UInt64 = 1
    ) -> NotesProgram {
        NotesProgram(
            store, server, isOnline: isOnline, seed: seed,
            mutations: [CreateDraft.self, EditDraft.self, Picky.self])
    }

    @Test("an identifier that is assigned while a mutation is being recorded reaches that mutation", .rule("O2"))
    func whileRecording() throws {
        let store = MutationStoreDouble(announces: false)
        let program = program(store)
        program.server.hold()
        program.lab.setOnline(true)
        program.enqueue(CreateDraft(id: id, title: "a"))
        let (lab, server) = (program.lab, program.server)
        // The creation succeeds after the edit was encoded, and before its record is stored.
        store.beforeNext {
            server.release()
            lab.settle()
            lab.setOnline(false)
        }
        program.enqueue(EditDraft(id: id, title: "b"))
        #expect(program.server.made == ["+a"])
        #expect(program.outbox.waiting.map(\.scope) == ["drafts/42"])
        program.lab.setOnline(true)
        #expect(program.server.made == ["+a", "42=b"])
    }

    @Test("a record says which temporary identifiers its mutation has, also after it was edited", .rule("K11", "O2"))
    func named() throws {
        let program = program()
        program.enqueue(CreateDraft(id: id, title: "a"))
        let other = TemporaryID<Int>.make()
        program.enqueue(EditDraft(id: id, title: "b"))
        guard case .temporary(let token) = id, case .temporary(let next) = other else { return }
        func names() throws -> [Set<UUID>] {
            try #require(try program.store.changes(after: -1, in: nil)).records.map(\.mutation.temporaryIDs)
        }
        #expect(try names() == [[token], [token]])
        let item = try #require(program.outbox.waiting.last)
        _ = program.start { try await $0.edit(item.id, as: EditDraft.self) { $0.id = other } }
        #expect(try names() == [[token], [next]])
    }

    @Test("a mutation that cannot be decoded with the server's identifier is set aside at once", .rule("O2"))
    func undecodable() throws {
        let program = program()
        program.enqueue(CreateDraft(id: id, title: "a"))
        program.enqueue(Picky(id: id))
        program.lab.setOnline(true)
        #expect(program.outbox.waiting.isEmpty)
        #expect(program.outbox.setAside.map(\.name) == ["Picky"])
        let item = try #require(program.outbox.setAside.first)
        #expect("\(item.stage)".contains("damaged"))
        let again = self.program(program.store, program.server, seed: 2)
        #expect(again.outbox.setAside.map(\.stage) == program.outbox.setAside.map(\.stage))
    }

    @Test("what waits, and what is shown, receives the server's identifier", .rule("O2"))
    func waiting() throws {
        let program = program()
        try program.client.set([], for: .drafts)
        program.enqueue(CreateDraft(id: id, title: "a"))
        program.enqueue(EditDraft(id: id, title: "b"))
        #expect(program.client.value(of: .drafts) == [Draft(id: id, title: "b")])
        program.server.fail("42=b", status: 503)
        program.lab.setOnline(true)
        #expect(program.server.made == ["+a"])
        #expect(program.server.requests.map(\.change) == ["+a", "42=b"])
        #expect(program.client.value(of: .drafts) == [Draft(id: .assigned(42), title: "b")])
        #expect(program.outbox.waiting.map(\.scope) == ["drafts/42"])
        program.lab.advance(by: .seconds(2))
        #expect(program.server.made == ["+a", "42=b"])
        #expect(program.client.value(of: .drafts) == [Draft(id: .assigned(42), title: "b")])
    }

    @Test("the entry of both identifiers has the created value", .rule("O12"))
    func entries() throws {
        let program = program()
        let observer = program.client.observe(.draft(id))
        program.enqueue(CreateDraft(id: id, title: "a"))
        #expect(observer.snapshot.value?.title == "a")
        program.lab.setOnline(true)
        #expect(observer.snapshot.value == Draft(id: .assigned(42), title: "a"))
        #expect(program.client.value(of: .draft(id)) == Draft(id: .assigned(42), title: "a"))
        #expect(program.client.value(of: .draft(.assigned(42))) == Draft(id: .assigned(42), title: "a"))
    }

    @Test(
        "a mutation that is enqueued later with the temporary identifier is made with the server's, after a restart too",
        .rule("O2")
    )
    func later() {
        let first = program(isOnline: true)
        first.enqueue(CreateDraft(id: id, title: "a"))
        first.enqueue(EditDraft(id: id, title: "b"))
        #expect(first.server.made == ["+a", "42=b"])
        let second = program(first.store, first.server, isOnline: true, seed: 2)
        second.enqueue(EditDraft(id: id, title: "c"))
        #expect(second.server.made == ["+a", "42=b", "42=c"])
    }

    @Test(
        "a mutation that waits over a restart, in which its identifier is assigned, is made with the server's",
        .rule("O2"))
    func restart() {
        let first = program()
        first.enqueue(CreateDraft(id: id, title: "a"))
        first.enqueue(EditDraft(id: id, title: "b"))
        first.server.fail("42=b", status: 503)
        first.lab.setOnline(true)
        let second = program(first.store, first.server, seed: 2)
        #expect(second.outbox.waiting.compactMap { ($0.mutation as? EditDraft)?.id } == [.assigned(42)])
        second.lab.setOnline(true)
        second.lab.advance(by: .seconds(10))
        #expect(second.server.made == ["+a", "42=b"])
    }

    @Test("a client that does not make the creation learns the identifier from the store", .rule("O2"))
    func otherClient() {
        let first = program(isOnline: true)
        let second = program(first.store, first.server, seed: 2)
        first.server.hold()
        first.enqueue(CreateDraft(id: id, title: "a"))
        second.enqueue(EditDraft(id: id, title: "b"))
        #expect(second.outbox.waiting.map(\.scope) == ["drafts/\(id)", "drafts/\(id)"])
        first.lab.setOnline(false)
        first.server.release()
        first.lab.settle()
        second.lab.settle()
        #expect(second.outbox.waiting.map(\.scope) == ["drafts/42"])
    }

    @Test("identifiers match before and after the server has assigned one, whichever is compared", .rule("O12"))
    func matching() {
        let (other, client) = (TemporaryID<Int>.make(), QueryClient())
        #expect(id.matches(id) && TemporaryID.assigned(9).matches(.assigned(9)))
        #expect(!TemporaryID.assigned(9).matches(.assigned(8)))
        for stranger in [other, .assigned(9)] {
            #expect(!id.matches(stranger) && !stranger.matches(id))
        }

        client.noteAssigned([id.becomes(9)])
        #expect(id != .assigned(9))
        #expect(id.matches(.assigned(9)) && TemporaryID.assigned(9).matches(id))
        #expect(id.matches(id))
        for stranger in [other, .assigned(8)] {
            #expect(!id.matches(stranger) && !stranger.matches(id))
        }

        // Two that were made up for one thing.
        client.noteAssigned([other.becomes(9)])
        #expect(id != other)
        #expect(id.matches(other) && other.matches(id))
    }

    @Test("the server's values decode as assigned identifiers, of any type", .rule("O2"))
    func coding() throws {
        let decoded = try JSONDecoder().decode([Draft].self, from: Data(#"[{"id": 7, "title": "a"}]"#.utf8))
        #expect(decoded == [Draft(id: .assigned(7), title: "a")])
        let names = try JSONDecoder().decode([TemporaryID<String>].self, from: Data(#"["x"]"#.utf8))
        #expect(names == [.assigned("x")])
        let round = try JSONDecoder().decode([Draft].self, from: JSONEncoder().encode([Draft(id: id, title: "b")]))
        #expect(round == [Draft(id: id, title: "b")])
        #expect(TemporaryID.assigned(7).value == 7)
        #expect(id.value == nil)
    }
}
