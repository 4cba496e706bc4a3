import EngineSimulation
import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// Checks the engine: the rules of a program and those of `EngineSimulation`.
///
/// Simulates on a thread of its own, one run after the other: for as long as it computes, tests that wait for real time need
/// the threads of the pool.
@Suite("Simulation", .serialized)
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many seeds each part runs. `PIGEON_SEEDS` looks longer, or shorter under a sanitizer.
    private static let seeds = seedCount()
    /// For how long `make simulate` runs.
    private static let minutes = environment["PIGEON_SIMULATE_MINUTES"].flatMap(Double.init)

    @Test(arguments: 0..<4)
    func `no rule is broken in 240,000 operations over many seeds`(part: Int) async throws {
        try await onOwnThread {
            for seed in (part * Self.seeds)..<((part + 1) * Self.seeds) {
                try Simulation(seed: UInt64(seed), steps: 1_000).checkingEngine().run()
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
                try Simulation(seed: seed, steps: [300, 1_000, 4_000][Int(seed % 3)]).checkingEngine().run()
                seed += 1
            }
        }
    }

    @Test func `the same seed plays the same run again`() throws {
        let (first, second) = (Simulation(seed: 7, steps: 2_000), Simulation(seed: 7, steps: 2_000))
        #expect(try first.checkingEngine().run() == second.checkingEngine().run())
        #expect(try first.run() == second.run())
        #expect(try first.run() != Simulation(seed: 8, steps: 2_000).run())
    }

    @Test func `some runs do everything that can be done, and are heard`() throws {
        var kinds: [String: Int] = [:]
        for seed in 0..<20 {
            let report = try Simulation(seed: UInt64(seed), steps: 500).checkingEngine().run()
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

    @Test func `definitions of a program's own break no rule of the engine`() throws {
        typealias Program = ProgramSimulationTests
        let values = [Program.note, Program.count]
        for seed: UInt64 in 0..<10 { try Simulation(seed: seed, steps: 500, queries: values).checkingEngine().run() }
        let changes = [Program.log { Program.Append(edit: $0, server: $1) }, Program.list { $0 }]
        for seed: UInt64 in 0..<40 { try Simulation(seed: seed, steps: 500, queries: changes).checkingEngine().run() }
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
        try Simulation(seed: 1, operations: actions.map(Simulation.Operation.init)).checkingEngine().run()
    }

    @Test(arguments: Finding.all)
    func `operations that once broke a rule`(finding: Finding) throws {
        try Simulation(seed: 1, operations: finding.operations).checkingEngine().run()
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
