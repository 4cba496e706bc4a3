import PigeonREST
import TestSupport
import Testing

@Suite("flatMapLatest of publishers")
struct FlatMapLatestTests {
    private let nest = Nest<Mishap>(3)

    private func subscribe(_ subscriber: ScriptedSubscriber<String, Mishap>) {
        nest.publisher.subscribe(subscriber)
    }

    @Test("Sends what the newest publisher does, and nothing of an older one")
    func newest() {
        let subscriber = ScriptedSubscriber<String, Mishap>()
        subscribe(subscriber)
        nest.outer.send(0)
        nest.inners[0].send("a")
        nest.outer.send(1)
        nest.inners[0].send("late")
        nest.inners[1].send("b")
        #expect(subscriber.values == ["a", "b"])
    }

    @Test("an older publisher is cancelled when a newer value comes, and no sooner", .rule("Siesta C3"))
    func cancelsOlder() {
        subscribe(ScriptedSubscriber())
        nest.outer.send(0)
        #expect(!nest.inners[0].isCancelled)
        nest.outer.send(1)
        #expect(nest.inners[0].isCancelled)
        #expect(!nest.inners[1].isCancelled)
    }

    @Test("cancelling cancels the values and the newest publisher, and nothing comes after", .rule("Siesta C6"))
    func cancels() {
        let subscriber = ScriptedSubscriber<String, Mishap>()
        subscribe(subscriber)
        nest.outer.send(0)
        subscriber.cancel()
        #expect(nest.outer.isCancelled)
        #expect(nest.inners[0].isCancelled)
        nest.inners[0].send("late")
        nest.outer.send(1)
        nest.inners[0].end(.finished)
        nest.outer.end(.finished)
        #expect(nest.inners[1].subscriptions.isEmpty)
        #expect(subscriber.values.isEmpty)
        #expect(subscriber.ends.isEmpty)
    }

    @Test("Subscribes to nothing for a subscriber that cancels at once")
    func cancelledAtOnce() {
        nest.publisher.subscribe(
            AnySubscriber<String, Mishap>(receiveSubscription: { $0.cancel() }))
        #expect(nest.outer.subscriptions.isEmpty)
    }

    @Test("Takes all values, and asks the newest publisher for what was asked for and not sent yet")
    func demand() {
        let subscriber = ScriptedSubscriber<String, Mishap>(.max(3))
        subscribe(subscriber)
        #expect(nest.outer.asked == [.unlimited])
        nest.outer.send(0)
        #expect(nest.inners[0].asked == [.max(3)])
        nest.inners[0].send("a")
        nest.outer.send(1)
        #expect(nest.inners[1].asked == [.max(2)])
        subscriber.request(.max(4))
        #expect(nest.inners[1].asked == [.max(2), .max(4)])
        #expect(nest.inners[0].asked == [.max(3)])
    }

    @Test("Asks a publisher for nothing before the subscriber asks")
    func noDemand() {
        let subscriber = ScriptedSubscriber<String, Mishap>(.none)
        subscribe(subscriber)
        nest.outer.send(0)
        #expect(nest.inners[0].asked.isEmpty)
        subscriber.request(.max(1))
        #expect(nest.inners[0].asked == [.max(1)])
    }

    @Test("What a publisher sends without being asked waits until it is, or until a newer value comes")
    func unasked() {
        let subscriber = ScriptedSubscriber<String, Mishap>(.none)
        subscribe(subscriber)
        nest.outer.send(0)
        nest.inners[0].send("a")
        nest.inners[0].send("b")
        #expect(subscriber.values.isEmpty)
        subscriber.request(.max(1))
        #expect(subscriber.values == ["a"])
        nest.outer.send(1)
        subscriber.request(.max(1))
        #expect(subscriber.values == ["a"])
        #expect(nest.inners[1].asked == [.max(1)])
    }

    @Test("What a subscriber asks for as it receives goes to a publisher that it brought about meanwhile")
    func demandAcrossSwitch() {
        let nest = nest
        let subscriber = ScriptedSubscriber<String, Mishap>(.max(1)) { value in
            if value == "a" { nest.outer.send(1) }
            return .max(5)
        }
        subscribe(subscriber)
        nest.outer.send(0)
        nest.inners[0].send("a")
        #expect(nest.inners[1].asked == [.max(5)])
        #expect(nest.inners[0].asked == [.max(1)])
    }

    @Test("Values never nest: what a subscriber brings about as it receives comes after")
    func reentrant() {
        let nest = nest
        let subscriber = ScriptedSubscriber<String, Mishap> { value in
            if value == "a" {
                nest.inners[0].send("b")
                nest.inners[0].send("c")
            }
            return .none
        }
        subscribe(subscriber)
        nest.outer.send(0)
        nest.inners[0].send("a")
        #expect(subscriber.values == ["a", "b", "c"])
        #expect(!subscriber.wasNested)
    }

    @Test("What waits of an older publisher is dropped when the subscriber brings about a newer value")
    func reentrantSwitch() {
        let nest = nest
        let subscriber = ScriptedSubscriber<String, Mishap> { value in
            if value == "a" {
                nest.inners[0].send("dropped")
                nest.outer.send(1)
                nest.inners[1].send("b")
            }
            return .none
        }
        subscribe(subscriber)
        nest.outer.send(0)
        nest.inners[0].send("a")
        #expect(subscriber.values == ["a", "b"])
        #expect(!subscriber.wasNested)
    }

    @Test("A publisher whose value was followed by another as it was made is not subscribed to")
    func reentrantTransform() {
        let nest = nest
        let subscriber = ScriptedSubscriber<String, Mishap>()
        nest.outer.flatMapLatest { value -> ScriptedPublisher<String, Mishap> in
            if value == 0 { nest.outer.send(1) }
            return nest.inners[value]
        }.subscribe(subscriber)
        nest.outer.send(0)
        #expect(nest.inners[0].subscriptions.isEmpty)
        nest.inners[1].send("b")
        #expect(subscriber.values == ["b"])
    }

    @Test("A subscriber that cancels as it receives gets nothing more, and all is cancelled")
    func cancelsInside() {
        let (nest, holder) = (nest, Recorder<ScriptedSubscriber<String, Mishap>>())
        let subscriber = ScriptedSubscriber<String, Mishap> { _ in
            nest.inners[0].send("b")
            holder.all[0].cancel()
            return .unlimited
        }
        holder.append(subscriber)
        subscribe(subscriber)
        nest.outer.send(0)
        nest.inners[0].send("a")
        #expect(subscriber.values == ["a"])
        #expect(nest.outer.isCancelled)
        #expect(nest.inners[0].isCancelled)
    }

    @Test("Publishers that send and complete as they are subscribed to are sent whole")
    func synchronous() {
        let subscriber = ScriptedSubscriber<Int, Never>()
        [1, 2].publisher.flatMapLatest { [$0, $0 * 10].publisher }.subscribe(subscriber)
        #expect(subscriber.values == [1, 10, 2, 20])
        #expect(subscriber.ends == [.finished])
    }
}
