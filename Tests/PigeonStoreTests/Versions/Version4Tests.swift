import PigeonStore
import PigeonTesting
import TestSupport
import Testing

// The declarations that code of version 4 needs.
private typealias StoreFlowable = StoreFlowableV4
private typealias PaginationStoreFlowable = PaginationStoreFlowableV4
private typealias TwoWayPaginationStoreFlowable = TwoWayPaginationStoreFlowableV4
private typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV4<DATA>
private typealias AnyPaginationStoreFlowable<DATA: Sendable> = AnyPaginationStoreFlowableV4<DATA>
private typealias AnyTwoWayPaginationStoreFlowable<DATA: Sendable> = AnyTwoWayPaginationStoreFlowableV4<DATA>
private typealias Cacher = CacherV4
private typealias PaginationCacher = PaginationCacherV4
private typealias TwoWayPaginationCacher = TwoWayPaginationCacherV4

@Suite("Code of StoreFlowable 4")
struct Version4Tests {
    private final class NoteCacher: Cacher<Int, String>, @unchecked Sendable {  // the lock guards its property
        private let saved = Locked<[String]>([])

        var notes: [String] { saved.withLock { $0 } }

        override func saveData(data: String?, param: Int) async {
            saved.withLock { $0.append(data ?? "nil") }
            await super.saveData(data: data, param: param)
        }

        override func needRefresh(cachedData: String, param: Int) async -> Bool {
            if cachedData == "old" { return true }
            return await super.needRefresh(cachedData: cachedData, param: param)
        }
    }

    private final class ListCacher: PaginationCacher<Int, Int>, @unchecked Sendable {  // it adds no property
        override func saveNextData(cachedData: [Int], newData: [Int], param: Int) async {
            await super.saveNextData(cachedData: cachedData, newData: newData + [0], param: param)
        }

        override func loadNextRequestKey(param: Int) async -> String? {
            await super.loadNextRequestKey(param: param)
        }
    }

    private final class FeedCacher: TwoWayPaginationCacher<Int, Int>, @unchecked Sendable {  // it adds no property
        override func savePrevData(cachedData: [Int], newData: [Int], param: Int) async {
            await super.savePrevData(cachedData: cachedData, newData: newData + [0], param: param)
        }
    }

    private struct NoteFetcher: Fetcher {
        func fetch(param: Int) async throws -> String { "note \(param)" }
    }

    private struct OnlyFetcher: Fetcher {
        func fetch(param: UnitHash) async throws -> String { "only" }
    }

    let lab = QueryLab()
    let desk = StoreLab()

    @Test("A store is named by its data alone, and publishes a sequence that may be kept first", .rule("U17"))
    func plain() async throws {
        let cacher = NoteCacher()
        await cacher.saveData(data: "old", param: 1)
        let store: AnyStoreFlowable<String> = AnyStoreFlowable.from(
            cacher: cacher, fetcher: NoteFetcher(), param: 1, client: lab.client)
        let states = store.publish()
        var seen: [String] = []
        for await state in states {
            seen.append(state.word)
            if case .completed = state { break }
        }
        #expect(seen.last == "note 1")
        await store.update(newData: "mine")
        #expect(await store.getData() == "mine")
        #expect(try await store.requireData(from: .cache) == "mine")
        #expect(await cacher.loadData(param: 1) == "mine")
        await store.clear()
        #expect(await store.getData(from: .cache) == nil)
        #expect(cacher.notes == ["old", "note 1", "mine", "nil"])
    }

    @Test("A store of the only piece of data of its kind needs no param", .rule("U17"))
    func only() async throws {
        let store = AnyStoreFlowable.from(
            cacher: Cacher<UnitHash, String>(), fetcher: OnlyFetcher(), client: lab.client)
        let states: LoadingStateSequence<String> = store.publish(forceRefresh: true)
        let words = states.mapContent { $0 + "!" }
        let iterator = words.makeAsyncIterator()
        while let state = await iterator.next() {
            guard case .completed(let content, _, _) = state else { continue }
            #expect(content == "only!")
            break
        }
    }

    @Test("A store of version 4 fetches again if its states are forced to be fresh, and only then", .rule("U17"))
    func forced() async {
        let store: AnyStoreFlowable<String> = AnyStoreFlowable.from(
            cacher: NoteCacher(), fetcher: NoteFetcher(), param: 1, client: lab.client)
        await store.update(newData: "mine")
        for (isForced, expected) in [(false, "mine"), (true, "note 1")] {
            for await state in store.publish(forceRefresh: isForced) {
                guard case .completed(let content, _, _) = state else { continue }
                #expect(content == expected)
                break
            }
        }
    }

    @Test("Lists grow at one side or at both, and their cachers may call super without try", .rule("U17"))
    func lists() async throws {
        let fetcher = ListFetcher(origin: desk.origin)
        desk.origin.set { key in key == "first" ? Page(1, next: "n", prev: "p") : Page(2) }
        let list: AnyPaginationStoreFlowable<[Int]> = AnyStoreFlowable.from(
            cacher: ListCacher(), fetcher: fetcher, param: 1, client: desk.lab.client)
        #expect(try await list.requireData() == [1])
        await list.requestNextData()
        #expect(try await list.requireData() == [1, 2, 0])
        await list.update(newData: [5], nextKey: "m")
        await list.requestNextData(continueWhenError: false)
        #expect(try await list.requireData() == [5, 2, 0])

        let feed: AnyTwoWayPaginationStoreFlowable<[Int]> = AnyStoreFlowable.from(
            cacher: FeedCacher(), fetcher: TwoWayListFetcher(origin: desk.origin), param: 1, client: desk.lab.client)
        #expect(try await feed.requireData() == [1])
        await feed.requestPrevData()
        await feed.requestNextData()
        #expect(try await feed.requireData() == [2, 0, 1, 2])
        await feed.update(newData: [9], prevKey: "p")
        await feed.requestPrevData()
        #expect(try await feed.requireData() == [2, 0, 9])
        await feed.update(newData: [8], nextKey: "", prevKey: "")
        #expect(try await feed.requireData() == [8])
    }

    @Test("Cachers of version 4 that override nothing keep everything in memory, read at once", .rule("U17"))
    func memory() async throws {
        let cacher = TwoWayPaginationCacher<Int, Int>()
        #expect(cacher.keepsDataInMemory)
        #expect(PaginationCacher<Int, Int>().keepsDataInMemory)
        #expect(!FeedCacher().keepsDataInMemory)
        await cacher.saveData(data: [3], param: 1)
        await cacher.saveDataCachedAt(epochSeconds: 1, param: 1)
        await cacher.saveNextRequestKey(requestKey: "n", param: 1)
        await cacher.savePrevRequestKey(requestKey: "p", param: 1)
        #expect(await cacher.loadDataCachedAt(param: 1) == 1)
        #expect(await cacher.needRefresh(cachedData: [3], param: 1) == false)
        let feed = AnyStoreFlowable.from(
            cacher: cacher, fetcher: TwoWayListFetcher(origin: desk.origin), param: 1, client: desk.lab.client)
        let log = StoreLog(feed)
        #expect(log.words == ["[3] more more"])
        #expect(await cacher.loadNextRequestKey(param: 1) == "n")
        #expect(await cacher.loadPrevRequestKey(param: 1) == "p")
        cacher.clear()
        #expect(await cacher.loadData(param: 1) == nil)
        #expect(log.last == emptied)
    }

    @Test("Stores and cachers of version 4 are freed", .rule("U17"))
    func lifetimes() {
        #expect(isFreed { Cacher<Int, String>() })
        #expect(isFreed { PaginationCacher<Int, Int>() })
        #expect(
            isFreed { () -> TwoWayPaginationCacher<Int, Int> in
                let cacher = TwoWayPaginationCacher<Int, Int>()
                let feed: AnyTwoWayPaginationStoreFlowable<[Int]> = AnyStoreFlowable.from(
                    cacher: cacher, fetcher: TwoWayListFetcher(origin: desk.origin), param: 1, client: desk.lab.client)
                _ = feed.publish()
                return cacher
            })
    }

    /// A fake store, as previews and tests of version 4 declare it.
    private final class FakeFeed: TwoWayPaginationStoreFlowable {
        let data: [Int]
        let asked = Locked<[String]>([])

        init(data: [Int]) { self.data = data }

        func publish(forceRefresh: Bool) -> LoadingStateSequence<[Int]> {
            let (data, more) = (data, AdditionalLoadingState.fixed(canRequestAdditionalData: true))
            return LoadingStateSequence(
                AsyncStream { continuation in
                    continuation.yield(.completed(content: data, next: more, prev: more))
                    continuation.finish()
                })
        }
        func getData(from: GettingFrom) async -> [Int]? { data }
        func requireData(from: GettingFrom) async throws -> [Int] { data }
        func validate() async { note("validate") }
        func refresh() async { note("refresh") }
        func update(newData: [Int]?) async { note("update") }
        func clear() async { note("clear") }
        func requestNextData(continueWhenError: Bool) async { note("next \(continueWhenError)") }
        func update(newData: [Int]?, nextKey: String?) async { note("update next \(nextKey ?? "-")") }
        func requestPrevData(continueWhenError: Bool) async { note("prev \(continueWhenError)") }
        func update(newData: [Int]?, nextKey: String?, prevKey: String?) async {
            note("update next \(nextKey ?? "-") prev \(prevKey ?? "-")")
        }

        private func note(_ text: String) { asked.withLock { $0.append(text) } }
    }

    /// Uses a store of any type, as a view model does.
    private func use<Store: TwoWayPaginationStoreFlowable>(_ store: Store) async throws -> [Int]
    where Store.DATA == [Int] {
        let states = store.publish()
        var shown: [Int] = []
        for await state in states {
            guard case .completed(let content, _, _) = state else { continue }
            shown = content
            break
        }
        await store.validate()
        await store.requestNextData()
        await store.requestPrevData(continueWhenError: false)
        await store.update(newData: shown, prevKey: "p")
        #expect(await store.getData() != nil)
        return try await shown + store.requireData()
    }

    @Test("A fake with async functions alone takes the place of a store", .rule("U17"))
    func fakes() async throws {
        let fake = FakeFeed(data: [1, 2])
        #expect(try await use(fake) == [1, 2, 1, 2])
        #expect(fake.asked.withLock { $0 } == ["validate", "next true", "prev false", "update next - prev p"])
        desk.origin.set { _ in Page(4) }
        let feed: AnyTwoWayPaginationStoreFlowable<[Int]> = AnyStoreFlowable.from(
            cacher: FeedCacher(), fetcher: TwoWayListFetcher(origin: desk.origin), param: 1, client: desk.lab.client)
        #expect(try await use(feed) == [4, 4])
        let any: any StoreFlowable<[Int]> = fake
        #expect(await any.getData() == [1, 2])
    }
}
