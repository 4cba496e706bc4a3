import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Flaws of StoreFlowable: pages")
struct PageFlawTests {
    let desk = StoreLab()
    private var lab: QueryLab { desk.lab }

    private func cached() async throws -> [Int]? { try await desk.cacher.loadData(param: 1) }

    @Test("a page of the list before a refresh never lands in the list after it", .rule("StoreFlowable F3"))
    func f3() async throws {
        let list = desk.list()
        let log = StoreLog(list)
        desk.origin.answer(Page(1, next: "old"))
        let page = lab.start { await list.requestNextData() }
        #expect(desk.origin.waiting == ["old"])
        let refresh = lab.start { await list.refresh() }
        desk.origin.answer("old", Page(2, next: "older"))
        desk.origin.answer("first", Page(10, next: "new"))
        #expect(refresh.result != nil)
        #expect(try await cached() == [10])
        #expect(log.words == ["…", "[1] more end", "[1] page end", "[1]…", "[10] page end"])
        #expect(try await desk.cacher.loadNextRequestKey(param: 1) == "new")
        // The page is requested again, based on the new list.
        #expect(page.result == nil)
        #expect(desk.origin.waiting == ["new"])
        desk.origin.answer("new", Page(11, next: nil))
        #expect(page.result != nil)
        #expect(log.last == "[10, 11]")
    }

    @Test("also not when the cache is slow, and the page is on its way into it", .rule("StoreFlowable F3"))
    func f3Slow() async throws {
        let origin = Origin<Page>(lab, ignoringCancellation: true)
        let cacher = PaginationCacher<Int, Int>()
        let list = AnyStoreFlowable.from(
            cacher: cacher, fetcher: ListFetcher(origin: origin), param: 1, client: lab.client)
        let log = StoreLog(list)
        origin.answer(Page(1, next: "old"))
        _ = lab.start { await list.requestNextData() }
        _ = lab.start { await list.refresh() }
        origin.answer("first", Page(10, next: "new"))
        origin.answer("old", Page(2, next: "older"))
        #expect(log.last == "[10] page end")
        #expect(try await cacher.loadData(param: 1) == [10])
        #expect(try await cacher.loadNextRequestKey(param: 1) == "new")
        #expect(origin.waiting == ["new"])
    }

    @Test("also not in a list that an update has go on elsewhere", .rule("StoreFlowable F3"))
    func f3Update() async throws {
        let list = desk.list()
        let log = StoreLog(list)
        desk.origin.answer(Page(1, next: "old"))
        let page = lab.start { await list.requestNextData() }
        await list.update(newData: [10], nextKey: "new")
        desk.origin.answer("old", Page(2, next: "older"))
        #expect(page.result == nil)
        #expect(log.last == "[10] page end")
        #expect(try await cached() == [10])
        #expect(try await desk.cacher.loadNextRequestKey(param: 1) == "new")
        desk.origin.answer("new", Page(11, next: nil))
        #expect(page.result != nil)
        #expect(try await cached() == [10, 11])
    }

    @Test("an empty key ends the list, as none does", .rule("StoreFlowable F8"), arguments: [nil, ""])
    func f8(_ key: String?) async throws {
        let list = desk.twoWayList()
        let log = StoreLog(list)
        desk.origin.answer(Page(1, next: key, prev: key))
        #expect(log.last == "[1]")
        #expect(await list.requestNextData().error == nil)
        #expect(await list.requestPrevData().error == nil)
        #expect(desk.origin.asked == ["first"])
    }

    @Test("a page asked for in an error state leaves the error, and the caller learns why", .rule("StoreFlowable F9"))
    func f9() async throws {
        let list = desk.list()
        let early = lab.start { await list.requestNextData() }
        #expect(early.value?.error is AdditionalRequestOnNilException)
        let log = StoreLog(list)
        desk.origin.fail()
        let late = lab.start { await list.requestNextData() }
        #expect(late.value?.error is AdditionalRequestOnErrorStateException)
        #expect(log.words == ["…", "!origin"])
        await list.clear()
        let empty = lab.start { await list.requestNextData() }
        #expect(empty.value?.error is AdditionalRequestOnNilException)
        #expect(log.last == emptied)
        #expect(desk.origin.asked == ["first"])
    }

    @Test("an update keeps, sets or ends each of its keys", .rule("StoreFlowable F21"))
    func f21() async throws {
        let list = desk.twoWayList()
        let log = StoreLog(list)
        desk.origin.answer(Page(1, next: "n", prev: "p"))
        await list.update(newData: [2], nextKey: .keep, prevKey: .keep)
        #expect(log.last == "[2] more more")
        await list.update(newData: [3], nextKey: .end, prevKey: .set("q"))
        #expect(log.last == "[3] end more")
        #expect(try await desk.cacher.loadPrevRequestKey(param: 1) == "q")
        await list.update(newData: [4], nextKey: "m", prevKey: nil)
        #expect(log.last == "[4] more more")
        await list.update(newData: [5], nextKey: nil, prevKey: "")
        #expect(log.last == "[5] more end")
        #expect(try await desk.cacher.loadNextRequestKey(param: 1) == "m")
        await list.update(newData: [6])
        #expect(log.last == "[6] more end")
        await list.update(newData: [7], prevKey: "r")
        #expect(log.last == "[7] more more")
        #expect(try await desk.cacher.loadPrevRequestKey(param: 1) == "r")
    }

    @Test("an item that is there already is replaced where it stands, and others are added", .rule("StoreFlowable F22"))
    func f22() async throws {
        struct Item: Identifiable, Sendable, Equatable {
            let id: Int
            let text: String
        }

        struct ItemFetcher: TwoWayPaginationFetcher {
            func fetch(param: Int) async throws -> TwoWayPaginationFetcher.Result.Initial<Item> {
                let items = [Item(id: 1, text: "a"), Item(id: 2, text: "a")]
                return Result.Initial(data: items, nextRequestKey: "n", prevRequestKey: "p")
            }

            func fetchNext(nextKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Next<Item> {
                Result.Next(data: [Item(id: 2, text: "b"), Item(id: 3, text: "b")], nextRequestKey: nil)
            }

            func fetchPrev(prevKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Prev<Item> {
                Result.Prev(data: [Item(id: 0, text: "c"), Item(id: 1, text: "c")], prevRequestKey: nil)
            }
        }

        final class OwnCacher: TwoWayPaginationCacher<Int, Item>, @unchecked Sendable {  // it adds no property
            override func saveData(data: [Item]?, param: Int) async throws {
                try await super.saveData(data: data, param: param)
            }
        }

        for cacher in [TwoWayPaginationCacher<Int, Item>(), OwnCacher()] {
            let list = AnyStoreFlowable.from(cacher: cacher, fetcher: ItemFetcher(), param: 1, client: lab.client)
            let log = StoreLog(list)
            await list.requestNextData()
            await list.requestPrevData()
            let items = try await list.requireData(from: .cache)
            #expect(items.map { "\($0.id)\($0.text)" } == ["0c", "1c", "2b", "3b"])
            #expect(try await cacher.loadData(param: 1) == items)
            #expect(log.last == "\(items)")
        }
    }

    @Test("a list whose pages were cached before a restart goes on where it ended", .rule("StoreFlowable F27"))
    func f27() async throws {
        let drawer = Drawer()
        do {
            let client = QueryClient(environment: lab.environment)
            let factory = PagedTextFactory(flowableDataStateManager: TextManager(queryKey: "pages"), drawer: drawer)
            let list = factory.create(client: client)
            #expect(try await list.requireData() == "a")
            await list.requestNextData()
            #expect(drawer.text == "ab")
        }
        let factory = PagedTextFactory(flowableDataStateManager: TextManager(queryKey: "pages"), drawer: drawer)
        let list = factory.create(client: lab.client)
        #expect(await list.requestNextData().error == nil)
        let log = StoreLog(list)
        #expect(log.words == ["abc"])
    }

    @Test("a refresh, failed or not, and an error forget no keys but those they replace", .rule("StoreFlowable F27"))
    func f27Error() async throws {
        let list = desk.list()
        let log = StoreLog(list)
        desk.origin.answer(Page(1, next: "n"))
        let failing = lab.start { await list.refresh() }
        desk.origin.fail()
        #expect(failing.result != nil)
        #expect(log.last == "!origin")
        await list.update(newData: [7])
        #expect(log.last == "[7] more end")
        _ = lab.start { await list.requestNextData() }
        #expect(desk.origin.waiting == ["n"])
    }
}

extension Result {
    var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
