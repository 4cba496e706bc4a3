import PigeonTesting
import TestSupport
import Testing

@testable import PigeonStore

@Suite("The cost of a store")
struct CostTests {
    @Test("the state of a picture is made once, however many receive it", .rule("F1"))
    func oneState() throws {
        let desk = TextDesk()
        _ = desk.follow(having: "a")
        let client = desk.lab.client
        let definition = desk.store().store.definition
        let core = client.attach(definition)
        let entryState = try #require(client.entryState(of: definition.key, as: StoreContent<String>.self))
        let made = ShownStateOf<String>.shown(by: entryState)
        #expect(ShownStateOf<String>.shown(by: entryState) === made)
        #expect(ShownStateOf<String>.state(of: entryState).state.word == "a")
        // Another type of data has a state of its own.
        #expect(ShownStateOf<Int>.state(of: entryState).state.word == emptied)
        #expect(ShownStateOf<String>.shown(by: entryState) === made)
        client.detach(core)
    }

    @Test("a state takes at most 5 locks for each subscriber of a list, whose items are read once", .rule("F1"))
    func notification() async {
        let desk = StoreLab()
        let store = desk.list()
        let first = store.publish().sink { _ in }
        desk.origin.answer("first", Page(1, next: "2"))
        _ = desk.lab.start { await store.requestNextData() }
        desk.origin.answer("2", Page(2))
        let locksForOne = countLocks { desk.lab.invalidate(.all) }
        desk.origin.answer("first", Page(1, next: "2"))
        let more = (0..<10).map { _ in store.publish().sink { _ in } }
        let locksForMore = countLocks { desk.lab.invalidate(.all) }
        #expect(locksForMore > locksForOne)
        #expect(locksForMore - locksForOne <= 10 * 5, "\(locksForMore) and \(locksForOne)")
        withExtendedLifetime((first, more)) {}
    }

    @Test(
        "subscribing and cancelling take the same locks, however many subscribers a store has", .rule("F12"),
        arguments: [true, false])
    func subscribers(isPlain: Bool) async throws {
        let desk = TextDesk()
        let store = store(desk, isPlain ? Cacher() : desk.cacher)
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

    private func store(_ desk: TextDesk, _ cacher: Cacher<Int, String>) -> AnyStoreFlowable<Int, String> {
        .from(cacher: cacher, fetcher: TextFetcher(origin: desk.origin), param: 1, client: desk.lab.client)
    }

    @Test(
        "reading cached data again takes at least 3 locks fewer than to wait for a reading, and at most 12", .rule("F7")
    )
    func reading() async {
        let desk = TextDesk()
        let store = store(desk, Cacher())
        await store.update(newData: "a")
        let first = desk.lab.start { await store.getData() }
        var again: LabTask<String?>?
        let count = countLocks { again = desk.lab.start { await store.getData() } }
        let countOfWaiting = countLocks { _ = desk.lab.start { await store.validate() } }
        #expect(first.value == "a" && again?.value == "a")
        #expect(count > 0 && count <= min(12, countOfWaiting - 3), "\(count) and \(countOfWaiting)")
    }

    @Test("data that is read again is what the cache has, and is fetched if that is not valid", .rule("F7"))
    func outdated() async throws {
        let desk = TextDesk()
        desk.origin.set { _ in "fetched \(desk.origin.asked.count)" }
        let cacher = Cacher<Int, String>()
        let store = store(desk, cacher)
        await store.update(newData: "a")
        #expect(await store.getData() == "a")
        #expect(await store.getData() == "a")
        try await cacher.saveData(data: "b", param: 1)
        #expect(await store.getData() == "b")
        #expect(desk.origin.asked.isEmpty)
        desk.lab.invalidate(.all, refetch: .none)
        #expect(await store.getData() == "fetched 1")
        #expect(await store.getData() == "fetched 1")
        await store.clear()
        #expect(await store.getData() == "fetched 2")
        try await cacher.saveDataCachedAt(epochSeconds: 0, param: 1)
        #expect(await store.getData() == "fetched 3")
        #expect(await store.getData() == "fetched 3")
    }

    @Test("data that is read again after a fetch has failed is fetched, though it is valid", .rule("F7"))
    func failed() async {
        let desk = TextDesk()
        let store = store(desk, Cacher())
        await store.update(newData: "a")
        desk.origin.set { _ in throw Broken("no network") }
        await store.refresh()
        desk.origin.set { _ in "b" }
        #expect(await store.getData() == "b")
    }

    @Test("data that is read again waits for a fetch in flight", .rule("F7"))
    func fetching() async {
        let desk = TextDesk()
        let store = store(desk, Cacher())
        await store.update(newData: "a")
        #expect(await store.getData() == "a")
        let refresh = desk.lab.start { await store.refresh() }
        let reading = desk.lab.start { await store.getData() }
        #expect(reading.value == nil)
        desk.origin.answer("b")
        #expect(refresh.value != nil)
        #expect(reading.value == "b")
    }

    @Test("an entry is kept for its whole time after its data was read again", .rule("F7"))
    func unusedTime() async {
        let desk = TextDesk()
        let store = store(desk, Cacher())
        await store.update(newData: "a")
        for _ in 0..<3 {
            #expect(await store.getData() == "a")
            desk.lab.advance(by: .seconds(299))
            #expect(desk.lab.client.count == 1)
        }
        desk.lab.advance(by: .seconds(1))
        #expect(desk.lab.client.count == 0)
    }
}
