import PigeonREST
import TestSupport
import Testing

@Suite("The end of flatMapLatest of publishers")
struct FlatMapLatestEndTests {
    private let nest = Nest<Mishap>(3)
    private let subscriber = ScriptedSubscriber<String, Mishap>()

    init() {
        nest.publisher.subscribe(subscriber)
    }

    @Test("Completes when the values have, and then the newest publisher does")
    func innerLast() {
        nest.outer.send(0)
        nest.outer.end(.finished)
        #expect(subscriber.ends.isEmpty)
        nest.inners[0].send("a")
        nest.inners[0].end(.finished)
        #expect(subscriber.values == ["a"])
        #expect(subscriber.ends == [.finished])
    }

    @Test("Completes when the newest publisher has, and then the values do")
    func outerLast() {
        nest.outer.send(0)
        nest.inners[0].end(.finished)
        #expect(subscriber.ends.isEmpty)
        nest.outer.end(.finished)
        #expect(subscriber.ends == [.finished])
    }

    @Test("Completes at once when the values do before there was one")
    func noValue() {
        nest.outer.end(.finished)
        #expect(subscriber.ends == [.finished])
    }

    @Test("The end of an older publisher, be it a failure, is none")
    func older() {
        nest.outer.send(0)
        nest.outer.send(1)
        nest.outer.end(.finished)
        nest.inners[0].end(.finished)
        nest.inners[0].end(.failure(Mishap()))
        #expect(subscriber.ends.isEmpty)
        nest.inners[1].send("b")
        #expect(subscriber.values == ["b"])
    }

    @Test("A failure of the values ends all, and cancels the newest publisher")
    func outerFails() {
        nest.outer.send(0)
        nest.outer.end(.failure(Mishap()))
        #expect(subscriber.ends == [.failure(Mishap())])
        #expect(nest.inners[0].isCancelled)
        nest.inners[0].send("late")
        #expect(subscriber.values.isEmpty)
    }

    @Test("A failure of the newest publisher ends all, and cancels the values")
    func innerFails() {
        nest.outer.send(0)
        nest.inners[0].end(.failure(Mishap()))
        #expect(subscriber.ends == [.failure(Mishap())])
        #expect(nest.outer.isCancelled)
        nest.outer.send(1)
        nest.outer.end(.finished)
        #expect(nest.inners[1].subscriptions.isEmpty)
        #expect(subscriber.ends.count == 1)
    }

    @Test("A publisher may fail where values do not, and the other way round is written with setFailureType")
    func mixed() {
        let outer = ScriptedPublisher<Int, Never>()
        let mixed = ScriptedSubscriber<String, Mishap>()
        outer.flatMapLatest { _ in Fail<String, Mishap>(error: Mishap()) }.subscribe(mixed)
        outer.send(0)
        #expect(mixed.ends == [.failure(Mishap())])
        #expect(outer.isCancelled)
    }

    @Test("A failure does not wait until somebody asks; what was not asked for is dropped")
    func failureWithoutDemand() {
        let nest = Nest<Mishap>(1)
        let reluctant = ScriptedSubscriber<String, Mishap>(.none)
        nest.publisher.subscribe(reluctant)
        nest.outer.send(0)
        nest.inners[0].send("a")
        nest.inners[0].end(.failure(Mishap()))
        #expect(reluctant.values.isEmpty)
        #expect(reluctant.ends == [.failure(Mishap())])
    }

    @Test("What was asked for comes before the end, also when the subscriber brings that about as it receives")
    func endInside() {
        let nest = Nest<Mishap>(1)
        let subscriber = ScriptedSubscriber<String, Mishap> { value in
            if value == "a" {
                nest.inners[0].send("b")
                nest.inners[0].end(.failure(Mishap()))
            }
            return .none
        }
        nest.publisher.subscribe(subscriber)
        nest.outer.send(0)
        nest.inners[0].send("a")
        #expect(subscriber.values == ["a", "b"])
        #expect(subscriber.ends == [.failure(Mishap())])
        #expect(!subscriber.wasNested)
    }

    @Test("Lets go of the subscriber and of the transform when cancelled, completed or failed", arguments: 0..<3)
    func freed(way: Int) {
        weak var held: Recorder<Int>?
        let nest = Nest<Mishap>(1)
        do {
            let heard = Recorder<Int>()
            held = heard
            let subscriber = ScriptedSubscriber<String, Mishap> { _ in
                heard.append(0)
                return .none
            }
            nest.publisher.subscribe(FreeingSubscriber(subscriber))
            nest.outer.send(0)
            switch way {
            case 0: subscriber.cancel()
            case 1:
                nest.outer.end(.finished)
                nest.inners[0].end(.finished)
            default: nest.inners[0].end(.failure(Mishap()))
            }
        }
        #expect(held == nil)
    }
}

/// Releases its subscription when the subscription ends, as subscribers do.
private final class FreeingSubscriber: Subscriber {
    private let base: ScriptedSubscriber<String, Mishap>

    init(_ base: ScriptedSubscriber<String, Mishap>) {
        self.base = base
    }

    func receive(subscription: any Subscription) { base.receive(subscription: subscription) }
    func receive(_ input: String) -> Subscribers.Demand { base.receive(input) }
    func receive(completion: Subscribers.Completion<Mishap>) {
        base.receive(completion: completion)
        base.cancel()
    }
}
