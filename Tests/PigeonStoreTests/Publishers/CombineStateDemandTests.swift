import PigeonStore
import Testing

@Suite("The newest states of several publishers, for who asks for few")
struct CombineStateDemandTests {
    let a = PassthroughSubject<Text, Broken>()
    let b = PassthroughSubject<Text, Broken>()
    let log = PublisherLog()
    let subscriber = ManualSubscriber<String, Broken>()

    init() {
        a.watched(by: log, "a").combineState(b.watched(by: log, "b")) { $0 + $1 }.receive(subscriber: subscriber)
    }

    private func send(_ states: Text...) {
        for state in states { a.send(state) }
    }

    @Test("Inputs are asked once the subscriber asks, and once only")
    func inputs() {
        #expect(log.take() == ["a subscribed", "b subscribed"])
        subscriber.ask(.max(1))
        subscriber.ask(.max(1))
        #expect(log.take() == ["a asked", "b asked"])
    }

    @Test("As many states are sent as were asked for, and what waits is the newest")
    func newest() {
        subscriber.ask(.max(1))
        b.send(completed("x"))
        send(completed("1"), completed("2"), completed("3"))
        #expect(subscriber.words == ["1x"])
        subscriber.ask(.max(2))
        #expect(subscriber.words == ["1x", "3x"])
        send(completed("4"), completed("5"))
        #expect(subscriber.words == ["1x", "3x", "4x"])
    }

    @Test("What a subscriber asks for as it is given a state counts")
    func asksMeanwhile() {
        subscriber.appetite = .max(1)
        subscriber.ask(.max(1))
        b.send(completed("x"))
        send(completed("1"), completed("2"), completed("3"))
        #expect(subscriber.words == ["1x", "2x", "3x"])
    }

    @Test("Asking for nothing asks for nothing")
    func none() {
        _ = log.take()
        subscriber.ask(.none)
        #expect(log.take() == [])
    }

    @Test("The end waits for a state that nobody asked for yet")
    func end() {
        subscriber.ask(.max(1))
        b.send(completed("x"))
        send(completed("1"), completed("2"))
        a.send(completion: .finished)
        b.send(completion: .finished)
        #expect(subscriber.words == ["1x"])
        subscriber.ask(.max(1))
        #expect(subscriber.words == ["1x", "2x", "finished"])
    }

    @Test("A failure does not wait")
    func failure() {
        subscriber.ask(.max(1))
        b.send(completed("x"))
        send(completed("1"), completed("2"))
        a.send(completion: .failure(Broken("f")))
        #expect(subscriber.words == ["1x", "failed"])
        subscriber.ask(.max(1))
        b.send(completed("y"))
        #expect(subscriber.words == ["1x", "failed"])
    }

    @Test("The end of an input that sent nothing does not wait to be asked")
    func emptyInput() {
        b.send(completion: .finished)
        #expect(subscriber.words == ["finished"])
    }

    @Test("Cancelled, it cancels all inputs, once, and sends nothing more")
    func cancel() {
        subscriber.ask(.unlimited)
        _ = log.take()
        b.send(completed("x"))
        subscriber.subscription?.cancel()
        subscriber.subscription?.cancel()
        #expect(log.take().sorted() == ["a cancelled", "b cancelled"])
        send(completed("1"))
        a.send(completion: .finished)
        b.send(completion: .finished)
        subscriber.ask(.unlimited)
        #expect(subscriber.words == [])
    }

    @Test("A subscriber that cancels as it is subscribed never subscribes the inputs")
    func cancelAtOnce() {
        _ = log.take()
        let combined = a.watched(by: log, "a").combineState(b.watched(by: log, "b")) { $0 + $1 }
        combined.handleEvents(receiveSubscription: { $0.cancel() }).sink(
            receiveCompletion: { _ in }, receiveValue: { _ in }
        ).cancel()
        #expect(log.take() == [])
    }

    @Test("A subscriber may take one and leave, as it is given it")
    func first() {
        let a = CurrentValueSubject<Text, Never>(completed("1"))
        log.follow(a.combineState(a) { $0 + $1 }.first())
        a.send(completed("2"))
        #expect(Array(log.take().suffix(2)) == ["11", "finished"])
    }
}
