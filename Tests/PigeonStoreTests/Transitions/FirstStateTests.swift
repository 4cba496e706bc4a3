import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("The first state of a store", .timeLimit(.minutes(1)))
struct FirstStateTests {
    @Test("comes when the cache was read, and not before", arguments: StoreLab.Shape.allCases)
    func suspending(_ shape: StoreLab.Shape) {
        let bench = StoreLab(StoreLab.Setting(shape: shape, pace: .suspending))
        bench.place.put([1], isStale: false)
        let log = bench.watch()
        bench.lab.settle()
        #expect(log.take() == [])
        bench.settle()
        #expect(log.take() == ["[1]"])
        // The alarm for a cache that does not answer has been cancelled.
        bench.lab.advance(by: .seconds(1))
        #expect(log.take() == [])
    }

    @Test(
        "is loading when a cache has not answered for 250 ms, and the real one follows",
        arguments: StoreLab.Shape.allCases)
    func slow(_ shape: StoreLab.Shape) {
        let bench = StoreLab(StoreLab.Setting(shape: shape, pace: .suspending))
        bench.place.put([1], isStale: false)
        let log = bench.watch()
        bench.lab.advance(by: .milliseconds(249))
        #expect(log.take() == [])
        bench.lab.advance(by: .milliseconds(1))
        #expect(log.take() == ["…"])
        bench.settle()
        #expect(log.take() == ["[1]"])
        #expect(bench.origin.takeCalls() == [])
    }

    @Test(
        "comes of a subscription: publishing alone reads and fetches nothing", .rule("StoreFlowable F15"),
        arguments: StoreLab.Shape.allCases)
    func cold(_ shape: StoreLab.Shape) {
        let bench = StoreLab(StoreLab.Setting(shape: shape))
        let publisher: LoadingStatePublisher<[Int]> = bench.store.publish(forceRefresh: true)
        let sequence: LoadingStateSequence<[Int]> = bench.store.publish(forceRefresh: true)
        bench.settle()
        #expect(bench.place.takeCalls() == [])
        #expect(bench.origin.takeCalls() == [])
        withExtendedLifetime((publisher, sequence)) {}
    }

    @Test("of a fetch that does not suspend is what it brought", arguments: StoreLab.Shape.allCases)
    func fast(_ shape: StoreLab.Shape) {
        let bench = StoreLab(StoreLab.Setting(shape: shape))
        bench.origin.set { _ in Page(1) }
        let log = bench.watch()
        bench.settle()
        #expect(log.take().last == "[1]")
        #expect(bench.place.text == "[1]")
    }

    @Test("The first value of a publisher is the data, and ends the subscription")
    func values() {
        let bench = StoreLab(StoreLab.Setting(shape: .factories))
        let log = bench.watch()
        bench.origin.send(Page(1), of: "fetch")
        bench.settle()
        #expect(log.take() == ["…", "[1]"])
        #expect(bench.place.text == "[1]")
        #expect(bench.origin.cancelled == ["fetch"])
    }
}
