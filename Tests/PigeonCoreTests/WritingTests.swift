import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Writes, resets and removals")
struct WritingTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}

    private func users(_ fetcher: ScriptedFetcher<String>) -> QueryDefinition<String> {
        QueryDefinition("users", fetch: fetcher.fetch).staleAfter(.never)
    }

    @Test("a write is a success: value, time, no error, no mark; the activity stays", .rule("T84"))
    func writeIsSuccess() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        fetcher.fail(with: Refused())
        lab.advance(by: .seconds(10))
        _ = lab.start { try await observer.refetch() }
        try client.set("Ann", for: users(fetcher))
        let snapshot = observer.snapshot
        #expect(snapshot.value == "Ann")
        #expect(snapshot.error == nil)
        #expect(!snapshot.isInvalidated && !snapshot.isStale)
        #expect(snapshot.age == .zero)
        #expect(snapshot.isFetching)
        #expect(snapshot.isFetched)
    }

    @Test("an edit leaves a stale value stale, as it says only what is different", .rule("T84"))
    func editIsNoAnswer() throws {
        let users = QueryDefinition<String>.value("users").staleAfter(.never)
        try client.set("Ann", for: users)
        client.invalidate(.key("users"), refetch: .none)
        client.update(users) { $0 += " Lee" }
        #expect(client.value(of: users) == "Ann Lee")
        #expect(client.snapshot(of: users).isInvalidated)
        try client.set("Eve", for: users)
        #expect(!client.snapshot(of: users).isInvalidated)
    }

    @Test("an edit leaves a value stale whose refetch has failed", .rule("A2", "T84"))
    func editAfterFailure() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        fetcher.succeed(with: "Ann")
        client.invalidate(.key("users"))
        fetcher.fail(with: Refused())
        client.update(users(fetcher)) { $0 += " Lee" }
        #expect(observer.value == "Ann Lee")
        #expect(observer.snapshot.error == nil)
        #expect(observer.snapshot.isInvalidated && observer.snapshot.isStale)
    }

    @Test(
        "an edit during a first load is not lost: another fetch follows for observers, and for later callers",
        .rule("K19", "A34"),
        arguments: [false, true])
    func editDuringFirstLoad(isWide: Bool) {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        if isWide {
            #expect(client.update(.all, as: String.self) { $0 += " and Bea" } == 0)
        } else {
            #expect(!client.update(users(fetcher)) { $0 += " and Bea" })
        }
        fetcher.succeed(with: "Ann")
        #expect(observer.value == "Ann")
        #expect(fetcher.pendingCount == 1)
        #expect(fetcher.calls.last?.cause == .invalidated(by: .written))
        fetcher.succeed(with: "Ann and Bea")
        #expect(observer.value == "Ann and Bea" && fetcher.pendingCount == 0)
        #expect(client.update(users(fetcher)) { $0 += "!" } && fetcher.pendingCount == 0)
    }

    @Test(
        "without observers, the answer is left stale; an edit that the fetch may replace asks for nothing",
        .rule("K19", "A34"))
    func editDuringUnobservedFirstLoad() {
        let fetcher = lab.fetcher(returning: String.self)
        let definition = users(fetcher)
        let early = lab.start { [client] in try await client.fetch(definition) }
        client.update(definition) { $0 += " and Bea" }
        let late = lab.start { [client] in try await client.fetch(definition) }
        fetcher.succeed(with: "Ann")
        #expect(early.value == "Ann" && late.result == nil, "who comes after the edit waits for it (A58)")
        fetcher.succeed(with: "Ann and Bea")
        #expect(late.value == "Ann and Bea")
        client.remove(.all)
        _ = lab.start { [client] in try await client.fetch(definition) }
        client.update(definition, during: .fetchWins) { $0 += " and Bea" }
        fetcher.succeed(with: "Ann")
        #expect(!client.snapshot(of: definition).isStale && fetcher.pendingCount == 0)
        client.remove(.all)
        client.update(definition) { $0 += " and Bea" }
        #expect(
            client.value(of: definition) == nil && fetcher.pendingCount == 0, "nothing is loaded, so nothing follows")
    }

    @Test("A write into an entry that is removed while it is compared goes into a new one")
    func removedMeanwhile() throws {
        /// Removes its entry when it is first compared.
        struct Name: Equatable {
            let text: String
            var onCompare: @Sendable () -> Void = {}

            static func == (one: Name, other: Name) -> Bool {
                one.onCompare()
                other.onCompare()
                return one.text == other.text
            }
        }
        let isRemoved = Locked(false)
        try client.set(Name(text: "Ann"), for: "name")
        let eve = Name(text: "Eve") { [client] in
            let wasRemoved = isRemoved.withLock { was in
                defer { was = true }
                return was
            }
            if !wasRemoved { client.remove(.key("name")) }
        }
        try client.set(eve, for: "name")
        #expect(client.value(of: "name", as: Name.self)?.text == "Eve")
    }

    @Test("a write during a fetch that says so is overwritten by the answer", .rule("T84"))
    func fetchWins() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        try client.set("written", for: users(fetcher), during: .fetchWins)
        #expect(observer.value == "written")
        fetcher.succeed(with: "fetched")
        #expect(observer.value == "fetched")
    }

    @Test("a write that says keep stays over the answer of a fetch asked before it", .rule("A21"))
    func keep() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        let task = lab.start { [client] in try await client.fetch(users(fetcher)) }
        lab.clearLog()
        try client.set("written", for: users(fetcher), during: .keep)
        fetcher.succeed(with: "fetched")
        #expect(observer.value == "written")
        #expect(task.value == nil || task.value == "written")
        #expect(!observer.snapshot.isFetching)
        #expect(lab.log.contains("users late answer dropped (written)"))
        _ = lab.start { try await observer.refetch() }
        fetcher.succeed(with: "later")
        #expect(observer.value == "later", "a fetch asked after the write wins")
    }

    @Test("an edit that says keep stays too", .rule("A21"))
    func keepEdit() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        fetcher.succeed(with: "a")
        _ = lab.start { try await observer.refetch() }
        #expect(client.update(users(fetcher), during: .keep) { $0 += "b" })
        fetcher.succeed(with: "fetched")
        #expect(observer.value == "ab")
    }

    @Test("a write moves what a cancellation goes back to", .rule("T49"))
    func cancelKeepsWrite() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        try client.set("written", for: users(fetcher))
        client.cancel(.key("users"))
        lab.settle()
        #expect(observer.value == "written")
        #expect(observer.snapshot.activity == .idle)
        #expect(fetcher.pendingCount == 0)
    }

    @Test("an edit of what is not there does nothing and creates nothing", .rule("T84"))
    func editOfNothing() {
        #expect(!client.update(QueryDefinition<String>.value("users")) { $0 += "!" })
        #expect(client.count == 0)
        #expect(lab.log.isEmpty)
    }

    @Test("reading never fetches and is exact", .rule("T85"))
    func reading() throws {
        let fetcher = lab.fetcher(returning: String.self)
        #expect(client.value(of: users(fetcher)) == nil)
        #expect(client.snapshot(of: users(fetcher)).value == nil)
        try client.set("Ann", for: QueryKey("users", 1))
        #expect(client.value(of: users(fetcher)) == nil)
        #expect(client.value(of: QueryKey("users", 1), as: String.self) == "Ann")
        #expect(client.value(of: QueryKey("users", 1), as: Int.self) == nil)
        #expect(fetcher.calls.isEmpty)
        #expect(client.count == 1)
    }

    @Test("A write of another type is refused, names both types, and changes nothing")
    func otherType() throws {
        try client.set("Ann", for: "user")
        let error = #expect(throws: QueryError.self) { try client.set(42, for: "user") }
        #expect(error == .typeMismatch(key: "user", existing: "String", requested: "Int"))
        #expect(client.value(of: "user", as: String.self) == "Ann")
        #expect(lab.log.last?.contains("misuse") == true)
    }

    @Test("a reset is a silent cancel, back to the start, and a refetch of what is observed", .rule("T82"))
    func reset() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        fetcher.succeed(with: "first")
        _ = lab.start { [client] in try await client.fetch(QueryDefinition("alone", fetch: fetcher.fetch)) }
        fetcher.succeed(with: "alone")
        let task = lab.start { try await observer.refetch() }
        client.reset(.all)
        lab.settle()
        #expect(task.error is CancellationError)
        #expect(observer.value == nil)
        #expect(observer.snapshot.isLoading)
        #expect(!observer.snapshot.isFetched)
        #expect(fetcher.pending.map(\.key) == ["users"])
        fetcher.succeed(with: "again")
        #expect(observer.value == "again")
    }

    @Test("a reset goes back to the initial value of the definition", .rule("T82"))
    func resetToInitial() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher).initial("start"))
        #expect(observer.value == "start")
        try client.set("written", for: users(fetcher))
        client.reset(.key("users"))
        lab.settle()
        #expect(observer.value == "start")
        #expect(observer.snapshot.isRefetching)
        fetcher.succeed(with: "fetched")
        #expect(observer.value == "fetched")
    }

    @Test("a removal cancels and forgets; who waits is told", .rule("T83"))
    func remove() {
        let fetcher = lab.fetcher(returning: String.self, ignoringCancellation: true)
        let task = lab.start { [client] in try await client.fetch(users(fetcher)) }
        client.remove(.path("users"))
        lab.settle()
        #expect(task.error is CancellationError)
        #expect(client.count == 0)
        fetcher.succeed(with: "late")
        #expect(client.value(of: users(fetcher)) == nil)
        #expect(client.count == 0)
    }

    @Test("A removal empties what is observed, and it does not come back by itself")
    func removeObserved() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(users(fetcher))
        fetcher.succeed(with: "first")
        client.remove(.key("users"))
        lab.settle()
        #expect(observer.value == nil)
        #expect(observer.snapshot.activity == .idle)
        try client.set("again", for: users(fetcher))
        #expect(observer.value == "again")
    }

    @Test("cancelling gives who waits what is there, or says that it was cancelled", .rule("T46"))
    func cancel() {
        let fetcher = lab.fetcher(returning: String.self)
        let first = lab.start { [client] in try await client.fetch(users(fetcher)) }
        client.cancel(.path("users"))
        lab.settle()
        #expect(first.error is CancellationError)
        _ = lab.start { [client] in try await client.fetch(users(fetcher)) }
        fetcher.succeed(with: "old")
        let second = lab.start { [client] in try await client.refetch(users(fetcher)) }
        client.cancel(.all)
        lab.settle()
        #expect(second.value == "old")
        #expect(fetcher.pendingCount == 0)
    }

    @Test(
        "asking fetches what is stale, answers from memory what is fresh, and cacheFirst takes what is there",
        .rule("T86"))
    func asking() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let definition = QueryDefinition("users", fetch: fetcher.fetch).staleAfter(.seconds(30)).enabled(false)
        try client.set("old", for: definition)
        let fresh = lab.start { [client] in try await client.fetch(definition) }
        #expect(fresh.value == "old")
        lab.advance(by: .seconds(30))
        let ensured = lab.start { [client] in try await client.fetch(definition, .cacheFirst) }
        #expect(ensured.value == "old")
        #expect(fetcher.calls.isEmpty)
        let task = lab.start { [client] in try await client.fetch(definition) }
        fetcher.succeed(with: "new")
        #expect(task.value == "new")
    }

    @Test("a fetch is one event of success, however many observe and wait", .rule("T88"))
    func oneEventPerFetch() {
        let fetcher = lab.fetcher(returning: String.self)
        let observers = (0..<3).map { _ in client.observe(users(fetcher)) }
        defer { for observer in observers { observer.cancel() } }
        let tasks = (0..<3).map { _ in lab.start { [client] in try await client.fetch(users(fetcher)) } }
        fetcher.succeed(with: "Ann")
        #expect(tasks.allSatisfy { $0.value == "Ann" })
        #expect(lab.log.filter { $0 == "users fresh" }.count == 1)
        #expect(fetcher.calls.count == 1)
    }
}

@Suite("Defaults")
struct DefaultsTests {
    private func staleAfter(_ client: QueryClient, _ definition: QueryDefinition<Int>) throws -> StaleTime {
        let observer = client.observe(definition)
        defer { observer.cancel() }
        let place = try #require(client.inspect().entries[definition.key])
        return place.entry.options.values.staleAfter
    }

    @Test("client, then prefixes in the order they were set, then the definition", .rule("T87"))
    func layers() throws {
        var options = QueryOptions()
        options.staleAfter = .seconds(1)
        let client = QueryLab(options: options).client
        client.setDefaults(for: QueryKey("users", 1)) { $0.staleAfter = .seconds(2) }
        client.setDefaults(for: "users") { $0.staleAfter = .seconds(3) }
        #expect(try staleAfter(client, .value("posts")) == .seconds(1))
        #expect(try staleAfter(client, .value("users")) == .seconds(3))
        #expect(try staleAfter(client, .value(QueryKey("users", 1, "posts"))) == .seconds(3))
        #expect(try staleAfter(client, .value(QueryKey("users", 2)).staleAfter(.never)) == .never)
        #expect(try staleAfter(client, .value("users2")) == .seconds(1))
    }

    @Test("setting the defaults of a path again replaces them where they were", .rule("T87"))
    func again() throws {
        let client = QueryLab().client
        client.setDefaults(for: "users") {
            $0.staleAfter = .seconds(1); $0.keepFor = .seconds(7)
        }
        client.setDefaults(for: QueryKey("users", 1)) { $0.staleAfter = .seconds(2) }
        client.setDefaults(for: "users") { $0.staleAfter = .seconds(3) }
        #expect(try staleAfter(client, .value(QueryKey("users", 1))) == .seconds(2))
        #expect(try staleAfter(client, .value(QueryKey("users", 2))) == .seconds(3))
        let place = try #require(client.inspect().entries[QueryKey("users", 2)])
        #expect(place.entry.options.values.keepFor == QueryOptions().keepFor)
    }
}
