import PigeonStore
import PigeonTesting
import Testing

@Suite("A store in its surroundings")
struct SurroundingsTests {
    let desk = TextDesk(expireSeconds: 60)
    private var lab: QueryLab { desk.lab }

    @Test("coming back to the foreground fetches what has expired, and nothing else")
    func foreground() async {
        let log = desk.follow(having: "a")
        lab.setActive(false)
        lab.advance(by: .seconds(10))
        lab.setActive(true)
        #expect(log.words.isEmpty)
        lab.setActive(false)
        lab.advance(by: .seconds(60))
        lab.setActive(true)
        #expect(log.words == ["a…"])
        desk.origin.answer("b")
        #expect(log.words == ["a…", "b"])
        #expect(lab.log.contains("texts/1 fetching (foreground)"))
    }

    @Test("the network's return fetches what has expired, and nothing else")
    func reconnect() async {
        let log = desk.follow(having: "a")
        lab.setOnline(false)
        lab.setOnline(true)
        #expect(log.words.isEmpty)
        lab.setOnline(false)
        lab.advance(by: .seconds(60))
        lab.setOnline(true)
        #expect(log.words == ["a…"])
        #expect(lab.log.last == "texts/1 fetching (reconnect)")
    }

    @Test("offline a store loads what is cached meanwhile, and goes on when the network is back")
    func offline() async throws {
        try await desk.cache("old")
        lab.advance(by: .seconds(60))
        lab.setOnline(false)
        let log = StoreLog(desk.store())
        let empty = StoreLog(desk.store(2))
        #expect(log.words == ["old…"])
        #expect(empty.words == ["…"])
        #expect(desk.origin.asked.isEmpty)
        let required = lab.start { try await desk.store().requireData() }
        #expect(required.result == nil)
        lab.setOnline(true)
        #expect(Set(desk.origin.waiting) == ["1", "2"])
        desk.origin.answer("1", "new")
        #expect(required.value == "new")
        #expect(log.words == ["old…", "new"])
    }

    @Test("offline a valid cache needs no network, and an update ends the wait")
    func offlineCache() async throws {
        try await desk.cache("valid")
        lab.setOnline(false)
        let log = StoreLog(desk.store())
        #expect(log.words == ["valid"])
        let refresh = lab.start { await desk.store().refresh() }
        #expect(log.words == ["valid", "valid…"])
        await desk.store().update(newData: "mine")
        lab.settle()
        #expect(refresh.result != nil)
        lab.setOnline(true)
        #expect(log.words == ["valid", "valid…", "mine"])
        #expect(desk.origin.asked.isEmpty)
    }

    @Test("a page waits for the network")
    func offlinePage() async {
        let desk = StoreLab()
        let list = desk.list()
        let log = StoreLog(list)
        desk.origin.answer(Page(1, next: "n"))
        desk.lab.setOnline(false)
        let page = desk.lab.start { await list.requestNextData() }
        #expect(log.last == "[1] page end")
        #expect(desk.origin.waiting.isEmpty)
        desk.lab.setOnline(true)
        desk.origin.answer(Page(2))
        #expect(page.result != nil)
        #expect(log.last == "[1, 2]")
    }

    @Test("a store that polls fetches for as long as somebody follows, whatever is valid")
    func polling() async {
        let store = desk.store().options { $0.pollEvery = .seconds(5) }
        let log = StoreLog(store)
        desk.origin.answer("a")
        for round in 2...4 {
            lab.advance(by: .seconds(5))
            #expect(desk.origin.asked.count == round)
            lab.advance(by: .seconds(5))
            #expect(desk.origin.asked.count == round)
            desk.origin.fail()
        }
        #expect(log.take() == ["…", "a", "a…", "!origin", "a…", "!origin", "a…", "!origin"])
        log.cancel()
        lab.advance(by: .seconds(50))
        #expect(desk.origin.asked.count == 4)
    }

    @Test("a store that retries loads until the last attempt, and pages retry too")
    func retrying() async {
        let desk = StoreLab()
        let list = desk.list().options {
            $0.retry = RetryPolicy(limit: 2, delay: { _ in .seconds(1) }, hasJitter: false, shouldRetry: { _ in true })
        }
        let log = StoreLog(list)
        desk.origin.fail()
        desk.lab.advance(by: .seconds(1))
        desk.origin.answer(Page(1, next: "n"))
        let page = desk.lab.start { await list.requestNextData() }
        for _ in 0..<2 {
            desk.origin.fail()
            #expect(log.last == "[1] page end")
            desk.lab.advance(by: .seconds(1))
        }
        #expect(page.result == nil)
        desk.origin.fail()
        #expect(page.value?.error as? Broken == Broken("origin"))
        #expect(log.words == ["…", "[1] more end", "[1] page end", "[1] !origin end"])
        #expect(desk.origin.asked == ["first", "first", "n", "n", "n"])
    }
}
