import PigeonREST
import TestSupport
import Testing

@Suite("combineLatest")
struct CombineLatestTests {
    private let first = ScriptedPublisher<Int, Mishap>()
    private let second = ScriptedPublisher<String, Mishap>()
    private let subscriber = ScriptedSubscriber<String, Mishap>()

    private func subscribe(_ subscriber: ScriptedSubscriber<String, Mishap>) {
        first.combineLatest(second) { "\($0)\($1)" }.subscribe(subscriber)
    }

    @Test("Sends the newest values, once there is one of each, whenever either comes")
    func newest() {
        subscribe(subscriber)
        first.send(1)
        first.send(2)
        second.send("a")
        second.send("b")
        first.send(3)
        #expect(subscriber.values == ["2a", "2b", "3b"])
    }

    @Test("Combines three and four as well, with and without a transform")
    func more() {
        let heard = Recorder<String>()
        let (a, b, c) = (Just(1), Just("b"), Just(true))
        let subscriptions = [
            a.combineLatest(b, c).sink { heard.append("\($0.0)\($0.1)\($0.2)") },
            a.combineLatest(b, c) { "\($0)\($1)\($2)" }.sink { heard.append($0) },
            a.combineLatest(b, c, a).sink { heard.append("\($0.0)\($0.1)\($0.2)\($0.3)") },
            a.combineLatest(b, c, a) { "\($0)\($1)\($2)\($3)" }.sink { heard.append($0) },
        ]
        #expect(heard.all == ["1btrue", "1btrue", "1btrue1", "1btrue1"])
        subscriptions.forEach { $0.cancel() }
    }

    @Test("Completes when both have")
    func completes() {
        subscribe(subscriber)
        first.send(1)
        first.end(.finished)
        second.send("a")
        second.send("b")
        #expect(subscriber.ends.isEmpty)
        second.end(.finished)
        #expect(subscriber.values == ["1a", "1b"])
        #expect(subscriber.ends == [.finished])
    }

    @Test("Fails as soon as either does, and cancels the other")
    func fails() {
        subscribe(subscriber)
        first.send(1)
        second.end(.failure(Mishap()))
        #expect(subscriber.ends == [.failure(Mishap())])
        #expect(first.isCancelled)
        second.send("late")
        #expect(subscriber.values.isEmpty)
    }

    @Test("cancelling cancels both, and nothing comes after", .rule("Siesta C6"))
    func cancels() {
        subscribe(subscriber)
        second.send("a")
        subscriber.cancel()
        #expect(first.isCancelled)
        #expect(second.isCancelled)
        first.send(1)
        first.end(.finished)
        second.end(.finished)
        #expect(subscriber.values.isEmpty)
        #expect(subscriber.ends.isEmpty)
    }

    #if !canImport(Combine)
        @Test("Ends as soon as nothing can come any more")
        func endsEarly() {
            subscribe(subscriber)
            first.end(.finished)
            #expect(subscriber.ends == [.finished])
            #expect(second.isCancelled)
        }

        @Test("a subscriber without demand finds the newest values when it asks, and no older ones", .rule("Siesta C2"))
        func demand() {
            let subscriber = ScriptedSubscriber<String, Mishap>(.none)
            subscribe(subscriber)
            first.send(1)
            second.send("a")
            second.send("b")
            #expect(subscriber.values.isEmpty)
            subscriber.request(.max(2))
            #expect(subscriber.values == ["1b"])
            first.send(2)
            first.send(3)
            first.end(.finished)
            second.end(.finished)
            #expect(subscriber.values == ["1b", "2b"])
            #expect(subscriber.ends.isEmpty)
            subscriber.request(.max(1))
            #expect(subscriber.values == ["1b", "2b", "3b"])
            #expect(subscriber.ends == [.finished])
        }

        @Test("Values never nest: what a subscriber brings about as it receives comes after, all of it")
        func reentrant() {
            let first = first
            let subscriber = ScriptedSubscriber<String, Mishap> { value in
                if value == "1a" {
                    first.send(2)
                    first.send(3)
                }
                return .none
            }
            subscribe(subscriber)
            first.send(1)
            second.send("a")
            #expect(subscriber.values == ["1a", "2a", "3a"])
            #expect(!subscriber.wasNested)
        }
    #endif
}
