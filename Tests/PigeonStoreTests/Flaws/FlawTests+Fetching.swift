import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Flaws of StoreFlowable: fetching")
struct FetchingFlawTests {
    let desk = TextDesk()
    private var lab: QueryLab { desk.lab }

    @Test("those who ask while the cache is being read share one fetch", .rule("StoreFlowable F1"))
    func f1() async throws {
        let cacher = SlowCacher(lab)
        cacher.hold("load")
        let store = cacher.store(lab, desk.origin)
        let logs = [StoreLog(store), StoreLog(store, forceRefresh: true)]
        let refresh = lab.start { await store.refresh() }
        let required = lab.start { try await store.requireData() }
        cacher.hold()
        cacher.gate.answerAll(())
        #expect(desk.origin.asked == ["1"])
        desk.origin.answer("a")
        #expect(logs.map(\.last) == ["a", "a"])
        #expect(required.value == "a")
        #expect(refresh.result != nil)
        #expect(desk.origin.asked.count == 1)
    }

    @Test("of many threads that make the first store of a key, none is deaf", .rule("StoreFlowable F2"))
    func f2() async throws {
        let cacher = Cacher<Int, String>()
        let client = QueryClient()
        let fetcher = TextFetcher(origin: Origin(lab) { "fetched \($0)" })
        for param in 0..<20 {
            let logs = await withTaskGroup(of: StoreLog.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let store = AnyStoreFlowable.from(
                            cacher: cacher, fetcher: fetcher, param: param, client: client)
                        return StoreLog(store)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let store = AnyStoreFlowable.from(cacher: cacher, fetcher: fetcher, param: param, client: client)
            await store.validate()
            await store.update(newData: "updated")
            for log in logs { await until { log.last == "updated" } }
            #expect(try await cacher.loadData(param: param) == "updated")
        }
    }

    @Test("stale data is shown while it is fetched, and a failure erases nothing", .rule("StoreFlowable F4"))
    func f4() async throws {
        let desk = TextDesk(expireSeconds: 60)
        try await desk.cache("old")
        desk.lab.advance(by: .seconds(61))
        let log = StoreLog(desk.store())
        desk.origin.fail()
        #expect(log.take() == ["old…", "!origin"])
        #expect(try await desk.cacher.loadData(param: 1) == "old")
        let next = StoreLog(desk.store())
        #expect(next.words == ["old…"])
        desk.origin.answer("new")
        #expect(next.take() == ["old…", "new"])
        _ = log.take()
        let refresh = desk.lab.start { await desk.store().refresh() }
        desk.origin.fail()
        #expect(refresh.result != nil)
        #expect(log.take() == ["new…", "!origin"])
        #expect(try await desk.cacher.loadData(param: 1) == "new")
        #expect(await desk.store().getData(from: .cache) == "new")
    }

    @Test("who is cancelled leaves; the fetch, the data and all others stay", .rule("StoreFlowable F5"))
    func f5() async throws {
        let log = desk.follow(having: "a")
        let store = desk.store()
        let leaving = lab.start { try await store.requireData(from: .origin) }
        let staying = lab.start { await store.refresh() }
        leaving.cancel()
        #expect(leaving.error is CancellationError)
        #expect(staying.result == nil)
        desk.origin.answer("b")
        #expect(staying.result != nil)
        #expect(log.take() == ["a…", "b"])
        let alone = lab.start { await store.refresh() }
        alone.cancel()
        desk.origin.answer("c")
        #expect(log.take() == ["b…", "c"])
        #expect(try await desk.cacher.loadData(param: 1) == "c")
    }

    @Test("a fetch that ends as cancelled is no failure", .rule("StoreFlowable F5"))
    func f5Cancelled() async throws {
        let log = desk.follow(having: "a")
        let refresh = lab.start { await desk.store().refresh() }
        desk.origin.fail(CancellationError())
        #expect(refresh.result != nil)
        #expect(log.take() == ["a…", "a"])
        #expect(try await desk.cacher.loadData(param: 1) == "a")
    }

    @Test(
        "who waits for data is let go by cancelling, by a failure, and when the data is emptied",
        .rule("StoreFlowable F6"))
    func f6() async throws {
        let store = desk.store()
        func require() -> LabTask<String> { lab.start { try await store.requireData() } }
        let cancelled = require()
        cancelled.cancel()
        #expect(cancelled.error is CancellationError)
        let failed = require()
        desk.origin.fail()
        #expect(failed.error as? Broken == Broken("origin"))
        let emptied = require()
        await store.clear()
        lab.settle()
        #expect(emptied.error is NoSuchElementError)
        let removed = require()
        lab.client.remove(.key(store.queryKey))
        lab.settle()
        #expect(removed.error is NoSuchElementError)
        let fromCache = lab.start { try await store.requireData(from: .cache) }
        lab.settle()
        #expect(fromCache.error is NoSuchElementError)
    }

    @Test("what was just fetched is returned although it always needs a refresh", .rule("StoreFlowable F7"))
    func f7() async throws {
        let desk = TextDesk(expireSeconds: 0)
        let store = desk.store()
        let required = desk.lab.start { try await store.requireData() }
        desk.origin.answer("a")
        #expect(required.value == "a")
        let gotten = desk.lab.start { await store.getData(from: .origin) }
        desk.origin.answer("b")
        #expect(gotten.value == "b")
        let factory = TextFactory(drawer: Drawer("old", isStale: true))
        #expect(try await factory.create(client: desk.lab.client).requireData() == "fetched")
    }
}
