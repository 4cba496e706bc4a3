import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Stores that share")
struct SharingTests {
    let desk = TextDesk()
    private var lab: QueryLab { desk.lab }

    @Test("stores of one key are one: one fetch, one state, one name")
    func oneKey() async {
        let logs = [StoreLog(desk.store()), StoreLog(desk.store())]
        #expect(desk.origin.asked.count == 1)
        desk.origin.answer("a")
        await desk.store().update(newData: "b")
        for log in logs { #expect(log.words == ["…", "a", "b"]) }
        #expect(desk.store().queryKey == QueryKey("texts", 1))
        #expect(lab.client.count == 1)
        #expect(StoreLog(desk.store(2)).words == ["…"])
        #expect(lab.client.count == 2)
    }

    @Test("a store outlives the one that began, and its fetcher serves from then on")
    func newerFetcher() async {
        let log = desk.follow(having: "a")
        let newer = Origin<String>(lab) { _ in "newer" }
        let store = AnyStoreFlowable.from(
            cacher: desk.cacher, fetcher: TextFetcher(origin: newer), param: 1, client: lab.client)
        await store.refresh()
        #expect(log.words == ["a…", "newer"])
        #expect(desk.origin.asked.count == 1)
    }

    @Test("two clients have states of their own over one cache")
    func twoClients() async throws {
        let other = QueryClient(environment: lab.environment)
        let log = desk.follow(having: "a")
        let otherLog = StoreLog(desk.store(client: other))
        #expect(otherLog.words == ["a"])
        #expect(desk.origin.asked.count == 1)
        let refresh = lab.start { await desk.store(client: other).refresh() }
        desk.origin.answer("b")
        #expect(refresh.result != nil)
        #expect(otherLog.words == ["a", "a…", "b"])
        #expect(log.words.isEmpty)
        #expect(await desk.store().getData(from: .cache) == "b")
        await desk.store().validate()
        #expect(log.words == ["b"])
    }

    @Test("two clients use one cache in turn, and clearing the cacher reaches both")
    func twoClientsInTurn() async throws {
        let other = QueryClient(environment: lab.environment)
        let cacher = SlowCacher(lab)
        let origin = Origin<String>(lab) { _ in "a" }
        let mine = StoreLog(cacher.store(lab, origin))
        let others = AnyStoreFlowable.from(
            cacher: cacher, fetcher: TextFetcher(origin: origin), param: 1, client: other)
        let log = StoreLog(others)
        cacher.hold("save")
        let first = lab.start { await cacher.store(lab, origin).update(newData: "mine") }
        let second = lab.start { await others.update(newData: "theirs") }
        #expect(cacher.gate.waiting == ["save"])
        cacher.gate.answerAll(())
        #expect(first.result != nil && second.result != nil)
        #expect(mine.last == "mine")
        #expect(log.last == "theirs")
        #expect(try await cacher.loadData(param: 1) == "theirs")
        cacher.hold()
        cacher.clear()
        lab.settle()
        #expect(mine.last == emptied)
        #expect(log.last == emptied)
    }

    @Test("a cache that tells of changes brings them to the stores of all clients")
    func changes() async {
        let subject = PassthroughSubject<Void, Never>()
        let changes = subject.eraseToAnyPublisher()
        let factory = TextFactory(drawer: Drawer("a"), changes: { [sent = Sent(changes)] in sent.publisher })
        let first = EventRecorder(lab.client)
        let logs = [lab.client, QueryClient(environment: lab.environment)].map {
            StoreLog(factory.create(client: $0))
        }
        factory.drawer.text = "b"
        subject.send()
        lab.settle()
        for log in logs { #expect(log.words == ["a", "b"]) }
        factory.drawer.text = nil
        subject.send()
        lab.settle()
        for log in logs { #expect(log.last == emptied) }
        #expect(first.lines.filter { $0 == "texts/1 written (source changed)" }.count == 2)
        #expect(lab.log.filter { $0 == "texts/1 written (source changed)" }.count == 4, "the lab hears all clients")
    }

    @Test("keys whose texts are alike stay apart")
    func alikeKeys() {
        struct Key: Hashable, Sendable, CustomStringConvertible {
            let id: Int
            var description: String { "key" }
        }
        struct KeyFetcher: PigeonStore.Fetcher {
            func fetch(param: Key) async throws -> Int { param.id }
        }
        let cacher = Cacher<Key, Int>(expireSeconds: .infinity, queryKey: "alike")
        let stores = (1...3).map {
            AnyStoreFlowable.from(cacher: cacher, fetcher: KeyFetcher(), param: Key(id: $0), client: lab.client)
        }
        #expect(Set(stores.map(\.queryKey)).count == 3)
        #expect(stores.map { StoreLog($0).words } == [["…", "1"], ["…", "2"], ["…", "3"]])
        lab.invalidate(.path("alike"), refetch: .none)
        #expect(lab.client.entries(matching: .path("alike")).count == 3)
    }

    @Test("lists of one manager and one key that hold different data go on with their own pages")
    func alikeLists() async throws {
        let manager = TextManager(queryKey: "lists")
        let texts = ListFactory(manager, ["a"], nextKey: "b")
        let numbers = ListFactory(manager, [1], nextKey: "2")
        let (one, other) = (texts.create(client: lab.client), numbers.create(client: lab.client))
        #expect(try await one.requireData() == ["a"])
        #expect(try await other.requireData() == [1])
        #expect(await one.requestNextData().error == nil)
        #expect(await other.requestNextData().error == nil)
        #expect(texts.asked.all == ["b"])
        #expect(numbers.asked.all == ["2"])
    }

    @Test("kinds of data whose types are named alike stay apart")
    func alikeTypes() async throws {
        let first = Cacher<Int, String>()
        let second = Cacher<Int, String>()
        #expect(first.queryKey != second.queryKey)
    }
}

private struct Sent: @unchecked Sendable {  // the publisher is subscribed to and sends on the test's thread alone
    let publisher: AnyPublisher<Void, Never>
    init(_ publisher: AnyPublisher<Void, Never>) { self.publisher = publisher }
}

/// Makes the store of a list of two equal pages. Leaves the keys of its pages to its manager.
private final class ListFactory<Item: Sendable>: PaginationStoreFlowableFactory {
    let key = 1
    let flowableDataStateManager: FlowableDataStateManager<Int>
    /// The keys of the pages that were requested.
    let asked = Recorder<String>()
    private let items: [Item]
    private let nextKey: String
    private let cached = Locked<[Item]?>(nil)

    init(_ manager: FlowableDataStateManager<Int>, _ items: [Item], nextKey: String) {
        flowableDataStateManager = manager
        self.items = items
        self.nextKey = nextKey
    }

    func loadDataFromCache() -> AnyPublisher<[Item]?, Never> { Just(cached.withLock { $0 }).eraseToAnyPublisher() }

    func saveDataToCache(newData: [Item]?) -> AnyPublisher<Void, Never> {
        cached.withLock { $0 = newData }
        return Just(()).eraseToAnyPublisher()
    }

    func saveNextDataToCache(cachedData: [Item], newData: [Item]) -> AnyPublisher<Void, Never> {
        saveDataToCache(newData: cachedData + newData)
    }

    func needRefresh(cachedData: [Item]) -> AnyPublisher<Bool, Never> { Just(false).eraseToAnyPublisher() }

    func fetchDataFromOrigin() -> AnyPublisher<Fetched<[Item]>, any Error> { answer(nextKey: nextKey) }

    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<[Item]>, any Error> {
        asked.append(nextKey)
        return answer(nextKey: nil)
    }

    private func answer(nextKey: String?) -> AnyPublisher<Fetched<[Item]>, any Error> {
        Just(Fetched(data: items, nextKey: nextKey)).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
}
