import PigeonREST
import TestSupport
import Testing

@Suite("withLatestFrom")
struct WithLatestFromTests {
    private let main = ScriptedPublisher<Int, Mishap>()
    private let other = ScriptedPublisher<String, Mishap>()
    private let subscriber = ScriptedSubscriber<String, Mishap>()

    private func subscribe(_ subscriber: ScriptedSubscriber<String, Mishap>) {
        main.withLatestFrom(other) { "\($0)\($1)" }.subscribe(subscriber)
    }

    @Test("Sends each value with the newest of the other publisher, and nothing when only that sends")
    func pairs() {
        subscribe(subscriber)
        main.send(0)
        other.send("a")
        main.send(1)
        other.send("b")
        other.send("c")
        main.send(2)
        main.send(3)
        #expect(subscriber.values == ["1a", "2c", "3c"])
    }

    @Test("Without a selector, sends the other publisher's newest value")
    func withoutSelector() {
        main.withLatestFrom(other).subscribe(subscriber)
        other.send("a")
        main.send(1)
        #expect(subscriber.values == ["a"])
    }

    @Test("Asks for values once there is one of the other publisher: those that wait to be asked are not lost")
    func demand() {
        let subscriber = ScriptedSubscriber<String, Mishap>(.max(2))
        subscribe(subscriber)
        #expect(other.asked == [.unlimited])
        #expect(main.asked.isEmpty)
        other.send("a")
        #expect(main.asked == [.max(2)])
        other.send("b")
        subscriber.request(.max(1))
        #expect(main.asked == [.max(2), .max(1)])
    }

    @Test("What a subscriber asks for as it receives is asked for")
    func demandInside() {
        let subscriber = ScriptedSubscriber<String, Mishap>(.max(1)) { _ in .max(1) }
        subscribe(subscriber)
        other.send("a")
        main.send(1)
        #expect(main.asked == [.max(1), .max(1)])
    }

    @Test("A value that is there at once is taken with one of the other that comes later")
    func justInTime() {
        let subscriber = ScriptedSubscriber<String, Never>()
        let other = ScriptedPublisher<String, Never>()
        Just(1).withLatestFrom(other) { "\($0)\($1)" }.subscribe(subscriber)
        #expect(subscriber.values.isEmpty)
        other.send("a")
        #expect(subscriber.values == ["1a"])
        #expect(subscriber.ends == [.finished])
    }

    @Test("Completes with the values, and lets go of the other publisher")
    func completes() {
        subscribe(subscriber)
        main.end(.finished)
        #expect(subscriber.ends == [.finished])
        #expect(other.isCancelled)
    }

    @Test("The other publisher may complete: its newest value stays")
    func otherCompletes() {
        subscribe(subscriber)
        other.send("a")
        other.end(.finished)
        main.send(1)
        #expect(subscriber.values == ["1a"])
        #expect(subscriber.ends.isEmpty)
    }

    @Test("Fails as soon as the other publisher does, and cancels the values")
    func otherFails() {
        subscribe(subscriber)
        other.end(.failure(Mishap()))
        #expect(subscriber.ends == [.failure(Mishap())])
        #expect(main.isCancelled)
    }

    @Test("Fails as soon as the values do, and cancels the other publisher")
    func mainFails() {
        subscribe(subscriber)
        main.end(.failure(Mishap()))
        #expect(subscriber.ends == [.failure(Mishap())])
        #expect(other.isCancelled)
    }

    @Test("cancelling cancels both, and nothing comes after", .rule("Siesta C6"))
    func cancels() {
        subscribe(subscriber)
        other.send("a")
        subscriber.cancel()
        #expect(main.isCancelled)
        #expect(other.isCancelled)
        main.send(1)
        main.end(.finished)
        #expect(subscriber.values.isEmpty)
        #expect(subscriber.ends.isEmpty)
    }

    @Test("Subscribes to nothing for a subscriber that cancels at once")
    func cancelledAtOnce() {
        main.withLatestFrom(other).subscribe(
            AnySubscriber<String, Mishap>(receiveSubscription: { $0.cancel() }))
        #expect(main.subscriptions.isEmpty)
        #expect(other.subscriptions.isEmpty)
    }

    @Test("Values never nest: what a subscriber brings about as it receives comes after, with what is newest then")
    func reentrant() {
        let (main, other) = (main, other)
        let subscriber = ScriptedSubscriber<String, Mishap> { value in
            if value == "1a" {
                other.send("b")
                main.send(2)
            }
            return .none
        }
        subscribe(subscriber)
        other.send("a")
        main.send(1)
        #expect(subscriber.values == ["1a", "2b"])
        #expect(!subscriber.wasNested)
    }
}
