import Foundation
import PigeonCore
import PigeonTesting
import Testing

@Suite("Interleavings")
struct InterleavingTests {
    /// A count that is read under one lock and written under the next.
    private final class Careless: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }

        func add() {
            let before = value
            count.withLock { $0 = before + 1 }
        }
    }

    private struct Busy: TransientErrorType { var statusCode: Int? { 503 } }

    private static func count(seeds: Range<UInt64>) async throws -> [Int] {
        var counts: [Int] = []
        for seed in seeds { counts.append(try await count(seed: seed)) }
        return counts
    }

    private static func count(seed: UInt64) async throws -> Int {
        try await Interleaving(seed: seed).run { _ in
            let careless = Careless()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { for _ in 0..<5 { careless.add() } } }
            }
            return careless.value
        }
    }

    @Test func `a race is lost under many seeds, by the same seeds each time`() async throws {
        let counts = try await Self.count(seeds: 0..<100)
        #expect(counts.contains { $0 < 15 })
        #expect(Set(counts).count > 3)
        #expect(try await Self.count(seeds: 0..<100) == counts)
    }

    @Test func `time passes once nothing else can go on`() async throws {
        let (value, times) = try await Interleaving(seed: 3).run { environment in
            let client = QueryClient(environment: environment)
            let attempts = Locked(0)
            let query = QueryDefinition("a") { _ -> Int in
                try attempts.withLock { attempts in
                    attempts += 1
                    if attempts < 4 { throw Busy() }
                    return attempts
                }
            }
            .retry(3)
            return (try await client.fetch(query), environment.wallClock().timeIntervalSinceReferenceDate)
        }
        #expect(value == 4)
        #expect(times > 1)
    }

    @Test func `what waits for what nobody will do is told`() async {
        let stuck = await #expect(throws: Interleaving.Stuck.self) {
            try await Interleaving(seed: 5).run { environment in
                let client = QueryClient(environment: environment)
                let query = QueryDefinition("a") { _ -> Int in
                    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                    return 1
                }
                _ = try await client.fetch(query)
            }
        }
        #expect(stuck.map { "\($0)" } == "seed 5: all that is left waits")
    }

    @Test func `what the code throws is thrown`() async {
        await #expect(throws: CancellationError.self) {
            try await Interleaving(seed: 1).run { _ in
                await Task.yield()
                throw CancellationError()
            }
        }
    }
}
