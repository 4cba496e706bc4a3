import Foundation
import PigeonTesting
import Testing

@Suite("Simulation")
struct SimulationTests {
    /// How many seeds each part runs. `PIGEON_SEEDS` looks longer, or shorter under a sanitizer.
    private static let seeds = ProcessInfo.processInfo.environment["PIGEON_SEEDS"].flatMap(Int.init) ?? 60

    @Test(arguments: 0..<4)
    func `no rule is broken in 60,000 steps over many seeds`(part: Int) throws {
        for seed in (part * Self.seeds)..<((part + 1) * Self.seeds) {
            try Simulation(seed: UInt64(seed), steps: 1_000).run()
        }
    }

    @Test func `the same seed plays the same run again`() throws {
        let (first, second) = (Simulation(seed: 7, steps: 2_000), Simulation(seed: 7, steps: 2_000))
        #expect(try first.run() == second.run())
        #expect(try first.run() != Simulation(seed: 8, steps: 2_000).run())
    }

    @Test func `a run does everything that can be done, and is heard`() throws {
        let report = try Simulation(seed: 1, steps: 5_000).run()
        let kinds = [
            "observe", "drop", "fetch", "answer", "fail", "yield", "cancel waiter", "cancel", "write", "invalidate",
            "mutate", "settle mutation", "page", "network", "foreground", "time", "reset", "toggle", "clear",
        ]
        #expect(Set(report.inputs.keys) == Set(kinds))
        #expect(report.inputs.values.reduce(0, +) == 5_000)
        #expect(report.fetches > 200)
        #expect(report.notifications > 1_000)
        #expect(report.events > 1_000)
    }

    @Test func `a violation says its seed, the step, the rule and what led there`() {
        let violation = Simulation.Violation(
            seed: 42, step: 7, rule: "a waiter was lost", trace: ["6: fetch", "7: drop"])
        #expect("\(violation)" == "seed 42, step 7: a waiter was lost\nafter:\n  6: fetch\n  7: drop")
    }
}
