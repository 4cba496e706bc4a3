import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// Many tasks that act at the same time: on real threads, or a few tasks that are interleaved by a seed.
struct Crowd: Sendable, CustomTestStringConvertible {
    let environment: QueryEnvironment
    let seed: UInt64
    let tasks: Int
    /// Number of times that each task acts.
    let rounds: Int

    /// Returns a crowd on real threads, with a real clock.
    static func onThreads(seed: UInt64 = 0) -> Crowd {
        Crowd(environment: QueryEnvironment(), seed: seed, tasks: 8, rounds: 400)
    }

    /// Runs a program with each seed, one after the other.
    static func interleave(
        _ seeds: Range<UInt64>, tasks: Int = 3, rounds: Int, _ program: @escaping @Sendable (Crowd) async throws -> Void
    ) async throws {
        for seed in seeds {
            try await Interleaving(seed: seed).run { environment in
                try await program(Crowd(environment: environment, seed: seed, tasks: tasks, rounds: rounds))
            }
        }
    }

    var testDescription: String { "seed \(seed)" }

    func act(_ body: @escaping @Sendable (SeededRandom) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let random = SeededRandom(seed: seed &* 100 &+ UInt64(task))
                    for _ in 0..<rounds { await body(random) }
                }
            }
        }
    }

    /// Waits for a condition that another task or a timer brings about.
    func until(_ holds: @Sendable () -> Bool) async {
        while !holds() {
            let clock = environment.clock
            await withCheckedContinuation { continuation in
                _ = clock.schedule(at: clock.now().advanced(by: .milliseconds(10))) { continuation.resume() }
            }
        }
    }
}
