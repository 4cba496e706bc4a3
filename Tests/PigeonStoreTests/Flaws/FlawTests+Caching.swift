import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Flaws of StoreFlowable: what is cached")
struct CachingFlawTests {
    let desk = TextDesk()
    private var lab: QueryLab { desk.lab }

    @Test("an emptied store says that there is nothing, and does not load for ever", .rule("StoreFlowable F10"))
    func f10() async throws {
        let log = desk.follow(having: "a")
        let store = desk.store()
        await store.update(newData: nil)
        #expect(log.take() == [emptied])
        await store.update(newData: "b")
        await store.clear()
        #expect(log.take() == ["b", emptied])
        #expect(desk.origin.asked.count == 1)
        _ = lab.start { await store.validate() }
        #expect(log.take() == ["…"])
        desk.origin.answer("c")
        #expect(log.take() == ["c"])
    }

    @Test("an update is not overwritten by a fetch that was asked before it", .rule("StoreFlowable F11"))
    func f11() async throws {
        let origin = Origin<String>(lab, ignoringCancellation: true)
        let store = AnyStoreFlowable.from(
            cacher: desk.cacher, fetcher: TextFetcher(origin: origin), param: 1, client: lab.client)
        let log = StoreLog(store)
        origin.answer("a")
        let refresh = lab.start { try await store.requireData(from: .origin) }
        await store.update(newData: "mine")
        lab.settle()
        #expect(refresh.value == "mine")
        origin.answer("late")
        #expect(log.words == ["…", "a", "a…", "mine"])
        #expect(try await desk.cacher.loadData(param: 1) == "mine")
        let next = lab.start { await store.refresh() }
        #expect(origin.asked.count == 3)
        origin.answer("b")
        #expect(next.result != nil)
        #expect(log.last == "b")
    }

    @Test("clearing a cacher reaches those who follow, and takes the keys of pages too", .rule("StoreFlowable F12"))
    func f12() async throws {
        let log = desk.follow(having: "a")
        desk.cacher.clear()
        lab.settle()
        #expect(log.take() == [emptied])
        await desk.store().update(newData: "b")
        #expect(log.take() == ["b"])

        let lists = StoreLab()
        let list = lists.twoWayList()
        let listLog = StoreLog(list)
        lists.origin.answer(Page(1, next: "n", prev: "p"))
        lists.cacher.clear()
        lists.lab.settle()
        #expect(listLog.last == emptied)
        #expect(try await lists.cacher.loadNextRequestKey(param: 1) == nil)
        #expect(try await lists.cacher.loadPrevRequestKey(param: 1) == nil)
        await list.update(newData: [2])
        #expect(listLog.last == "[2]")
    }

    @Test("nothing is not stamped with a time", .rule("StoreFlowable F13"))
    func f13() async throws {
        let log = desk.follow(having: "a")
        #expect(try await desk.cacher.loadDataCachedAt(param: 1) == desk.cacher.epochSeconds)
        await desk.store().update(newData: nil)
        #expect(log.last == emptied)
        #expect(try await desk.cacher.loadDataCachedAt(param: 1) == nil)
    }

    @Test("data of unknown age, or from the future, is fetched again where data expires", .rule("StoreFlowable F14"))
    func f14Age() async throws {
        let desk = TextDesk(expireSeconds: 60)
        func isStale() async throws -> Bool { try await desk.cacher.needRefresh(cachedData: "a", param: 1) }
        try await desk.cacher.saveData(data: "a", param: 1)
        #expect(try await isStale())
        try await desk.cache("a")
        #expect(try await !isStale())
        desk.lab.advance(by: .seconds(59.5))
        #expect(try await !isStale())
        desk.lab.advance(by: .seconds(0.5))
        #expect(try await isStale())
        try await desk.cache("a")
        desk.lab.shiftWallClock(by: .seconds(-10))
        #expect(try await isStale())
        #expect(try await !TextDesk().cacher.needRefresh(cachedData: "a", param: 1))
    }

    @Test("a cacher in memory keeps what was used last, and no more", .rule("StoreFlowable F14"))
    func f14Size() async throws {
        for param in 0..<25_000 { try await desk.cache("\(param)", param) }
        #expect(try await desk.cacher.loadData(param: 24_999) == "24999")
        #expect(try await desk.cacher.loadData(param: 0) == nil)
        var count = 0
        for param in 0..<25_000 where try await desk.cacher.loadData(param: param) != nil { count += 1 }
        #expect((5_000...10_000).contains(count))
    }
}
