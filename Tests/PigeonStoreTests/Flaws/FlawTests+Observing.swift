import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Flaws of StoreFlowable: observing")
struct ObservingFlawTests {
    let desk = TextDesk()
    private var lab: QueryLab { desk.lab }

    private func observers() -> Int { lab.client.entries().map(\.observerCount).reduce(0, +) }

    @Test(
        "nothing begins before somebody follows, and a sequence can be followed again", .rule("C3", "StoreFlowable F15")
    )
    func f15() async {
        let publisher: LoadingStatePublisher<String> = desk.store().publish()
        let sequence: LoadingStateSequence<String> = desk.store().publish(forceRefresh: true)
        _ = sequence.makeAsyncIterator()
        #expect(lab.client.count == 0)
        #expect(desk.origin.asked.isEmpty)
        desk.origin.set { _ in "a" }
        let subscription = publisher.sink { _ in }
        #expect(desk.origin.asked.count == 1)
        for round in 2...3 {
            for await state in sequence {
                #expect(state.word == "a")
                break
            }
            #expect(desk.origin.asked.count == round)
        }
        subscription.cancel()
    }

    @Test("a state has the content of its moment, and comes once", .rule("C6", "StoreFlowable F16"))
    func f16() async {
        let log = desk.follow(having: "a")
        let store = desk.store()
        let slow = ManualSubscriber<String, Never>()
        store.publish().receive(subscriber: slow)
        let refresh = lab.start { await store.refresh() }
        desk.origin.answer("b")
        #expect(refresh.result != nil)
        lab.invalidate(.all, refetch: .none)
        #expect(log.words == ["a…", "b"])
        slow.ask(.max(1))
        #expect(slow.words == ["b"])
        slow.ask(.unlimited)
        #expect(slow.words == ["b"])
        _ = lab.start { await store.refresh() }
        #expect(slow.words == ["b", "b…"])
    }

    @Test(
        "an error after a removal is a new state, also for a subscriber that missed the states in between", .rule("C6"))
    func errorAgain() {
        let (store, slow) = (desk.store(), ManualSubscriber<String, Never>())
        store.publish().receive(subscriber: slow)
        desk.origin.fail(Broken("first"))
        slow.ask(.max(1))
        #expect(slow.words == ["!first"])
        lab.client.remove(.path("texts"))
        lab.settle()
        let refresh = lab.start { await store.refresh() }
        desk.origin.fail(Broken("second"))
        #expect(refresh.result != nil)
        slow.ask(.max(1))
        #expect(slow.words == ["!first", "!second"])
    }

    @Test("leaving the loop ends the observation", .rule("StoreFlowable F17"))
    func f17() async {
        desk.origin.set { _ in "a" }
        for await _ in desk.store().publish() {
            #expect(observers() == 1)
            break
        }
        #expect(observers() == 0)
        for _ in 0..<100 {
            for await _ in desk.store().publish() where observers() == 1 { break }
        }
        #expect(observers() == 0)
    }

    @Test("an error of a fetch is a state of the sequence, which goes on after it", .rule("StoreFlowable F18"))
    func f18() async {
        let store = desk.store()
        desk.origin.set { _ in throw Broken("offline") }
        var words: [String] = []
        for await state in store.publish() {
            words.append(state.word)
            guard state.error != nil else { break }
            desk.origin.set { _ in "a" }
            await store.refresh()
        }
        #expect(words == ["!offline", "a"])
    }

    @Test("stores that are combined are followed for as long as the combination is", .rule("StoreFlowable F20"))
    func f20() async {
        desk.origin.set { $0 }
        let one: LoadingStateSequence<String> = desk.store(1).publish()
        let other: LoadingStateSequence<String> = desk.store(2).publish()
        let combined: LoadingStateSequence<String> = one.combineState(other) { $0 + $1 }
        for await state in combined where state.word == "12" { break }
        await until { observers() == 0 }
        let (seen, gate) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            for await state in combined where state.word == "12" { gate.yield() }
        }
        for await _ in seen { break }
        #expect(observers() == 2)
        reading.cancel()
        await reading.value
        await until { observers() == 0 }
        #expect(observers() == 0)
    }

    @Test("stores that change unequally often are combined by what is newest", .rule("StoreFlowable F28"))
    func f28() async {
        let log = PublisherLog()
        let publisher: LoadingStatePublisher<String> = desk.store(1).publish()
        let other: LoadingStatePublisher<String> = desk.store(2).publish()
        log.follow(publisher.combineState(other) { $0 + $1 })
        desk.origin.answer("1", "a")
        desk.origin.answer("2", "x")
        for text in ["b", "c", "d"] { await desk.store(1).update(newData: text) }
        #expect(log.take().last == "dx")
        await desk.store(2).update(newData: "y")
        #expect(log.take() == ["dy"])
        log.cancel()
        #expect(observers() == 0)
    }
}
