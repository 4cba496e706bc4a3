import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Invalidation")
struct InvalidationTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}

    private func definition(_ key: QueryKey, _ fetcher: ScriptedFetcher<String>) -> QueryDefinition<String> {
        QueryDefinition(key, fetch: fetcher.fetch).staleAfter(.never)
    }

    @Test("marks all that matches, and refetches what is observed", .rule("T78"))
    func refetchesActive() {
        let fetcher = lab.fetcher(returning: String.self)
        fetcher.answer { $0.key.queryKeyValue }
        let observer = client.observe(definition(QueryKey("users", 1), fetcher))
        let task = lab.start { [client] in try await client.fetch(definition(QueryKey("users", 2), fetcher)) }
        #expect(observer.value == "users/1")
        #expect(task.value == "users/2")
        lab.clearLog()
        client.invalidate(.path("users"))
        lab.settle()
        #expect(
            lab.log.sorted() == [
                "users/1 fetching (invalidated by requested)", "users/1 fresh", "users/1 invalidated (requested)",
                "users/2 invalidated (requested)",
            ])
        #expect(!observer.snapshot.isInvalidated)
        #expect(client.snapshot(of: definition(QueryKey("users", 2), fetcher)).isInvalidated)
    }

    @Test(
        "the scope says what is refetched", .rule("T78"),
        arguments: [
            (RefetchScope.active, ["active"]), (.inactive, ["inactive"]), (.all, ["active", "inactive"]), (.none, []),
        ])
    func scopes(_ scope: RefetchScope, _ expected: [String]) {
        let fetcher = lab.fetcher(returning: String.self)
        fetcher.answer { $0.key.queryKeyValue }
        let active = client.observe(definition("active", fetcher))
        let disabled = client.observe(definition("disabled", fetcher).enabled(false))
        defer { active.cancel(); disabled.cancel() }
        _ = lab.start { [client] in try await client.fetch(definition("inactive", fetcher)) }
        let before = fetcher.calls.count
        client.invalidate(.all, refetch: scope)
        lab.settle()
        #expect(fetcher.calls.dropFirst(before).map(\.key.queryKeyValue).sorted() == expected)
        #expect(fetcher.calls.dropFirst(before).allSatisfy { $0.cause == .invalidated(by: .requested) })
    }

    @Test("who invalidates during a first load waits for the fetch that follows it", .rule("A34"))
    func waitsForTheNextFetch() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(definition("user", fetcher))
        let task = lab.start { [client] in await client.invalidate(.key("user")) }
        fetcher.succeed(with: "from before")
        #expect(observer.value == "from before")
        #expect(task.result == nil)
        fetcher.succeed(with: "new")
        #expect(observer.value == "new")
        #expect(task.value != nil)
    }

    @Test("marking twice emits once", .rule("T78"))
    func marksOnce() throws {
        try client.set("Ann", for: "user")
        let seen = Locked<[Bool]>([])
        let observer = client.observe(QueryDefinition<String>.value("user")) { snapshot in
            seen.withLock { $0.append(snapshot.isInvalidated) }
        }
        lab.clearLog()
        client.invalidate(.key("user"), refetch: .none)
        client.invalidate(.path("user"), refetch: .none)
        client.invalidate(.all, refetch: .none)
        #expect(lab.log == ["user invalidated (requested)"])
        #expect(seen.withLock { $0 } == [true])
        #expect(observer.snapshot.isStale)
    }

    @Test(
        "entries whose observers are all disabled, or of which one is fixed, are marked and not refetched", .rule("T80")
    )
    func skipsDisabledAndFixed() {
        let fetcher = lab.fetcher(returning: String.self)
        fetcher.answer { $0.key.queryKeyValue }
        let observers = [
            client.observe(definition("fixed", fetcher).staleAfter(.immutable)),
            client.observe(definition("fixed", fetcher)),
            client.observe(definition("disabled", fetcher).enabled(false)),
        ]
        defer { for observer in observers { observer.cancel() } }
        #expect(fetcher.calls.count == 1)
        client.invalidate(.all, refetch: .all)
        let task = lab.start { [client] in await client.refetch(.all) }
        #expect(task.result != nil)
        #expect(fetcher.calls.count == 1)
        #expect(observers[1].snapshot.isInvalidated)
        #expect(!observers[0].snapshot.isStale, "fixed beats invalidated (T14)")
    }

    @Test("refetching skips what was never fetched and nobody observes", .rule("T80"))
    func skipsNeverFetched() throws {
        let fetcher = lab.fetcher(returning: String.self)
        fetcher.answer { $0.key.queryKeyValue }
        let initial = definition("initial", fetcher).initial("here")
        let task = lab.start { [client] in try await client.fetch(initial) }
        #expect(task.value == "here")
        _ = lab.start { [client] in await client.refetch(.all) }
        #expect(fetcher.calls.isEmpty)
        _ = lab.start { [client] in try await client.refetch(initial) }
        _ = lab.start { [client] in await client.refetch(.all) }
        #expect(fetcher.calls.count == 2)
    }

    @Test("an entry that was only written is marked, and never refetched without a fetcher", .rule("T81"))
    func writtenOnly() throws {
        try client.set("Ann", for: "user")
        let task = lab.start { [client] in
            await client.invalidate(.all, refetch: .all)
            await client.refetch(.all)
        }
        #expect(task.result != nil)
        #expect(client.snapshot(of: QueryDefinition<String>.value("user")).isInvalidated)
        #expect(client.value(of: "user", as: String.self) == "Ann")
    }

    @Test("an invalidation replaces a running refetch, and whoever waits gets the newer answer", .rule("T29"))
    func replacesRunning() {
        let fetcher = lab.fetcher(returning: String.self)
        let users = definition("users", fetcher)
        let observer = client.observe(users)
        fetcher.succeed(with: "first")
        let task = lab.start { [client] in try await client.refetch(users) }
        client.invalidate(.key("users"))
        lab.settle()
        fetcher.succeed(with: "newest")
        #expect(task.value == "newest")
        #expect(observer.value == "newest")
        #expect(fetcher.calls.count == 3)
    }

    @Test("an invalidation joins a first load, which another fetch follows", .rule("T30", "A34"))
    func joinsFirstLoad() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(definition("users", fetcher))
        client.invalidate(.key("users"))
        lab.settle()
        #expect(fetcher.calls.count == 1)
        fetcher.succeed(with: "first")
        #expect(observer.value == "first")
        #expect(fetcher.calls.count == 2)
        fetcher.succeed(with: "second")
        #expect(observer.value == "second")
        #expect(!observer.snapshot.isInvalidated)
    }

    @Test("Waiting for an invalidation ends when its refetches have, well or not")
    func waits() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(definition("users", fetcher))
        fetcher.succeed(with: "first")
        let task = lab.start { [client] in await client.invalidate(.key("users")) }
        #expect(task.result == nil)
        fetcher.fail(with: Refused())
        #expect(task.result != nil)
        #expect(observer.snapshot.error is Refused)
        #expect(observer.value == "first")
    }

    @Test("waiting for an invalidation does not wait for what is paused", .rule("T45"))
    func doesNotWaitForPaused() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(definition("users", fetcher))
        fetcher.succeed(with: "first")
        lab.setOnline(false)
        let task = lab.start { [client] in await client.invalidate(.key("users")) }
        #expect(task.result != nil)
        #expect(observer.snapshot.isPaused)
    }

    @Test(
        "a success clears the mark; a failure makes the value stale too, and is told apart by its error", .rule("A35"))
    func markFollowsOutcome() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(definition("users", fetcher))
        fetcher.succeed(with: "first")
        client.invalidate(.key("users"))
        lab.settle()
        #expect(observer.snapshot.isInvalidated)
        fetcher.succeed(with: "second")
        #expect(!observer.snapshot.isInvalidated)
        _ = lab.start { try await observer.refetch() }
        fetcher.fail(with: Refused())
        #expect(observer.snapshot.isStale)
        #expect(!observer.snapshot.isInvalidated && observer.snapshot.error is Refused)
    }

    @Test("An observer that comes after an invalidation fetches, however long the value counts as fresh")
    func laterObserver() {
        let fetcher = lab.fetcher(returning: String.self)
        _ = lab.start { [client] in try await client.fetch(definition("users", fetcher)) }
        fetcher.succeed(with: "first")
        client.invalidate(.tag("none"))
        client.invalidate(.all)
        #expect(fetcher.calls.count == 1)
        let observer = client.observe(definition("users", fetcher))
        #expect(observer.value == "first")
        #expect(observer.snapshot.isRefetching)
    }

    @Test("an invalidation that refetches nothing waits for no fetch, and has none retried", .rule("E13"))
    func waitsForItsOwnOnly() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let policy = RetryPolicy(limit: 3, hasJitter: false) { _ in true }
        try client.beginFetch(definition("users", fetcher).retry(policy), .requested)
        let task = lab.start { [client] in await client.invalidate(.all, refetch: .none) }
        #expect(task.result != nil)
        fetcher.fail(with: Refused())
        lab.advance(by: .seconds(60))
        #expect(fetcher.calls.count == 1, "nobody waits for it")
    }
}
