import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// The programs of ``StressTests`` and ``SourceStressTests``. At each lock, the seed decides which task continues.
@Suite("Many tasks at once, interleaved by seeds", .serialized)
struct InterleavedTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The seeds with which each program runs. `PIGEON_SEEDS` sets a larger number, or a smaller one under a sanitizer.
    private static let seeds = 0..<UInt64(seedCount()) * 5
    /// The duration of `make simulate`, in minutes.
    private static let minutes = environment["PIGEON_SIMULATE_MINUTES"].flatMap(Double.init)

    @Test("however many ask at once, a key has one fetch, and all get its answer", .rule("T28"))
    func singleFlight() async throws {
        try await Crowd.interleave(Self.seeds, rounds: 10) { try await StressTests.singleFlight($0) }
    }

    @Test("No caller waits for ever, and no observer goes back or misses the last version, whatever is done at once")
    func everything() async throws {
        try await Crowd.interleave(Self.seeds, rounds: 20) { try await StressTests.everything($0) }
    }

    @Test("of many mutations at once on one value none is lost and none counts twice", .rule("A22"))
    func mutations() async throws {
        try await Crowd.interleave(Self.seeds, rounds: 4) { try await StressTests.mutations($0) }
    }

    @Test("whatever runs, nothing asked or changed before a clear is there after it", .rule("A31", "E16"))
    func clears() async throws {
        try await Crowd.interleave(Self.seeds, rounds: 1) { try await StressTests.clears($0, clears: 3) }
    }

    @Test("Whatever runs, an entry shows in the end what its source holds, and no change is lost")
    func sources() async throws {
        try await Crowd.interleave(Self.seeds, rounds: 20) { await SourceStressTests.oneClient($0) }
    }

    @Test("Two clients over sources that tell of changes show the same in the end")
    func twoClients() async throws {
        try await Crowd.interleave(Self.seeds, rounds: 20) { await SourceStressTests.twoClients($0) }
    }

    @Test(.enabled(if: minutes != nil))
    func `as many seeds as there is time for`() async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(60 * (Self.minutes ?? 0)))
        var seed = Self.environment["PIGEON_SIMULATE_SEED"].flatMap(UInt64.init) ?? .random(in: 0...(.max >> 1))
        while ContinuousClock.now < end {
            let next = seed..<(seed + 1)
            try await Crowd.interleave(next, rounds: 60) { try await StressTests.everything($0) }
            try await Crowd.interleave(next, rounds: 12) { try await StressTests.mutations($0) }
            try await Crowd.interleave(next, rounds: 1) { try await StressTests.clears($0, clears: 9) }
            try await Crowd.interleave(next, rounds: 60) { await SourceStressTests.oneClient($0) }
            try await Crowd.interleave(next, rounds: 60) { await SourceStressTests.twoClients($0) }
            seed += 1
        }
    }

    @Test func `the same seed interleaves the same way`() async throws {
        func events(_ seed: UInt64) async throws -> [String] {
            let heard = Locked<[String]>([])
            try await Crowd.interleave(seed..<(seed + 1), rounds: 20) { crowd in
                try await StressTests.everything(crowd) { event in heard.withLock { $0.append("\(event)") } }
            }
            return heard.withLock { $0 }
        }
        let first = try await events(9)
        #expect(first.count > 100)
        #expect(try await events(9) == first)
        #expect(try await events(10) != first)
    }
}
