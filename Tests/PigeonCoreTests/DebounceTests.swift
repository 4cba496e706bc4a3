import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Searching and polling")
struct DebounceTests {
    let desk = Desk()

    private func search(_ text: String) -> QueryDefinition<String> {
        desk.query(QueryKey("search", text)).debounced(by: .milliseconds(300)).placeholder { $0 }
    }

    @Test("while an observer moves from text to text, nothing is fetched; the last text is", .rule("A46"))
    func typing() {
        let observer = desk.client.observe(search("a"))
        for text in ["an", "ann", "anna"] {
            desk.lab.advance(by: .milliseconds(200))
            observer.observe(search(text))
            #expect(observer.snapshot.isFetching)
        }
        desk.lab.advance(by: .milliseconds(299))
        #expect(desk.fetcher.calls.isEmpty)
        desk.lab.advance(by: .milliseconds(1))
        #expect(desk.fetcher.calls.map(\.key) == ["search/anna"])
        desk.fetcher.succeed(with: "Anna")
        #expect(observer.snapshot.value == "Anna")
    }

    @Test("the last results stay while the next text waits, and the log says what it waits for", .rule("A46"))
    func placeholder() {
        let observer = desk.client.observe(search("a"))
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.succeed(with: "Ann")
        desk.lab.clearLog()
        observer.observe(search("an"))
        #expect(observer.snapshot.value == "Ann" && observer.snapshot.isPlaceholder)
        observer.observe(search("a"))
        #expect(
            desk.lab.log == [
                "search/an waiting 300 ms", "search/a waiting 300 ms", "search/an cancelled (abandoned)",
            ])
        #expect(!observer.snapshot.isPlaceholder)
    }

    @Test("a caller who is cancelled within the delay causes no request", .rule("A46"))
    func cancelledCaller() {
        let task = desk.fetch(search("a"))
        desk.lab.advance(by: .milliseconds(299))
        task.cancel()
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetcher.calls.isEmpty)
        #expect(desk.client.snapshot(of: search("a")).activity == .idle)
    }

    @Test("an explicit refetch, an invalidation and a retry do not wait", .rule("A46"))
    func explicit() {
        let definition = search("a").retry(RetryPolicy(limit: 1, delay: { _ in .milliseconds(10) }, hasJitter: false))
        let observer = desk.client.observe(definition)
        desk.lab.advance(by: .milliseconds(300))
        desk.fetcher.fail(with: Status(503))
        desk.lab.advance(by: .milliseconds(10))
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Ann")
        desk.client.invalidate(definition)
        #expect(desk.fetcher.pendingCount == 1)
        let task = desk.refetch(definition)
        #expect(desk.fetcher.pendingCount == 1 && desk.fetcher.calls.count == 4)
        desk.fetcher.succeed(with: "Bea")
        #expect(task.value == "Bea")
        withExtendedLifetime(observer) {}
    }

    @Test("without a network or the foreground, the fetch waits for both after the delay", .rule("A46"))
    func surroundings() {
        desk.lab.setOnline(false)
        let observer = desk.client.observe(search("a"))
        #expect(observer.snapshot.isPaused)
        desk.lab.setOnline(true)
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Ann")
        observer.observe(search("b"))
        desk.lab.setActive(false)
        desk.lab.advance(by: .seconds(1))
        #expect(observer.snapshot.isPaused)
        desk.lab.setActive(true)
        #expect(desk.fetcher.pendingCount == 1)
    }

    // MARK: Polling until done

    @Test("polling ends with the value that it waits for", .rule("A45"))
    func pollsUntil() {
        let parcel = desk.user.poll(every: .seconds(5)) { $0 == "delivered" }
        let observer = desk.client.observe(parcel)
        desk.fetcher.succeed(with: "sent")
        desk.lab.advance(by: .seconds(5))
        desk.fetcher.succeed(with: "delivered")
        desk.lab.advance(by: .seconds(3600))
        #expect(desk.fetcher.calls.count == 2)
        withExtendedLifetime(observer) {}
    }

    @Test("a written value ends polling, another one starts it again, and a failure does not end it", .rule("A45"))
    func pollsAgain() throws {
        let parcel = desk.user.poll(every: .seconds(5)) { $0 == "delivered" }
        let observer = desk.client.observe(parcel)
        desk.fetcher.fail(with: Status(404))
        desk.lab.advance(by: .seconds(5))
        #expect(desk.fetcher.calls.count == 2)
        desk.fetcher.succeed(with: "sent")
        try desk.client.set("delivered", for: parcel)
        desk.lab.advance(by: .seconds(60))
        #expect(desk.fetcher.calls.count == 2)
        desk.client.update(parcel) { $0 = "lost" }
        desk.lab.advance(by: .seconds(5))
        #expect(desk.fetcher.calls.count == 3)
        withExtendedLifetime(observer) {}
    }

    @Test("a last value from the cache is not polled, and a reset forgets it", .rule("A45"))
    func hydrated() async throws {
        let cache = InMemoryQueryCache()
        let lab = QueryLab(cache: cache)
        let fetcher = lab.fetcher(returning: String.self)
        let parcel = QueryDefinition("parcels", 1, fetch: fetcher.fetch).persisted().staleAfter(.never)
            .poll(every: .seconds(5)) { $0 == "delivered" }
        try lab.client.set("delivered", for: parcel)
        await lab.client.flush()
        let next = QueryLab(cache: cache)
        let observer = next.client.observe(parcel)
        #expect(observer.value == "delivered")
        next.advance(by: .seconds(60))
        #expect(fetcher.calls.isEmpty)
        next.client.reset(parcel)
        next.settle()
        #expect(fetcher.calls.count == 1)
    }

    @Test("An observed query is polled when the interval has passed")
    func interval() {
        let observer = desk.client.observe(desk.user.poll(every: .seconds(7)))
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(7))
        #expect(desk.fetcher.pendingCount == 1)
        withExtendedLifetime(observer) {}
    }
}
