import PigeonTesting
import TestSupport
import Testing

@testable import PigeonCore

@Suite("Many observers of one key")
struct ManyObserversTests {
    /// The properties of a set of observers. A test compares those of the set with those computed from all its
    /// observers.
    private struct Plain: Equatable {
        var ids: [UInt64]
        var hasEnabled: Bool
        var hasAgeing: Bool
        var pollsInBackground: Bool
        var shortestStaleTime: Int64?
        var shortestPoll: Int64?
        var stale: [Int64?]

        static let ages: [Int64] = [-1, 0, 1, 2_000_000_000, .max]

        init(_ observers: [AttachedObserver]) {
            let enabled = observers.filter(\.isEnabled).map(\.options.values)
            let staleTimes = enabled.compactMap { options -> Int64? in
                if case .after(let nanoseconds) = options.staleAfter.kind { nanoseconds } else { nil }
            }
            ids = observers.map(\.id)
            hasEnabled = !enabled.isEmpty
            hasAgeing = enabled.contains { $0.staleAfter != .immutable }
            pollsInBackground = enabled.contains { $0.pollsInBackground && ($0.pollEvery ?? .zero) > .zero }
            shortestStaleTime = staleTimes.min()
            shortestPoll = enabled.compactMap { $0.pollEvery?.clampedNanoseconds }.filter { $0 > 0 }.min()
            stale = Self.ages.map { age in staleTimes.filter { $0 > age }.min() }
        }

        init(_ set: ObserverSet) {
            ids = set.map(\.id)
            hasEnabled = set.hasEnabled
            hasAgeing = set.hasAgeing
            pollsInBackground = set.pollsInBackground
            shortestStaleTime = set.shortestStaleTime
            shortestPoll = set.shortestPoll
            stale = Self.ages.map { set.shortestStaleTime(above: $0) }
        }
    }

    private func observer(_ id: UInt64, _ random: SeededRandom) -> AttachedObserver {
        .observer(id, isEnabled: random.next() % 4 != 0) { options in
            let times: [StaleTime] = [.zero, .seconds(1), .seconds(2), .seconds(3), .never, .immutable]
            options.staleAfter = times[Int(random.next() % 6)]
            options.pollEvery = [nil, .zero, .seconds(1), .seconds(5)][Int(random.next() % 4)]
            options.pollsInBackground = random.next() % 3 == 0
        }
    }

    @Test("what they want together is known without asking each", .rule("E13", "A41"), arguments: UInt64(1)...20)
    func together(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var set = ObserverSet()
        var plain: [AttachedObserver] = []
        for id in 1...UInt64(200) {
            switch random.next() % 5 {
            case 0 where !plain.isEmpty:
                let leaving = plain.remove(at: Int(random.next() % UInt64(plain.count)))
                let found = [set.remove(leaving.id), set.remove(leaving.id)]
                #expect(found == [true, false])
            case 1 where !plain.isEmpty:
                let index = Int(random.next() % UInt64(plain.count))
                plain[index] = observer(plain[index].id, random)
                set.set(plain[index])
            default:
                plain.append(observer(id, random))
                set.set(plain[plain.count - 1])
            }
            #expect(Plain(set) == Plain(plain))
            #expect(set.count == plain.count && set.isEmpty == plain.isEmpty)
        }
        for observer in plain { _ = set.remove(observer.id) }
        #expect(Plain(set) == Plain([]) && set.isEmpty)
    }

    @Test("A copy of the set stays as it is when the other changes")
    func value() {
        var set = ObserverSet()
        set.set(.observer(1))
        let copy = set
        set.set(.observer(2))
        #expect(copy.map(\.id) == [1])
        _ = set.remove(1)
        #expect(copy.map(\.id) == [1] && set.map(\.id) == [2])
    }

    @Test("observers are told in the order in which they attached, whoever left meanwhile", .rule("E13"))
    func order() throws {
        let client = QueryClient()
        let definition = QueryDefinition<Int>.value("count")
        let told = Recorder<Int>()
        var observers = (0..<100).map { number in client.observe(definition) { _ in told.append(number) } }
        for number in (0..<100).reversed() where number % 3 != 0 { observers.remove(at: number).cancel() }
        observers += (100..<110).map { number in client.observe(definition) { _ in told.append(number) } }
        try client.set(1, for: definition)
        #expect(told.all == (0..<110).filter { $0 >= 100 || $0 % 3 == 0 })
        #expect(client.entries().first?.observerCount == 44)
    }

    @Test("An observer that comes back to a key is told after those that stayed")
    func comesBack() throws {
        let client = QueryClient()
        let (one, other) = (QueryDefinition<Int>.value("one"), QueryDefinition<Int>.value("other"))
        let told = Recorder<Int>()
        let observers = (0..<3).map { number in client.observe(one) { _ in told.append(number) } }
        observers[0].observe(other)
        observers[0].observe(one)
        told.clear()
        try client.set(1, for: one)
        #expect(told.all == [1, 2, 0])
        #expect(client.count == 2)
    }
}
