import PigeonStore
import PigeonTesting
import Testing

@Suite("The client's filters reach stores")
struct FilterTests {
    let desk = TextDesk()
    private var lab: QueryLab { desk.lab }

    private func cached(_ param: Int = 1) async throws -> String? { try await desk.cacher.loadData(param: param) }

    @Test(
        "invalidating by key, path or condition marks the cache and refetches what is followed",
        arguments: [
            KeyFilter.key("texts", 1), .path("texts"), .all.and(.where { $0.key.components.count == 2 }),
        ])
    func invalidate(_ filter: KeyFilter) async throws {
        let log = desk.follow(having: "a")
        lab.invalidate(filter)
        #expect(try await desk.cacher.loadDataCachedAt(param: 1) == 0)
        #expect(log.take() == ["a…"])
        desk.origin.answer("b")
        #expect(log.take() == ["b"])
        #expect(try await desk.cacher.loadDataCachedAt(param: 1) == desk.cacher.epochSeconds)
    }

    @Test("invalidating another path reaches nothing")
    func invalidateOther() async throws {
        let log = desk.follow(having: "a")
        lab.invalidate(.path("users"))
        lab.invalidate(.tag("users"))
        #expect(log.words.isEmpty)
        #expect(try await desk.cacher.loadDataCachedAt(param: 1) != 0)
    }

    @Test("what a query tagged is invalidated by the tag")
    func invalidateTag() async throws {
        let log = desk.follow(having: "a")
        let key = desk.store().queryKey.tagged("shown")
        let observer = lab.client.observe(QueryDefinition<String>.value(key))
        #expect(observer.value == "a")
        lab.invalidate(.tag("shown"))
        desk.origin.answer("b")
        #expect(log.take() == ["a…", "b"])
    }

    @Test("what nobody follows is fetched when it is used next, also by another client")
    func invalidateUnobserved() async throws {
        desk.follow(having: "a").cancel()
        lab.invalidate(.path(desk.cacher.queryKey))
        #expect(desk.origin.waiting.isEmpty)
        let other = QueryClient(environment: lab.environment)
        let log = StoreLog(desk.store(client: other))
        #expect(log.words == ["a…"])
        desk.origin.answer("b")
        #expect(log.words == ["a…", "b"])
    }

    @Test("invalidating waits for the fetch when it is awaited")
    func invalidateAwaited() async {
        let log = desk.follow(having: "a")
        let invalidating = lab.start { await lab.client.invalidate(.path("texts")) }
        #expect(invalidating.result == nil)
        desk.origin.answer("b")
        #expect(invalidating.result != nil)
        #expect(log.last == "b")
    }

    @Test("removing empties the cache, and what is followed says so")
    func remove() async throws {
        let log = desk.follow(having: "a")
        desk.follow(2, having: "other").cancel()
        lab.client.remove(.path("texts"))
        lab.settle()
        #expect(log.take() == [emptied])
        #expect(try await cached() == nil)
        #expect(try await cached(2) == nil)
        #expect(desk.origin.waiting.isEmpty)
        _ = lab.start { await desk.store().validate() }
        #expect(desk.origin.waiting == ["1"])
    }

    @Test("resetting empties the cache and fetches what is followed")
    func reset() async throws {
        let log = desk.follow(having: "a")
        lab.client.reset(.key("texts", 1))
        lab.settle()
        #expect(try await cached() == nil)
        #expect(log.take().last == "…")
        desk.origin.answer("b")
        #expect(log.take() == ["b"])
    }

    @Test("clearing the client empties caches of stores in use, and nothing asked before lands")
    func clear() async throws {
        let origin = Origin<String>(lab, ignoringCancellation: true)
        let store = AnyStoreFlowable.from(
            cacher: desk.cacher, fetcher: TextFetcher(origin: origin), param: 1, client: lab.client)
        let log = StoreLog(store)
        origin.answer("a")
        let refresh = lab.start { try await store.requireData(from: .origin) }
        let clearing = lab.start { try await lab.client.clear() }
        #expect(clearing.error == nil && clearing.result != nil)
        #expect(refresh.error is NoSuchElementError)
        origin.answer("late")
        #expect(log.words == ["…", "a", "a…", emptied])
        #expect(try await cached() == nil)
    }

    @Test("clearing the client says which cache could not be emptied")
    func clearFailing() async throws {
        final class StubbornCacher: Cacher<Int, String>, @unchecked Sendable {  // it adds no property
            override func saveData(data: String?, param: Int) async throws {
                guard data != nil else { throw Broken("disk") }
                try await super.saveData(data: data, param: param)
            }
        }
        desk.origin.set { _ in "a" }
        let store = AnyStoreFlowable.from(
            cacher: StubbornCacher(), fetcher: TextFetcher(origin: desk.origin), param: 1, client: lab.client)
        await store.validate()
        await #expect(throws: Broken("disk")) { try await lab.client.clear() }
        #expect(lab.log.contains { $0.hasSuffix("cache problem: the source could not be emptied: Broken") })
    }

    @Test("cancelling by a filter ends a fetch, and the state is what it was")
    func cancel() async throws {
        let log = desk.follow(having: "a")
        let required = lab.start { try await desk.store().requireData(from: .origin) }
        lab.client.cancel(.path("texts"))
        lab.settle()
        #expect(log.take() == ["a…", "a"])
        #expect(required.value == "a")
        #expect(desk.origin.waiting.isEmpty)
    }
}
