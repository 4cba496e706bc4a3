import PigeonStore
import PigeonTesting
import Testing

@Suite("A store with a slow cache that is emptied")
struct EmptyingTests {
    let lab = QueryLab()
    let cacher: SlowCacher
    let origin: Origin<String>
    let store: AnyStoreFlowable<Int, String>

    init() {
        cacher = SlowCacher(lab)
        origin = Origin(lab)
        store = cacher.store(lab, origin)
    }

    /// Subscribes to the store after its cache has received `old`.
    private func follow() -> StoreLog {
        origin.set { _ in "old" }
        let log = StoreLog(store)
        origin.set { _ in nil }
        _ = log.take()
        return log
    }

    private func release() {
        cacher.hold()
        cacher.gate.answerAll(())
    }

    @Test("what is followed after a removal does not see what was there before")
    func removed() async throws {
        let log = follow()
        cacher.hold("load")
        let first = lab.start { await store.validate() }
        let second = lab.start { await store.validate() }
        lab.client.remove(.path("slow"))
        lab.settle()
        #expect(log.take() == [emptied])
        #expect(first.result != nil && second.result != nil)
        let next = StoreLog(store)
        release()
        #expect(origin.waiting == ["1"])
        origin.answer("new")
        #expect(log.words == ["…", "new"])
        #expect(next.words == [emptied, "…", "new"] || next.words == ["…", "new"])
    }

    @Test("what was changed before a removal, and waits for its turn, is not shown, and is not there after")
    func changed() async throws {
        let log = follow()
        cacher.hold("load")
        let reading = lab.start { await store.validate() }
        let update = lab.start { await store.update(newData: "mine") }
        lab.client.remove(.path("slow"))
        release()
        #expect(reading.result != nil)
        #expect(update.value?.error == nil && update.result != nil)
        #expect(log.words == [emptied])
        #expect(try await cacher.loadData(param: 1) == nil)
    }

    @Test("what is being changed while it is removed is not shown, and is not there after")
    func changing() async throws {
        let log = follow()
        cacher.hold("save")
        let update = lab.start { await store.update(newData: "mine") }
        lab.client.remove(.path("slow"))
        release()
        #expect(update.result != nil)
        #expect(log.words == [emptied])
        #expect(try await cacher.loadData(param: 1) == nil)
    }

    @Test("what is asked for while it is being cleared is done after that")
    func clearing() async throws {
        let log = follow()
        cacher.hold("save")
        let clear = lab.start { await store.clear() }
        let required = lab.start { try await store.requireData() }
        #expect(log.words == [emptied])
        release()
        #expect(clear.result != nil)
        #expect(log.words == [emptied, "…"])
        origin.answer("new")
        #expect(required.value == "new")
        #expect(try await cacher.loadData(param: 1) == "new")
    }

    @Test("an update takes the place of the fetch that an earlier reading of the cache leads to")
    func updating() async throws {
        cacher.hold("load")
        let log = StoreLog(store)
        let required = lab.start { try await store.requireData() }
        let update = lab.start { await store.update(newData: "mine") }
        release()
        #expect(update.result != nil)
        #expect(required.value == "mine")
        #expect(log.words == ["…", "mine"])
        #expect(try await cacher.loadData(param: 1) == "mine")
    }
}
