import Foundation
import PigeonCore
import PigeonTesting
import Testing

@Suite("The manual clock")
struct ManualClockTests {
    private final class Log: Sendable {
        private let lines = Locked<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test func `alarms fire in order, each at its own moment`() {
        let (clock, log) = (ManualClock(), Log())
        for seconds in [3, 1, 2] {
            let deadline = clock.now().advanced(by: .seconds(seconds))
            _ = clock.schedule(at: deadline) { log.add("\(seconds) at \(clock.now().nanoseconds / 1_000_000_000)") }
        }
        clock.advance(by: .seconds(2))
        #expect(log.all == ["1 at 1", "2 at 2"])
        #expect(clock.now().nanoseconds == 2_000_000_000)
        #expect(clock.alarmCount == 1)
    }

    @Test func `an alarm that is called off does not fire`() {
        let (clock, log) = (ManualClock(), Log())
        clock.schedule(at: clock.now().advanced(by: .seconds(1))) { log.add("fired") }.cancel()
        clock.advance(by: .seconds(2))
        #expect(log.all.isEmpty)
    }

    @Test func `an alarm may set another on the way`() {
        let (clock, log) = (ManualClock(), Log())
        _ = clock.schedule(at: clock.now().advanced(by: .seconds(1))) {
            log.add("first")
            _ = clock.schedule(at: clock.now().advanced(by: .seconds(1))) { log.add("second") }
        }
        clock.advance(by: .seconds(2))
        #expect(log.all == ["first", "second"])
    }
}

@Suite("The seeded random source")
struct SeededRandomTests {
    @Test func `it is SplitMix64`() {
        let random = SeededRandom(seed: 1_234_567)
        // The reference values of the generator's authors for this seed.
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test func `numbers lie below their bound, and nothing is picked of nothing`() {
        let random = SeededRandom(seed: 1)
        #expect((0..<1_000).allSatisfy { _ in (0..<7).contains(random.below(7)) })
        #expect(Set((0..<1_000).map { _ in random.below(7) }).count == 7)
        #expect(random.pick([Int]()) == nil)
        #expect(random.below(0) == 0)
    }
}

@Suite("The lab")
struct LabTests {
    @Test func `an answer given before the question is kept for it`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: String.self)
        fetcher.succeed(with: "Ann")
        let task = lab.start { try await lab.client.fetch(QueryDefinition("users", 1, fetch: fetcher.fetch)) }
        #expect(task.value == "Ann")
        #expect(fetcher.pendingCount == 0)
    }

    @Test func `calls say what they ask, and are answered by number`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: String.self)
        let first = lab.start { try await lab.client.fetch(QueryDefinition("users", 1, fetch: fetcher.fetch)) }
        let second = lab.start { try await lab.client.fetch(QueryDefinition("users", 2, fetch: fetcher.fetch)) }
        #expect(fetcher.pending.map(\.key) == [QueryKey("users", 1), QueryKey("users", 2)])
        #expect(fetcher.succeed(1, with: "Bea"))
        #expect(!fetcher.succeed(1, with: "Bea again"))
        #expect(first.result == nil)
        #expect(second.value == "Bea")
        first.cancel()
        #expect(first.error is CancellationError)
    }

    @Test func `a fetcher can say that nothing changed`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: String.self)
        let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
        fetcher.succeed(with: "Ann")
        let task = lab.start { try await observer.refetch() }
        fetcher.notModified()
        #expect(task.value == "Ann")
        #expect(lab.log.last == "users/1 not modified")
    }

    @Test func `the wall clock goes with the clock, and can be set`() {
        let lab = QueryLab()
        lab.advance(by: .seconds(60))
        #expect(lab.environment.wallClock().timeIntervalSinceReferenceDate == 60)
        lab.shiftWallClock(by: .seconds(-3600))
        #expect(lab.environment.wallClock().timeIntervalSinceReferenceDate == -3540)
        #expect(lab.clock.now().nanoseconds == 60_000_000_000)
    }

    @Test func `the log can be begun anew`() {
        let lab = QueryLab()
        lab.client.invalidate(.all)
        try? lab.client.set("Ann", for: "user")
        #expect(lab.clearLog() == ["user written"])
        #expect(lab.log.isEmpty)
    }

    @Test func `a lab that is let go frees its client, also with a fetch under way`() {
        weak var client: QueryClient?
        do {
            let lab = QueryLab()
            client = lab.client
            let fetcher = lab.fetcher(returning: String.self)
            let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
            #expect(fetcher.pendingCount == 1)
            withExtendedLifetime(observer) {}
        }
        #expect(client == nil)
    }

    @Test func `two labs know nothing of each other`() {
        let (one, other) = (QueryLab(seed: 1), QueryLab(seed: 1))
        one.setOnline(false)
        one.advance(by: .seconds(5))
        try? one.client.set("Ann", for: "user")
        #expect(other.environment.connectivity.isOn)
        #expect(other.clock.now().nanoseconds == 0)
        #expect(other.client.count == 0)
    }
}
