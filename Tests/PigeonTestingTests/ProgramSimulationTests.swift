import Foundation
import PigeonCore
import PigeonTesting
import Testing

/// Simulates definitions, mutations and lists as a program does, which knows nothing of the engine's own rules.
@Suite("Simulation of a program", .serialized)
struct ProgramSimulationTests {
    // MARK: Violations

    @Test func `a violation says its seed, the step, the rule and what led there`() {
        let violation = Simulation.Violation(
            seed: 42, step: 7, rule: "a waiter was lost", trace: ["6: fetch", "7: drop"])
        #expect("\(violation)" == "seed 42, step 7: a waiter was lost\nafter:\n  6: fetch\n  7: drop")
    }

    @Test func `a violation that was shrunk prints the operations that are left`() {
        let violation = Simulation.Violation(
            seed: 42, step: 7, rule: "a waiter was lost", trace: [],
            operations: [
                .init(.observe("a/1", isEnabled: false)), .init(.interrupt(.event, .wait(8))), .init(.duplicate(0)),
                .init(.slowDisk(3)), .init(.flipBit(1, bit: 17)), .init(.answer(0)),
            ])
        #expect(
            "\(violation)" == """
                seed 42, step 7: a waiter was lost
                after these operations alone:
                  observe("a/1", enabled: false)
                  next(.event) { clock.advance(by: .seconds(8)) }
                  network.duplicate(call: 0)
                  disk.delay = .seconds(3)
                  disk.flip(bit: 17, ofRecord: 1)
                  server.answer(call: 0)
                """)
    }

    /// A definition that shows what the server had at first, whatever it answers.
    private static let broken = SimulatedQuery(states: { "state \($0)" }) { server in
        QueryDefinition("broken") { context in
            _ = try await server.answer(context)
            return "state 0"
        }
    }

    @Test func `a failing run is shrunk to a few operations, which fail again and can be kept`() throws {
        let found = #expect(throws: Simulation.Violation.self) {
            try Simulation(seed: 1, steps: 300, queries: [Self.broken]).run()
        }
        let operations = try #require(found?.operations)
        #expect((1...3).contains(operations.count))
        let kept = try JSONDecoder().decode([Simulation.Operation].self, from: JSONEncoder().encode(operations))
        #expect(kept == operations)
        #expect(throws: Simulation.Violation.self) {
            try Simulation(seed: 1, operations: kept, queries: [Self.broken]).run()
        }
    }

    static let note = SimulatedQuery(states: { "state \($0)" }) { server in
        QueryDefinition("note", 1) { try await server.answer($0) }.staleAfter(.seconds(30)).persisted().tagged("t")
    }

    static let count = SimulatedQuery(states: { $0 }) { server in
        QueryDefinition("count") { try await server.answer($0) }.poll(every: .seconds(7))
    }

    @Test func `definitions of a program's own are simulated`() throws {
        var fetches = 0
        for seed in 0..<10 {
            fetches += try Simulation(seed: UInt64(seed), steps: 500, queries: [Self.note, Self.count]).run().fetches
        }
        #expect(fetches > 100)
    }

    // MARK: Mutations and lists of a program's own

    struct Log: Codable, Equatable, Sendable {
        var version: Int
        var edits: [Int] = []
    }

    struct Append: Mutating {
        var edit: Int
        /// How often the edit is shown optimistically.
        var times = 1
        var isIdempotent = false
        var server: SimulatedEndpoint<Log>

        var retry: RetryPolicy { RetryPolicy(limit: 2) }
        func run(_ context: MutationContext) async throws -> Log { try await server.apply(edit, context) }
        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(ProgramSimulationTests.definition(server)) { [edit, times] in
                $0.edits += Array(repeating: edit, count: times)
            }
        }
        func invalidates(_ log: Log) -> [KeyFilter] { [.key("logs/1")] }
    }

    private static func definition(_ server: SimulatedEndpoint<Log>) -> QueryDefinition<Log> {
        QueryDefinition("logs", 1) { try await server.answer($0) }.persisted().tagged("t")
    }

    static func log(
        _ mutation: @escaping @Sendable (Int, SimulatedEndpoint<Log>) -> Append
    ) -> SimulatedQuery {
        SimulatedQuery(
            states: { Log(version: $0) }, apply: { $0.edits.append($1) }, edits: { $0.edits }, mutation: mutation,
            definition: definition)
    }

    static func list(_ asks: @escaping @Sendable (Int) -> Int) -> SimulatedQuery {
        SimulatedQuery(pages: { version, page in [page, version] }) { server in
            QueryDefinition.pages("lists", 1, first: 0) { page, context in
                try await server.page(asks(page), context)
            } next: { _, page in
                page < 4 ? page + 1 : nil
            } previous: { _, page in
                page > -2 ? page - 1 : nil
            }.poll(every: .seconds(7)).persisted()
        }
    }

    @Test func `mutations and lists of a program's own are simulated`() throws {
        let queries = [Self.log { Append(edit: $0, server: $1) }, Self.list { $0 }]
        var kinds: [String: Int] = [:]
        for seed in 0..<40 {
            let report = try Simulation(seed: UInt64(seed), steps: 500, queries: queries).run()
            kinds.merge(report.inputs) { $0 + $1 }
        }
        #expect(kinds["mutate"] ?? 0 > 100)
        #expect(kinds["nextPage"] ?? 0 > 100)
    }

    @Test(arguments: [
        (log { Append(edit: $0, times: 2, server: $1) }, "foldedEdit"),
        (log { Append(edit: $0, isIdempotent: true, server: $1) }, "repeatedEdit"),
        (list { $0 == 2 ? 1 : $0 }, "knownValue"),
    ])
    func `a mutation or a list that is wrong is found`(query: SimulatedQuery, rule: String) throws {
        var rules: Set<String> = []
        for seed in 0..<20 {
            do {
                try Simulation(seed: UInt64(seed), steps: 300, queries: [query]).run()
            } catch let found as Simulation.Violation {
                rules.formUnion(found.rule.split(separator: ":").prefix(1).map(String.init))
            }
        }
        #expect(rules.contains(rule))
    }
}
