import PigeonTesting
import TestSupport
import Testing

@testable import PigeonStore

@Suite("The cost of a store")
struct CostTests {
    @Test("F1: the state of a picture is made once, however many receive it")
    func oneState() throws {
        let desk = TextDesk()
        _ = desk.follow(having: "a")
        let client = desk.lab.client
        let core = client.attach(desk.store().store.definition)
        let picture = try #require(client.picture(for: core))
        let made = ShownStateOf<String>.shown(by: picture)
        #expect(ShownStateOf<String>.shown(by: picture) === made)
        #expect(ShownStateOf<String>.state(of: picture).state.word == "a")
        // Another type of data has a state of its own.
        #expect(ShownStateOf<Int>.state(of: picture).state.word == emptied)
        #expect(ShownStateOf<String>.shown(by: picture) === made)
        client.detach(core)
    }

    @Test("F1: a state takes at most 5 locks for each subscriber of a list, whose items are read once")
    func notification() async {
        let desk = ListDesk()
        let store = desk.list()
        let first = store.publish().sink { _ in }
        desk.origin.answer("first", Slice(1, next: "2"))
        _ = desk.lab.start { await store.requestNextData() }
        desk.origin.answer("2", Slice(2))
        let locksForOne = countLocks { desk.lab.invalidate(.all) }
        desk.origin.answer("first", Slice(1, next: "2"))
        let more = (0..<10).map { _ in store.publish().sink { _ in } }
        let locksForMore = countLocks { desk.lab.invalidate(.all) }
        #expect(locksForMore > locksForOne)
        #expect(locksForMore - locksForOne <= 10 * 5, "\(locksForMore) and \(locksForOne)")
        withExtendedLifetime((first, more)) {}
    }

    @Test(
        "F12: subscribing and cancelling take the same locks, however many subscribers a store has",
        arguments: [true, false])
    func subscribers(isPlain: Bool) async throws {
        let desk = TextDesk()
        let cacher = isPlain ? Cacher<Int, String>() : desk.cacher
        let store = AnyStoreFlowable.from(
            cacher: cacher, fetcher: TextFetcher(origin: desk.origin), param: 1, client: desk.lab.client)
        await store.update(newData: "a")
        let states = Recorder<String>()
        var held: [AnyCancellable] = []
        func locks(to count: Int) -> (toSubscribe: Int, toCancel: Int) {
            while held.count < count { held.append(store.publish().sink { states.append($0.word) }) }
            var last: AnyCancellable?
            let toSubscribe = countLocks { last = store.publish().sink { _ in } }
            return (toSubscribe, countLocks { last?.cancel() })
        }
        let (few, many) = (locks(to: 10), locks(to: 500))
        #expect(few.toSubscribe > 0 && few.toCancel > 0)
        #expect(few == many, "\(few), \(many)")
        #expect(states.all == Array(repeating: "a", count: 500))
    }
}
