import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Hydration")
struct HydrationTests {
    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private var client: QueryClient { lab.client }
    private let start = Date(timeIntervalSinceReferenceDate: 0)
    private let key = QueryKey("users", 1)

    init() {
        lab = QueryLab(cache: store)
    }

    private func user(_ fetcher: ScriptedFetcher<String>) -> QueryDefinition<String> {
        QueryDefinition(key, fetch: fetcher.fetch).staleAfter(.seconds(60)).persisted()
    }

    @Test("a stored value is there in the first snapshot, and is not fetched while it is fresh", .rule("T114"))
    func first() throws {
        try store.put("Ann", for: key, savedAt: start.addingTimeInterval(-59))
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        #expect(observer.value == "Ann")
        #expect(observer.snapshot.activity == .idle)
        #expect(observer.snapshot.age == .seconds(59))
        #expect(!observer.snapshot.isFetched)
        #expect(fetcher.calls.isEmpty)
        #expect(lab.log == ["users/1 hydrated"])
        lab.advance(by: .seconds(1))
        #expect(observer.snapshot.isStale)
        #expect(store.reads == [key])
        lab.flush()
        #expect(store.batches.isEmpty, "what was read is not written again")
    }

    @Test("a stored value that is stale is shown and fetched", .rule("T114"))
    func staleByAge() throws {
        try store.put("Ann", for: key, savedAt: start.addingTimeInterval(-60))
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        #expect(observer.value == "Ann")
        #expect(observer.snapshot.isRefetching)
        fetcher.succeed(with: "Bea")
        lab.flush()
        #expect(store.get(for: key) == "Bea")
    }

    @Test(
        "the limits that the server named are there after a restart", .rule("A35"),
        arguments: [(70, true), (71, false)])
    func allowance(age: Int, isReturned: Bool) throws {
        let fetcher = lab.fetcher(returning: String.self)
        let user = QueryDefinition<String>(key) { context in
            context.isFresh(for: .seconds(10))
            context.allowsStale(whileRevalidating: .seconds(60), ifError: nil)
            return try await fetcher.fetch(context)
        }.persisted()
        _ = lab.start { [client] in try await client.fetch(user) }
        fetcher.succeed(with: "Ann")
        lab.flush()
        let restarted = QueryClient(cache: store, environment: lab.environment)
        lab.advance(by: .seconds(age))
        let task = lab.start { try await restarted.fetch(user, .asServerSays) }
        #expect((task.value == "Ann") == isReturned)
    }

    @Test("a clock that was set back makes nothing fresh for longer than its policy", .rule("A4"))
    func clockSetBack() throws {
        try store.put("Ann", for: key, savedAt: start)
        let fetcher = lab.fetcher(returning: String.self)
        lab.shiftWallClock(by: .seconds(-1_000_000))
        let observer = client.observe(user(fetcher))
        #expect(observer.value == "Ann")
        #expect(observer.snapshot.age == .zero)
        #expect(observer.snapshot.isStale && observer.snapshot.isRefetching)
        fetcher.succeed(with: "Bea")
        #expect(!observer.snapshot.isStale)
        lab.advance(by: .seconds(60))
        #expect(observer.snapshot.isStale)
    }

    @Test("a record from the future is stale at each start, until it is fetched", .rule("E13"))
    func fromTheFuture() throws {
        try store.put("Ann", for: key, savedAt: start.addingTimeInterval(1))
        let definition = QueryDefinition<String>.value(key).staleAfter(.seconds(60)).persisted()
        for _ in 1...2 {
            let lab = QueryLab(cache: store)
            let observer = lab.client.observe(definition)
            #expect(observer.value == "Ann")
            #expect(observer.snapshot.isStale)
        }
        let lab = QueryLab(cache: store)
        lab.shiftWallClock(by: .seconds(1))
        #expect(!lab.client.observe(definition).snapshot.isStale)
    }

    @Test("a clock set forward in process does not age what is in memory", .rule("A4"))
    func clockSetForward() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        fetcher.succeed(with: "Ann")
        lab.shiftWallClock(by: .seconds(1_000_000))
        #expect(observer.snapshot.age == .zero)
        #expect(!client.observe(user(fetcher)).snapshot.isStale)
    }

    @Test("A record marked stale is shown and fetched, however young")
    func marked() throws {
        try store.put("Ann", for: key, savedAt: start, isStale: true)
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        #expect(observer.value == "Ann")
        #expect(observer.snapshot.isInvalidated && observer.snapshot.isRefetching)
    }

    @Test("Asking answers from a fresh record without fetching")
    func asking() throws {
        try store.put("Ann", for: key, savedAt: start)
        let fetcher = lab.fetcher(returning: String.self)
        let task = lab.start { [client, definition = user(fetcher)] in try await client.fetch(definition) }
        #expect(task.value == "Ann")
        #expect(fetcher.calls.isEmpty)
    }

    @Test("A second client over the same cache begins where the first left off")
    func secondClient() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        fetcher.succeed(with: "Ann")
        lab.flush()
        let other = QueryLab(cache: store)
        other.shiftWallClock(by: .seconds(10))
        #expect(other.client.observe(user(fetcher)).snapshot.age == .seconds(10))
        #expect(other.client.value(of: key) == "Ann")
        #expect(observer.value == "Ann")
    }

    @Test("Two definitions share one cache, and one may have a cache of its own")
    func sharing() throws {
        let own = RecordStoreDouble()
        try client.set("a", for: .value("a").persisted())
        try client.set(1, for: .value("b").persisted())
        try client.set("c", for: .value("c").persisted(in: own))
        lab.flush()
        #expect(store.saved == [["a", "b"]])
        #expect(own.saved == [["c"]])
        let other = QueryLab(cache: store)
        #expect(other.client.observe(QueryDefinition<Int>.value("b").persisted()).value == 1)
        #expect(other.client.observe(QueryDefinition<String>.value("c").persisted()).value == nil)
        let third = QueryLab(cache: store)
        #expect(third.client.observe(QueryDefinition<String>.value("c").persisted(in: own)).value == "c")
    }

    @Test("An optional value that is nil is stored, and is no miss")
    func storedNil() throws {
        let definition = QueryDefinition<String?>.value("maybe").persisted()
        try client.set(nil, for: definition)
        lab.flush()
        let other = QueryLab(cache: store)
        #expect(other.client.observe(definition).value == .some(nil))
    }

    // MARK: Schemas and corruption

    @Test("a record of another schema is a miss, is reported and removed", .rule("A30"))
    func otherSchema() throws {
        try store.put("Ann", for: key, savedAt: start, schema: 1)
        let observer = client.observe(QueryDefinition<String>.value(key).persisted(schema: 2))
        #expect(observer.value == nil)
        #expect(lab.log == ["users/1 cache problem: the record has schema 1, not 2, and was removed"])
        lab.flush()
        #expect(store.keys.isEmpty)
    }

    @Test("a migration makes a value of an older record", .rule("A30"))
    func migration() throws {
        try store.put(["Ann", "Lee"], for: key, savedAt: start.addingTimeInterval(-5), schema: 1)
        let definition = QueryDefinition<String>.value(key).persisted(schema: 2) { record in
            guard record.schema == 1 else { return nil }
            return try JSONDecoder().decode([[String]].self, from: record.data)[0].joined(separator: " ")
        }
        let observer = client.observe(definition)
        #expect(observer.value == "Ann Lee")
        #expect(observer.snapshot.age == .seconds(5))
        client.update(definition) { $0 += "!" }
        lab.flush()
        #expect(try store.record(for: key)?.schema == 2)
    }

    @Test("a migration that says no or fails leaves a miss", .rule("A30"), arguments: [true, false])
    func failedMigration(throwing: Bool) throws {
        struct Unknown: Error {}
        try store.put("Ann", for: key, savedAt: start, schema: 1)
        let definition = QueryDefinition<String>.value(key).persisted(schema: 2) { _ in
            if throwing { throw Unknown() }
            return nil
        }
        #expect(client.observe(definition).value == nil)
        lab.flush()
        #expect(store.keys.isEmpty)
    }

    @Test(
        "an undecodable record is a miss, is reported by its key and removed, and takes no other with it", .rule("A30"))
    func undecodable() throws {
        try store.put("good", for: QueryKey("users", 2), savedAt: start)
        for (id, text) in [(1, "not json"), (3, "[42]"), (4, ""), (5, "[]"), (6, "{}")] {
            store.put(QueryRecord(data: Data(text.utf8), savedAt: start), for: QueryKey("users", id))
        }
        let fetcher = lab.fetcher(returning: String.self)
        for id in 1...6 {
            let definition = QueryDefinition(QueryKey("users", id), fetch: fetcher.fetch)
            let observer = client.observe(definition.staleAfter(.never).persisted())
            #expect(observer.value == (id == 2 ? "good" : nil))
            #expect(observer.snapshot.isFetching == (id != 2))
        }
        #expect(lab.log.filter { $0.hasSuffix("cache problem: the record did not decode and was removed") }.count == 5)
        #expect(lab.log.contains("users/4 cache problem: the record did not decode and was removed"))
        lab.flush()
        #expect(store.keys == ["users/2"])
    }

    @Test(
        "absurd times in a record are survived", .rule("A30"),
        arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, -1, 0])
    func absurdTimes(seconds: Double) throws {
        let data = try JSONEncoder().encode(["Ann"])
        store.put(QueryRecord(data: data, savedAt: start, freshFor: seconds), for: key)
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        store.put(QueryRecord(data: data, savedAt: date), for: QueryKey("users", 2))
        let observer = client.observe(QueryDefinition<String>.value(key).staleAfter(.seconds(60)).persisted())
        #expect(observer.value == "Ann")
        #expect(observer.snapshot.isStale == !(seconds > 0))
        let other = client.observe(
            QueryDefinition<String>.value(QueryKey("users", 2)).staleAfter(.seconds(60)).persisted())
        #expect(other.value == "Ann")
        #expect((other.snapshot.age ?? .seconds(-1)) >= .zero)
    }

    @Test("a record that could not be read is a miss and is reported, and stays where it is", .rule("A30"))
    func unreadable() throws {
        try store.put("Ann", for: key, savedAt: start)
        store.failReads(true)
        let observer = client.observe(QueryDefinition<String>.value(key).persisted())
        #expect(observer.value == nil)
        #expect(lab.log == ["users/1 cache problem: the record could not be read: Refusal"])
        lab.flush()
        #expect(store.keys == ["users/1"])
    }

    @Test("A value that comes while the record is read is newer, and stays")
    func valueMeanwhile() throws {
        try store.put("old", for: key, savedAt: start)
        let definition = QueryDefinition<String>.value(key).staleAfter(.never)
        store.onRead { [client] _ in try? client.set("new", for: definition) }
        #expect(client.observe(definition.persisted()).value == "new")
    }

    @Test("a value that comes while a damaged record is read is not removed with it", .rule("A30"))
    func damagedMeanwhile() {
        store.put(QueryRecord(data: Data("not json".utf8), savedAt: start), for: key)
        let fetcher = lab.fetcher(returning: String.self)
        let definition = user(fetcher)
        let load = lab.start { [client, key] in try await client.fetch(QueryDefinition(key, fetch: fetcher.fetch)) }
        // The entry takes the edit of the mutation with the record that is being read, and not with the answer.
        var mutation = ScriptedMutation(MutationServer(lab))
        mutation.edits = { $0.update(definition) { $0 += "!" } }
        store.onRead { [lab, store, mutation] _ in
            store.onRead(nil)
            lab.mutate(mutation)
            fetcher.succeed(with: "Ann")
        }
        let observer = client.observe(definition)
        #expect(load.result != nil)
        #expect(observer.value == "Ann!")
        lab.flush()
        #expect(store.get(for: key) == "Ann")
    }

    @Test("an invalidation while the record is read marks it all the same", .rule("A19"))
    func invalidatedMeanwhile() throws {
        try store.put("old", for: key, savedAt: start)
        store.onRead { [client] _ in client.invalidate(.path("users"), refetch: .none) }
        let observer = client.observe(QueryDefinition<String>.value(key).staleAfter(.never).persisted())
        #expect(observer.value == "old")
        #expect(observer.snapshot.isStale)
    }

    @Test("A removal while the record is read leaves nothing")
    func removedMeanwhile() throws {
        try store.put("old", for: key, savedAt: start)
        store.onRead { [client] key in client.remove(.key(key)) }
        #expect(client.observe(QueryDefinition<String>.value(key).persisted()).value == nil)
    }
}
