import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Collection")
struct CollectionTests {
    let desk = Desk()

    private func isThere(_ key: QueryKey) -> Bool {
        desk.client.entries(matching: .key(key)).count == 1
    }

    @Test("an entry goes 5 minutes after its fetch ended, if nobody came", .rule("T52", "T53"))
    func defaultTime() {
        desk.receive("Ann", for: desk.user)
        desk.lab.advance(by: .seconds(299))
        #expect(isThere(desk.user.key))
        desk.lab.advance(by: .seconds(1))
        #expect(!isThere(desk.user.key))
        #expect(desk.lab.log.last == "users/1 removed (unused)")
    }

    @Test("the time counts from when the last observer left; a new one calls it off", .rule("T53"))
    func fromLastObserver() {
        desk.receive("Ann", for: desk.user)
        let observer = desk.client.observe(desk.user.refetchOnAttach(.never))
        desk.lab.advance(by: .seconds(3600))
        #expect(isThere(desk.user.key))
        observer.cancel()
        desk.lab.advance(by: .seconds(200))
        let second = desk.client.observe(desk.user.refetchOnAttach(.never))
        desk.lab.advance(by: .seconds(200))
        #expect(isThere(desk.user.key))
        second.cancel()
        desk.lab.advance(by: .seconds(300))
        #expect(!isThere(desk.user.key))
    }

    @Test("a fetch calls it off, and the time counts from its end", .rule("T53"))
    func fromFetchEnd() {
        desk.receive("Ann", for: desk.user)
        desk.lab.advance(by: .seconds(200))
        let task = desk.refetch(desk.user)
        desk.lab.advance(by: .seconds(1000))
        #expect(isThere(desk.user.key))
        desk.fetcher.succeed(with: "Bea")
        #expect(task.value == "Bea")
        desk.lab.advance(by: .seconds(299))
        #expect(isThere(desk.user.key))
        desk.lab.advance(by: .seconds(1))
        #expect(!isThere(desk.user.key))
    }

    @Test("the longest time that anyone asked for counts, also for an entry that is unused already", .rule("T52"))
    func longest() {
        desk.receive("Ann", for: desk.user.keepFor(.seconds(60)))
        desk.lab.advance(by: .seconds(10))
        #expect(desk.fetch(desk.user.keepFor(.seconds(600)).staleAfter(.never)).value == "Ann")
        desk.lab.advance(by: .seconds(589))
        #expect(isThere(desk.user.key))
        desk.lab.advance(by: .seconds(1))
        #expect(!isThere(desk.user.key))
    }

    @Test("what is kept for ever stays", .rule("T52"))
    func forEver() {
        desk.receive("Ann", for: desk.user.keepFor(.forever))
        desk.lab.advance(by: .seconds(1_000_000_000))
        #expect(isThere(desk.user.key))
    }

    @Test("a fetch that waits for the network keeps its entry", .rule("T54"))
    func paused() {
        desk.receive("Ann", for: desk.user)
        desk.lab.setOnline(false)
        let task = desk.refetch(desk.user)
        task.cancel()
        desk.lab.advance(by: .seconds(3600))
        #expect(isThere(desk.user.key))
    }

    @Test(
        "keeping for no time removes at the next tick; a negative time is no time", .rule("T55"),
        arguments: [
            Duration.zero, .seconds(-1),
        ])
    func noTime(_ time: Duration) {
        desk.receive("Ann", for: desk.user.keepFor(time))
        desk.lab.advance(by: .zero)
        #expect(!isThere(desk.user.key))
    }

    @Test("being fresh and being kept are independent", .rule("T55"))
    func freshButCollected() {
        desk.receive("Ann", for: desk.user.staleAfter(.never).keepFor(.seconds(1)))
        desk.lab.advance(by: .seconds(1))
        #expect(!isThere(desk.user.key))
    }

    @Test("who comes back after the removal finds a new entry", .rule("T56"))
    func freshEntry() {
        desk.receive("Ann", for: desk.user)
        desk.lab.advance(by: .seconds(300))
        let observer = desk.client.observe(desk.user)
        #expect(observer.snapshot.brief == "pending…")
        #expect(!observer.snapshot.isFetched)
    }

    @Test("A written entry is collected too, and so is what a refused fetch leaves behind")
    func written() throws {
        try desk.client.set("Ann", for: "note")
        let task = desk.fetch(QueryDefinition<String>.value("empty"))
        #expect(task.error as? QueryError == .noFetcher(key: "empty"))
        desk.lab.advance(by: .seconds(300))
        #expect(desk.client.count == 0)
    }

    @Test("one timer serves a client, whatever the number of entries", .rule("A15"))
    func oneTimer() {
        desk.fetcher.answer { _ in "Ann" }
        let observers = (0..<100).map { index in
            desk.client.observe(
                desk.query(QueryKey("users", index)).staleAfter(.seconds(100 - index)).poll(
                    every: .seconds(500 - index)))
        }
        for index in 0..<100 { desk.receive("Ann", for: desk.query(QueryKey("unused", index))) }
        #expect(desk.lab.clock.alarmCount <= 1)
        desk.lab.advance(by: .seconds(1000))
        #expect(desk.lab.clock.alarmCount <= 1)
        #expect(desk.client.count == 100)
        #expect(observers.count == 100)
    }

    @Test("a client in which nothing is due has no timer", .rule("A15"))
    func noTimer() {
        let desk = Desk { $0.keepFor = .forever }
        desk.fetcher.answer { _ in "Ann" }
        #expect(desk.fetch(desk.user).value == "Ann")
        #expect(desk.lab.clock.alarmCount == 0)
    }
}
