import Foundation
import PigeonCore
import PigeonTesting
import Testing

/// Simulates on a thread of its own, one run after the other: for as long as it computes, tests that wait for real time need
/// the threads of the pool.
@Suite("Simulation", .serialized)
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many seeds each part runs. `PIGEON_SEEDS` looks longer, or shorter under a sanitizer.
    private static let seeds = environment["PIGEON_SEEDS"].flatMap(Int.init) ?? 60
    /// For how long `make simulate` runs.
    private static let minutes = environment["PIGEON_SIMULATE_MINUTES"].flatMap(Double.init)

    @Test(arguments: 0..<4)
    func `no rule is broken in 240,000 operations over many seeds`(part: Int) async throws {
        try await onOwnThread {
            for seed in (part * Self.seeds)..<((part + 1) * Self.seeds) {
                try Simulation(seed: UInt64(seed), steps: 1_000).run()
            }
        }
    }

    @Test(.enabled(if: minutes != nil))
    func `no rule is broken for as long as the simulation is told to run`() async throws {
        try await onOwnThread {
            let end = ContinuousClock.now.advanced(by: .seconds(60 * (Self.minutes ?? 0)))
            var seed = Self.environment["PIGEON_SIMULATE_SEED"].flatMap(UInt64.init) ?? .random(in: 0...(.max >> 1))
            while ContinuousClock.now < end {
                // Short runs shrink well, long ones find what takes long to come about.
                try Simulation(seed: seed, steps: [300, 1_000, 4_000][Int(seed % 3)]).run()
                seed += 1
            }
        }
    }

    @Test func `the same seed plays the same run again`() throws {
        let (first, second) = (Simulation(seed: 7, steps: 2_000), Simulation(seed: 7, steps: 2_000))
        #expect(try first.run() == second.run())
        #expect(try first.run() != Simulation(seed: 8, steps: 2_000).run())
    }

    @Test func `some runs do everything that can be done, and are heard`() throws {
        var kinds: [String: Int] = [:]
        for seed in 0..<20 {
            let report = try Simulation(seed: UInt64(seed), steps: 500).run()
            #expect(report.inputs.values.reduce(0, +) == 500)
            #expect(report.events > 0)
            #expect(report.processes > 0)
            kinds.merge(report.inputs) { $0 + $1 }
        }
        let expected: Set = [
            "observe", "unobserve", "enable", "switchKey", "iterate", "fetch", "refetch", "ensure", "prefetch",
            "beside", "cancelWait", "cancel", "set", "update", "read", "invalidate", "mutate", "nextPage",
            "previousPage", "allPages", "restartList", "keepFirstPage", "reset", "remove", "clear", "flush",
            "changeSource", "emptySource", "change", "receive", "duplicate", "answer", "fail", "yield", "wait",
            "network",
            "foreground", "memoryPressure", "disk", "slowDisk", "tearRecord", "flipBit", "restart",
            "changeSourceOutside", "holdSource",
            "releaseSource", "failSource", "interrupt",
        ]
        #expect(Set(kinds.keys) == expected)
    }

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

    @Test func `definitions of a program's own are simulated`() throws {
        let note = SimulatedQuery(states: { "state \($0)" }) { server in
            QueryDefinition("note", 1) { try await server.answer($0) }.staleAfter(.seconds(30)).persisted()
                .tagged("t")
        }
        let count = SimulatedQuery(states: { $0 }) { server in
            QueryDefinition("count") { try await server.answer($0) }.poll(every: .seconds(7))
        }
        var fetches = 0
        for seed in 0..<10 {
            fetches += try Simulation(seed: UInt64(seed), steps: 500, queries: [note, count]).run().fetches
        }
        #expect(fetches > 100)
    }

    // MARK: Mutations and lists of a program's own

    private struct Log: Codable, Equatable, Sendable {
        var version: Int
        var edits: [Int] = []
    }

    private struct Append: Mutating {
        var edit: Int
        /// How often the edit is shown optimistically.
        var times = 1
        var isIdempotent = false
        var server: SimulatedEndpoint<Log>

        var retry: RetryPolicy { RetryPolicy(limit: 2) }
        func run(_ context: MutationContext) async throws -> Log { try await server.apply(edit, context) }
        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(SimulationTests.definition(server)) { [edit, times] in
                $0.edits += Array(repeating: edit, count: times)
            }
        }
        func invalidates(_ log: Log) -> [KeyFilter] { [.key("logs/1")] }
    }

    private static func definition(_ server: SimulatedEndpoint<Log>) -> QueryDefinition<Log> {
        QueryDefinition("logs", 1) { try await server.answer($0) }.persisted().tagged("t")
    }

    private static func log(
        _ mutation: @escaping @Sendable (Int, SimulatedEndpoint<Log>) -> Append
    ) -> SimulatedQuery {
        SimulatedQuery(
            states: { Log(version: $0) }, apply: { $0.edits.append($1) }, edits: { $0.edits }, mutation: mutation,
            definition: definition)
    }

    private static func list(_ asks: @escaping @Sendable (Int) -> Int) -> SimulatedQuery {
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

    // MARK: What it finds

    /// Operations of which the network delivers one twice, or the disk is slow or flips a bit.
    static let disturbed: [[SimulatedAction]] = [
        // Both copies reach the server before the answer: it has the edit twice, and so has the client.
        [
            .observe("a/1", isEnabled: true), .answer(0), .mutate("a/1", SimulatedEditStyle()), .duplicate(0),
            .receive(1), .answer(0), .fetch("a/1", .refetch), .answer(1), .answer(0),
        ],
        // The server knows the key of an idempotent one, also when the client asks again.
        [
            .observe("a/1", isEnabled: true), .answer(0), .mutate("a/1", SimulatedEditStyle(isIdempotent: true)),
            .duplicate(0), .receive(1), .fail(0, .lost), .wait(8), .answer(1), .answer(0),
        ],
        // The answer of the copy is the first; that of the original goes nowhere, and neither does a part of it.
        [
            .fetch("a/1", .fetch), .duplicate(0), .answer(1), .change("a/1", 1), .yield(0), .answer(0), .read("a/1"),
        ],
        // A copy arrives after the mutation has failed for the client.
        [
            .observe("a/1", isEnabled: true), .answer(0), .mutate("a/1", SimulatedEditStyle()), .duplicate(0),
            .fail(0, .unavailable), .answer(0), .fetch("a/1", .refetch), .answer(0),
        ],
        // The record is missed, and fetched.
        [
            .set("c", keeps: false), .wait(1), .flipBit(0, bit: 76), .memoryPressure, .observe("c", isEnabled: true),
            .answer(0), .restart(flushes: true, clock: 0, losesBatch: false),
        ],
        // What is due while the disk is read or written is done all the same.
        [
            .observe("b/1", isEnabled: true), .answer(0), .slowDisk(8), .set("c", keeps: false), .wait(1),
            .memoryPressure, .observe("c", isEnabled: true), .restart(flushes: true, clock: 0, losesBatch: false),
        ],
    ]

    @Test(arguments: disturbed)
    func `a copied request, a flipped bit and a slow disk break no rule`(actions: [SimulatedAction]) throws {
        try Simulation(seed: 1, operations: actions.map(Simulation.Operation.init)).run()
    }

    @Test(arguments: Finding.all)
    func `operations that once broke a rule`(finding: Finding) throws {
        try Simulation(seed: 1, operations: finding.operations).run()
    }
}

/// Runs code that computes for long without blocking a thread of the pool.
func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let thread = Thread { continuation.resume(with: Result(catching: body)) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
