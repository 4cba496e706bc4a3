import PigeonStore
import PigeonTesting
import Testing

@Suite("A store's life as a log")
struct EventTests {
    @Test("every fetch, update and failure is told, with its cause")
    func life() async {
        let desk = TextDesk(expireSeconds: 60)
        let log = StoreLog(desk.store())
        desk.origin.answer("a")
        await desk.store().update(newData: "b")
        _ = desk.lab.start { await desk.store().refresh() }
        _ = desk.lab.start { await desk.store().validate() }
        desk.origin.fail()
        _ = desk.lab.start { await desk.store().validate() }
        await desk.store().update(newData: "c")
        desk.lab.invalidate(.key("texts", 1))
        desk.origin.answer("d")
        await desk.store().clear()
        log.cancel()
        desk.lab.advance(by: .seconds(300))
        #expect(
            desk.lab.log == [
                "texts/1 fetching (observed)", "texts/1 fresh", "texts/1 written", "texts/1 fetching (requested)",
                "texts/1 joined (requested)", "texts/1 failed: Broken", "texts/1 fetching (requested)",
                "texts/1 written", "texts/1 cancelled (written)", "texts/1 invalidated (requested)",
                "texts/1 fetching (invalidated by requested)", "texts/1 fresh", "texts/1 cleared",
                "texts/1 removed (unused)",
            ])
    }

    @Test("pages are reported, and a page that gives its own key as the next one")
    func pages() async {
        let desk = StoreLab()
        let list = desk.twoWayList()
        let log = StoreLog(list)
        desk.origin.answer(Page(1, next: "n", prev: "p"))
        _ = desk.lab.start { await list.requestNextData() }
        desk.origin.fail()
        _ = desk.lab.start { await list.requestNextData() }
        desk.origin.answer(Page(2, next: "n"))
        _ = desk.lab.start { await list.requestPrevData() }
        _ = desk.lab.start { await list.requestPrevData() }
        desk.origin.answer(Page(0))
        #expect(log.last == "[0, 1, 2] more end")
        #expect(
            desk.lab.log == [
                "lists/1 fetching (observed)", "lists/1 fresh", "lists/1 loading next page",
                "lists/1 next page failed: Broken", "lists/1 loading next page",
                "lists/1 misuse: a page gives its own key as the key of the page after it: the same key is requested again",
                "lists/1 next page", "lists/1 loading previous page", "lists/1 joined (previous page)",
                "lists/1 previous page",
            ])
    }

    @Test("what is found in the cache is told, and a cache that cannot be read")
    func cache() async throws {
        let desk = TextDesk()
        try await desk.cache("a")
        let log = StoreLog(desk.store())
        #expect(desk.lab.log == ["texts/1 hydrated"])
        log.cancel()

        let lab = QueryLab()
        let cacher = SlowCacher(lab)
        cacher.gate.set { _ in throw Broken("disk") }
        let origin = Origin<String>(lab)
        let failing = StoreLog(cacher.store(lab, origin))
        #expect(failing.words == ["…"])
        #expect(lab.log.first == "slow/1 cache problem: the source could not be read: Broken")
        origin.answer("b")
        #expect(failing.last == "!disk")
    }

    @Test("no event tells what is cached, or what an error holds")
    func secrets() async {
        let desk = TextDesk()
        let log = StoreLog(desk.store())
        desk.origin.answer("secret")
        _ = desk.lab.start { await desk.store().refresh() }
        desk.origin.fail(Broken("secret"))
        await desk.store().update(newData: "secret")
        #expect(log.last == "secret")
        #expect(desk.lab.log.count > 4)
        #expect(desk.lab.log.allSatisfy { !$0.contains("secret") })
    }
}
