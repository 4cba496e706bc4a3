import Foundation
import PigeonCore
import PigeonTesting
import Testing

struct Note: Codable, Equatable, Sendable {
    var title: String
    var lines: [String] = []

    static func query(
        load: @escaping @Sendable (FetchContext<Note>) async throws -> Note
    ) -> QueryDefinition<Note> {
        QueryDefinition("notes", 1, fetch: load).staleAfter(.seconds(30)).persisted()
    }
}

struct AddLine: Mutating {
    var line: String
    var note: QueryDefinition<Note>
    var save: @Sendable (MutationContext) async throws -> Note

    func run(_ context: MutationContext) async throws -> Note { try await save(context) }
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(note) { [line] in $0.lines.append(line) }
    }
    func succeeded(_ saved: Note, _ writes: CacheWrites) { writes.set(saved, for: note) }
}

@Suite("Article: simulate your program")
struct SimulateTests {
    @Test func `the note shows what the server has`() throws {
        let note = SimulatedQuery(states: { Note(title: "Draft \($0)") }) { server in
            Note.query(load: server.answer)
        }
        for seed: UInt64 in 0..<10 {
            try Simulation(seed: seed, steps: 1_000, queries: [note]).run()
        }
    }

    @Test func `lines are added, and posts are paged`() throws {
        let note = SimulatedQuery(
            states: { Note(title: "Draft \($0)") },
            apply: { note, edit in note.lines.append("line \(edit)") },
            edits: { note in note.lines.compactMap { Int($0.dropFirst(5)) } },
            mutation: { edit, server in
                AddLine(line: "line \(edit)", note: Note.query(load: server.answer)) { context in
                    try await server.apply(edit, context)
                }
            },
            definition: { server in Note.query(load: server.answer) })
        let posts = SimulatedQuery(pages: { [Post(title: "\($1), edition \($0)")] }) { server in
            QueryDefinition.pages("posts", first: 1) { page, context in
                try await server.page(page, context)
            } next: { _, page in
                page < 5 ? page + 1 : nil
            }
        }
        for seed: UInt64 in 0..<10 {
            try Simulation(seed: seed, steps: 1_000, queries: [note, posts]).run()
        }
    }

    private static let forgetful = SimulatedQuery(states: { Note(title: "Draft \($0)") }) { server in
        Note.query { context in
            let note = try await server.answer(context)
            return context.previous ?? note
        }
    }

    @Test func `a fetcher that returns the previous value is found`() {
        #expect(throws: Simulation.Violation.self) {
            for seed: UInt64 in 0..<10 {
                try Simulation(seed: seed, steps: 1_000, queries: [Self.forgetful]).run()
            }
        }
    }

    @Test func `a violation prints what the article shows, and fails again`() throws {
        let page = try #require(Page.all.first { $0.path.hasSuffix("SimulateYourProgram.md") })
        let operations: [SimulatedAction] = [
            .fetch("notes/1", .fetch), .answer(0), .change("notes/1", 1), .fetch("notes/1", .refetch), .answer(0),
        ]
        let queries = [Self.forgetful]
        let violation = try #require(throws: Simulation.Violation.self) {
            try Simulation(seed: 7, operations: operations.map(Simulation.Operation.init), queries: queries).run()
        }
        let shown = page.blocks.first { $0.language == "text" }?.code
        #expect(shown == violation.description)

        let data = try JSONEncoder().encode(violation.operations)
        let kept = try JSONDecoder().decode([Simulation.Operation].self, from: data)
        #expect(throws: Simulation.Violation.self) {
            try Simulation(seed: violation.seed, operations: kept, queries: queries).run()
        }
    }
}
