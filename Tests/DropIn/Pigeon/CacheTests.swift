import Foundation
import Pigeon
import Testing

/// A cache of an old program's, with the four functions that there were.
/// guide: stored property of `Sendable`-conforming class is mutable
final class OwnCache: QueryCacheType, @unchecked Sendable {
    // uses: QueryCacheType, QueryCacheType.save(_:for:andTimestamp:), QueryCacheType.invalidate(for:)
    // uses: QueryCacheType.isValueValid(forKey:timestamp:andInvalidationPolicy:), QueryCacheType.get(for:)
    private let lock = NSLock()
    private var values: [QueryKey: (data: Data, timestamp: Date)] = [:]

    func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        guard let data = try? JSONEncoder().encode([value]) else { return }
        lock.lock()
        defer { lock.unlock() }
        values[key] = (data, timestamp)
    }

    func invalidate(for key: QueryKey) {
        lock.lock()
        defer { lock.unlock() }
        values[key] = nil
    }

    func isValueValid(
        forKey key: QueryKey,
        timestamp: Date,
        andInvalidationPolicy invalidationPolicy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard let saved = values[key] else { return false }
        switch invalidationPolicy {
        case .notExpires:
            return true
        case let .expiresAfter(seconds):
            return saved.timestamp.addingTimeInterval(seconds) > timestamp
        }
    }

    func get<T: Codable>(for key: QueryKey) -> T? {
        lock.lock()
        defer { lock.unlock() }
        guard let data = values[key]?.data else { return nil }
        return (try? JSONDecoder().decode([T].self, from: data))?.first
    }

    var keys: [String] {
        lock.lock()
        defer { lock.unlock() }
        return values.keys.map(\.queryKeyValue).sorted()
    }
}

@MainActor
@Suite("Pigeon 0.1: caches and configuration", OwnSharedState(), .timeLimit(.minutes(1)))
struct CacheTests {
    // uses: QueryCacheConfig, QueryCacheConfig.InvalidationPolicy, QueryCacheConfig.InvalidationPolicy.notExpires
    // uses: QueryCacheConfig.InvalidationPolicy.expiresAfter, QueryCacheConfig.UsagePolicy
    // uses: QueryCacheConfig.UsagePolicy.useInsteadOfFetching, QueryCacheConfig.UsagePolicy.useIfFetchFails
    // uses: QueryCacheConfig.UsagePolicy.useAndThenFetch
    @Test func `there are two invalidation policies, and three usage policies`() {
        let policies: [QueryCacheConfig.InvalidationPolicy] = [.notExpires, .expiresAfter(1000)]
        let texts = policies.map { policy -> String in
            switch policy {
            case .notExpires: return "never"
            case let .expiresAfter(seconds): return "\(seconds)"
            }
        }
        #expect(texts == ["never", "1000.0"])
        let usages: [QueryCacheConfig.UsagePolicy] = [.useInsteadOfFetching, .useIfFetchFails, .useAndThenFetch]
        let numbers = usages.map { usage -> Int in
            switch usage {
            case .useInsteadOfFetching: return 0
            case .useIfFetchFails: return 1
            case .useAndThenFetch: return 2
            }
        }
        #expect(numbers == [0, 1, 2])
        #expect(usages[0] == .useInsteadOfFetching && Set(usages).count == 3)
    }

    // uses: QueryCacheConfig.init(), QueryCacheConfig.init(invalidationPolicy:), QueryCacheConfig.init(usagePolicy:)
    // uses: QueryCacheConfig.init(invalidationPolicy:usagePolicy:), QueryCacheConfig.global, QueryCacheConfig.setGlobal(_:)
    @Test func `the configuration is that of the query, or the global one`() {
        let configs = [
            QueryCacheConfig(), QueryCacheConfig(invalidationPolicy: .notExpires),
            QueryCacheConfig(usagePolicy: .useIfFetchFails),
            QueryCacheConfig(invalidationPolicy: .notExpires, usagePolicy: .useIfFetchFails), QueryCacheConfig.global,
            .global,
        ]
        #expect(Set(configs).count == 1)
        QueryCacheConfig.setGlobal(QueryCacheConfig(usagePolicy: .useInsteadOfFetching))
        let fetched = Notes<Int>()
        let users = Query<Void, [User]>(
            key: .users,
            fetcher: {
                fetched.add(1)
                return answer([ann])
            })
        QueryCacheConfig.setGlobal(QueryCacheConfig())
        users.refetch(request: ())
        users.refetch(request: ())
        #expect(fetched.all.count == 1)
    }

    // uses: QueryCache, QueryCache.init(wrappedCache:), QueryCache.global, QueryCache.setGlobal(_:)
    // uses: QueryCache.inMemory, QueryCache.userDefaults
    // guide: `QueryCache.setGlobal(.userDefaults)`, `QueryCache(wrappedCache:)`
    @Test func `the cache is that of the query, or the global one`() {
        QueryCache.setGlobal(.inMemory)
        #expect(QueryCache.global as? InMemoryQueryCache === InMemoryQueryCache.shared)
        QueryCache.setGlobal(.userDefaults)
        #expect(QueryCache.global is UserDefaultsQueryCache)
        for isTesting in [true, false] {
            QueryCache.setGlobal(isTesting ? .inMemory : .userDefaults)
            #expect((QueryCache.global is InMemoryQueryCache) == isTesting)
        }
        let wrappers: [QueryCache] = [.userDefaults, QueryCache.inMemory, QueryCache(wrappedCache: OwnCache())]
        for wrapper in wrappers { QueryCache.setGlobal(wrapper) }
        #expect(QueryCache.global is OwnCache)
        let own = OwnCache()
        QueryCache.setGlobal(.init(wrappedCache: own))
        let users = Query<Void, [User]>(key: .users, behavior: .startImmediately(()), fetcher: { answer([ann]) })
        #expect(users.state.value?.count == 1 && own.keys == ["users"])
        QueryCache.setGlobal(own)
        #expect(QueryCache.global as? OwnCache === own)
    }

    // uses: InMemoryQueryCache, InMemoryQueryCache.shared, InMemoryQueryCache.save(_:for:andTimestamp:)
    // uses: InMemoryQueryCache.get(for:), InMemoryQueryCache.invalidate(for:)
    // uses: InMemoryQueryCache.isValueValid(forKey:timestamp:andInvalidationPolicy:)
    @Test func `a cache in memory keeps what is saved`() {
        check(InMemoryQueryCache.shared)
    }

    // uses: UserDefaultsQueryCache, UserDefaultsQueryCache.shared
    // uses: UserDefaultsQueryCache.save(_:for:andTimestamp:), UserDefaultsQueryCache.get(for:)
    // uses: UserDefaultsQueryCache.invalidate(for:)
    // uses: UserDefaultsQueryCache.isValueValid(forKey:timestamp:andInvalidationPolicy:)
    @Test func `a cache in the settings keeps what is saved`() {
        check(UserDefaultsQueryCache.shared)
    }

    @Test func `a cache of one's own keeps what is saved`() {
        check(OwnCache())
    }

    private func check(_ cache: QueryCacheType) {
        let key = QueryKey(value: UUID().uuidString).appending("1")
        let now = Date(timeIntervalSince1970: 1_000_000)
        #expect(!cache.isValueValid(forKey: key, timestamp: now, andInvalidationPolicy: .expiresAfter(60)))
        cache.save(ann, for: key, andTimestamp: now)
        let user: User? = cache.get(for: key)
        #expect(user?.name == "Ann")
        let other: [Int]? = cache.get(for: key)
        #expect(other == nil)
        cache.save(bob, for: key, andTimestamp: now)
        let later = now.addingTimeInterval(59.5)
        #expect(cache.isValueValid(forKey: key, timestamp: later, andInvalidationPolicy: .expiresAfter(60)))
        #expect(!cache.isValueValid(forKey: key, timestamp: later, andInvalidationPolicy: .expiresAfter(59)))
        #expect(cache.isValueValid(forKey: key, timestamp: later, andInvalidationPolicy: .notExpires))
        cache.invalidate(for: key)
        let none: User? = cache.get(for: key)
        #expect(none == nil)
    }

    private func users(
        _ cache: QueryCacheType, _ usage: QueryCacheConfig.UsagePolicy, for seconds: TimeInterval? = nil,
        _ notes: Notes<String>, fails: Bool = false
    ) -> Query<Int, User> {
        Query<Int, User>(
            key: .users,
            keyAdapter: { key, id in
                key.appending(id.description)
            },
            behavior: .startImmediately(1),
            cache: cache,
            cacheConfig: QueryCacheConfig(
                invalidationPolicy: seconds.map { .expiresAfter($0) } ?? .notExpires, usagePolicy: usage),
            fetcher: { id in
                notes.add("\(id)")
                return fails ? failure() : answer(User(id: id, name: "fetched"))
            })
    }

    /// What each usage policy makes of a cache of an old program's, at its next start.
    ///
    /// guide: `QueryCacheType`
    @Test func `a cache of one's own decides what is valid`() {
        let (cache, key) = (OwnCache(), QueryKey.users.appending("1"))
        cache.save(User(id: 1, name: "cached"), for: key, andTimestamp: Date())
        var notes = Notes<String>()
        #expect(users(cache, .useInsteadOfFetching, for: 1000, notes).state.value?.name == "cached")
        #expect(notes.all == [])
        QueryClient.shared.dropUnobserved()
        #expect(users(cache, .useIfFetchFails, for: 1000, notes, fails: true).state.value?.name == "cached")
        #expect(notes.all == ["1"])

        cache.save(User(id: 1, name: "cached"), for: key, andTimestamp: Date(timeIntervalSinceNow: -2000))
        QueryClient.shared.dropUnobserved()
        notes = Notes<String>()
        #expect(users(cache, .useIfFetchFails, for: 1000, notes, fails: true).state.label == "failed")
        QueryClient.shared.dropUnobserved()
        #expect(users(cache, .useInsteadOfFetching, notes).state.value?.name == "cached")
        QueryClient.shared.dropUnobserved()
        #expect(users(cache, .useInsteadOfFetching, for: 1000, notes).state.value?.name == "fetched")
        #expect(notes.all == ["1", "1"])
        let saved: User? = cache.get(for: key)
        #expect(saved?.name == "fetched" && cache.keys == ["users/1"])
    }

    // guide: `cache.save(…)` and `cache.invalidate(for:)` in code of your own
    @Test func `what is known of a key is changed in memory and in the cache`() throws {
        let (cache, notes, key) = (OwnCache(), Notes<String>(), QueryKey.users.appending("1"))
        let user = users(cache, .useInsteadOfFetching, notes)
        cache.invalidate(for: key)
        user.refetch(request: 1)
        #expect(notes.all == ["1"])
        QueryClient.shared.remove(.key(key))
        user.refetch(request: 1)
        #expect(notes.all == ["1", "1"] && cache.keys == ["users/1"])
        try QueryClient.shared.set(bob, for: key)
        let saved: User? = cache.get(for: key)
        #expect(user.state.value?.name == "Bob" && saved?.name == "Bob")
        QueryClient.shared.remove(.key(key))
        #expect(cache.keys == [])
    }

    @Test func `a list is cached, also by a cache of one's own`() {
        let (cache, fetched) = (OwnCache(), Notes<Int>())
        func cards() -> Numbers {
            Numbers(
                key: QueryKey(value: "cards"),
                firstPage: NumericPaginatedQueryKey(current: 0),
                behavior: .startImmediately(()),
                cache: cache,
                cacheConfig: QueryCacheConfig(
                    invalidationPolicy: .expiresAfter(1000),
                    usagePolicy: .useInsteadOfFetching
                ),
                fetcher: { request, page in
                    fetched.add(page.current)
                    return answer([page.current])
                }
            )
        }
        func firstStart() {
            let list = cards()
            list.fetchNextPage()
            #expect(list.items == [0, 1])
        }
        firstStart()
        QueryClient.shared.dropUnobserved()
        let list = cards()
        #expect(list.items == [0, 1] && list.state.value == [0, 1])
        #expect(fetched.all == [0, 1])
        list.fetchNextPage()
        #expect(fetched.all == [0, 1, 2])
    }

    @Test func `a query that waits to be asked shows what is cached`() {
        let cache = OwnCache()
        cache.save([ann], for: .users, andTimestamp: Date())
        let usages: [QueryCacheConfig.UsagePolicy] = [.useInsteadOfFetching, .useAndThenFetch, .useIfFetchFails]
        let counts = usages.map { usage -> Int? in
            QueryClient.shared.dropUnobserved()
            return Query<Void, [User]>(
                key: .users, cache: cache, cacheConfig: QueryCacheConfig(usagePolicy: usage), fetcher: { failure() }
            ).state.value?.count
        }
        #expect(counts == [1, 1, nil])
    }
}
