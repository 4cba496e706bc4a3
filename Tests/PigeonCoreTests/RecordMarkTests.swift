import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Marks and removals in caches")
struct RecordMarkTests {
    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private var client: QueryClient { lab.client }
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    init() throws {
        lab = QueryLab(cache: store)
        try store.put("u1", for: QueryKey("users", 1).tagged("people"), savedAt: start)
        try store.put("u2", for: QueryKey("users", 2), savedAt: start)
        try store.put("p", for: QueryKey("posts").tagged("people"), savedAt: start)
    }

    private func definition(_ key: QueryKey) -> QueryDefinition<String> {
        QueryDefinition<String>.value(key).staleAfter(.never).persisted()
    }

    private var marked: [String] {
        store.keys.filter { store.isMarkedStale(QueryKey(canonical: $0)) }
    }

    @Test(
        "an invalidation marks the records that are not in memory", .rule("A19"),
        arguments: [
            (KeyFilter.path("users"), ["users/1", "users/2"]), (.key("users", 1), ["users/1"]),
            (.tag("people"), ["posts", "users/1"]), (.all, ["posts", "users/1", "users/2"]), (.path("user"), []),
        ])
    func marks(_ filter: KeyFilter, _ expected: [String]) {
        client.invalidate(filter)
        lab.advance(by: .milliseconds(100))
        #expect(marked == expected)
        #expect(client.count == 0)
        #expect(store.batches.count == 1)
    }

    @Test("an invalidation by condition marks the records of what it matches", .rule("A19"))
    func marksByCondition() {
        for id in 1...2 { client.observe(definition(QueryKey("users", id))).cancel() }
        client.invalidate(.path("users").and(.where { $0.key.components.last == "2" }), refetch: .none)
        lab.flush()
        #expect(marked == ["users/2"])
    }

    @Test("a record whose mark is on its way is read as marked", .rule("A19"))
    func readBeforeWritten() {
        client.invalidate(.path("users"))
        let observer = client.observe(definition(QueryKey("users", 1)))
        #expect(observer.value == "u1")
        #expect(observer.snapshot.isStale)
        #expect(!client.observe(definition("posts")).snapshot.isStale)
    }

    @Test("a mark that comes while the value is being written counts", .rule("A19"))
    func markedWhileWritten() throws {
        try client.set("new", for: definition(QueryKey("users", 1)))
        client.dropUnobserved()
        let seen = Locked<(value: String?, isStale: Bool)?>(nil)
        store.onApply { [client, store, definition = definition(QueryKey("users", 1))] _ in
            store.onApply(nil)
            client.invalidate(.path("users"), refetch: .none)
            let snapshot = client.observe(definition).snapshot
            seen.withLock { $0 = (snapshot.value, snapshot.isStale) }
        }
        lab.flush()
        #expect(seen.withLock { $0?.value } == "new")
        #expect(seen.withLock { $0?.isStale } == true)
        lab.flush()
        #expect(marked == ["users/1", "users/2"])
    }

    @Test("A fresh value takes the mark away")
    func freshValue() throws {
        client.invalidate(.path("users"))
        try client.set("new", for: definition(QueryKey("users", 1)))
        lab.flush()
        #expect(marked == ["users/2"])
        #expect(store.get(for: QueryKey("users", 1)) == "new")
    }

    @Test("A value that was invalidated before it was written is written as marked")
    func markedBeforeWritten() throws {
        try client.set("new", for: definition(QueryKey("users", 1)))
        client.invalidate(.path("users"), refetch: .none)
        lab.flush()
        #expect(store.get(for: QueryKey("users", 1)) == "new")
        #expect(marked == ["users/1", "users/2"])
    }

    @Test(
        "a removal reaches the records that are not in memory", .rule("T83"),
        arguments: [
            (KeyFilter.path("users"), ["posts"]), (.key("users", 1), ["posts", "users/2"]),
            (.tag("people"), ["users/2"]), (.all, []),
        ])
    func removes(_ filter: KeyFilter, _ left: [String]) {
        client.remove(filter)
        lab.advance(by: .milliseconds(100))
        #expect(store.keys == left)
    }

    @Test("a store that removes scopes by itself is not read for a removal", .rule("E13"))
    func removesUnread() {
        let store = ScopedStore(store)
        let lab = QueryLab(cache: store)
        lab.client.remove(.tag("people"))
        lab.client.remove(.path("posts"))
        _ = lab.start { await lab.client.flush() }
        #expect(store.removed.withLock { $0 } == [[.tag("people"), .path("posts")]])
        #expect(store.listings.withLock { $0 } == 0)
        #expect(store.inner.keys == ["users/2"])
    }

    /// A store that removes records by scope.
    private final class ScopedStore: QueryRecordStore {
        let inner: RecordStoreDouble
        let removed = Locked<[[QueryRecordScope]]>([])
        let listings = Locked(0)

        init(_ inner: RecordStoreDouble) { self.inner = inner }

        func record(for key: QueryKey) throws -> QueryRecord? { try inner.record(for: key) }

        func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
            listings.withLock { $0 += 1 }
            return try inner.records(under: path)
        }

        func apply(_ changes: [QueryRecordChange]) throws { try inner.apply(changes) }

        func apply(_ changes: [QueryRecordChange], removing scopes: [QueryRecordScope]) throws {
            removed.withLock { $0.append(scopes) }
            try inner.apply(changes, removing: scopes)
        }
    }

    @Test("a list that is not in memory is removed with its pages", .rule("T83"))
    func removesPages() async {
        let feed = QueryDefinition.pages("feed", first: 1) { page, _ in
            ["p\(page)"]
        } next: { _, page in
            page + 1
        }
        .persisted()
        let first = lab.start { [client] in try await client.fetchNextPage(of: feed) }
        let second = lab.start { [client] in try await client.fetchNextPage(of: feed) }
        #expect(first.value?.count == 1 && second.value?.count == 2)
        lab.flush()
        #expect(store.keys.count { $0.hasPrefix("feed") } == 3)
        client.dropUnobserved()
        client.remove(.key("feed"))
        lab.flush()
        #expect(store.keys == ["posts", "users/1", "users/2"])
    }

    @Test("a record whose removal is on its way is not read any more", .rule("T83"))
    func removedBeforeWritten() throws {
        client.remove(.path("users"))
        #expect(client.observe(definition(QueryKey("users", 1))).value == nil)
        try client.set("again", for: definition(QueryKey("users", 2)))
        lab.flush()
        #expect(store.keys == ["posts", "users/2"])
        #expect(store.get(for: QueryKey("users", 2)) == "again")
    }

    @Test("a reset removes the record", .rule("T82"))
    func reset() {
        client.observe(definition(QueryKey("users", 1))).cancel()
        client.reset(.path("users"))
        #expect(client.observe(definition(QueryKey("users", 1))).value == nil)
        lab.flush()
        #expect(store.keys == ["posts", "users/2"])
    }

    // MARK: Caches that are written at once

    @Test("A cache of four methods keeps values, and forgets what is invalidated, as it keeps no marks")
    func plainCache() throws {
        let cache = PlainCache()
        let lab = QueryLab(cache: cache)
        for id in 1...3 { try lab.client.set("u\(id)", for: definition(QueryKey("users", id))) }
        #expect(cache.keys == ["users/1", "users/2", "users/3"], "at once")
        let other = QueryLab(cache: cache)
        other.shiftWallClock(by: .seconds(5))
        let observer = other.client.observe(definition(QueryKey("users", 1)))
        #expect(observer.value == "u1")
        #expect(observer.snapshot.age == .seconds(5))
        #expect(!observer.snapshot.isStale)
        lab.client.remove(.key("users", 3))
        #expect(cache.keys == ["users/1", "users/2"])
        lab.client.invalidate(.path("users"), refetch: .none)
        #expect(cache.keys.isEmpty, "it would pass them off as valid")
    }

    @Test("A list in a cache of four methods ends before a page that is gone, and that is reported as for a store")
    func plainList() throws {
        typealias List = Pages<String, Int>
        let (cache, definition) = (PlainCache(), QueryDefinition<List>.value("list").staleAfter(.never).persisted())
        let list = List([.init(id: 1, page: "a"), .init(id: 2, page: "b")], nextID: 3)
        try QueryLab(cache: cache).client.set(list, for: definition)
        #expect(QueryLab(cache: cache).client.value(of: definition) == list)
        cache.invalidate(for: QueryKey("list", "~page", String(list.loaded(at: 1).stamp, radix: 16)))
        let lab = QueryLab(cache: cache)
        #expect(lab.client.value(of: definition).map { Array($0) } == ["a"])
        #expect(lab.client.value(of: definition)?.nextID == 2)
        #expect(lab.log.contains("list cache problem: page 2 of 2 did not decode: the list ends before it"))
    }

    @Test("A cache in memory keeps marks, for what is in the client and what is not")
    func memoryCache() throws {
        let cache = InMemoryQueryCache()
        let lab = QueryLab(cache: cache)
        for id in 1...2 { try lab.client.set("u\(id)", for: definition(QueryKey("users", id))) }
        lab.client.dropUnobserved()
        lab.client.invalidate(.path("users"))
        let observer = lab.client.observe(definition(QueryKey("users", 1)))
        #expect(observer.value == "u1")
        #expect(observer.snapshot.isStale)
        try lab.client.set("new", for: definition(QueryKey("users", 1)))
        #expect(!cache.isMarkedStale(QueryKey("users", 1)))
        #expect(cache.isMarkedStale(QueryKey("users", 2)))
    }

    @Test(
        "a cache in memory and one in UserDefaults forget what a removal names, also what the client has not got",
        .rule("E13"),
        arguments: [
            (KeyFilter.path("users"), [3]), (.key("users", 1), [2, 3]), (.tag("people"), [2]), (.all, []),
        ])
    func removesFromCache(_ filter: KeyFilter, _ left: [Int]) throws {
        let suite = "pigeon.tests.removal.\(left)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defaults.removePersistentDomain(forName: suite)
        defer { defaults.removePersistentDomain(forName: suite) }
        let keys = [QueryKey("users", 1).tagged("people"), QueryKey("users", 2), QueryKey("posts").tagged("people")]
        for cache in [InMemoryQueryCache(), UserDefaultsQueryCache(defaults: defaults)] as [any QueryCacheType] {
            let lab = QueryLab(cache: cache)
            for key in keys { try lab.client.set("u", for: definition(key)) }
            lab.client.dropUnobserved()
            lab.client.remove(filter)
            let kept = (1...3).filter { (cache.get(for: keys[$0 - 1]) as String?) != nil }
            #expect(kept == left)
        }
    }

    /// A cache that is a struct, as a cache of the user's own may be.
    private struct StructCache: QueryCacheType {
        let inner: PlainCache
        let marks: Counter
        func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
            inner.save(value, for: key, andTimestamp: timestamp)
        }
        func invalidate(for key: QueryKey) { inner.invalidate(for: key) }
        func isValueValid(
            forKey key: QueryKey, timestamp: Date, andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
        ) -> Bool { inner.isValueValid(forKey: key, timestamp: timestamp, andInvalidationPolicy: policy) }
        func get<T: Codable>(for key: QueryKey) -> T? { inner.get(for: key) }
        func markStale(_ scope: QueryRecordScope) { marks.add() }
    }

    private final class Counter: Sendable {
        private let count = Locked(0)
        func add() { count.withLock { $0 += 1 } }
        var value: Int { count.withLock { $0 } }
    }

    @Test("A cache that is a struct is one cache, however many keys use it")
    func structCache() throws {
        let cache = StructCache(inner: PlainCache(), marks: Counter())
        for id in 1...10 {
            let key = QueryKey("users", id)
            try client.set("u", for: QueryDefinition<String>.value(key).persisted(in: cache))
        }
        client.invalidate(.path("nobody"))
        #expect(cache.marks.value == 1)
    }
}
