import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The cache in UserDefaults")
struct UserDefaultsQueryCacheTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    /// Runs a test with a separate defaults database. The cases of one test run at the same time.
    private func withDefaults(_ body: (UserDefaults, UserDefaultsQueryCache) throws -> Void) throws {
        let suite = "pigeon.tests.\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defaults.removePersistentDomain(forName: suite)
        defer { defaults.removePersistentDomain(forName: suite) }
        try body(defaults, UserDefaultsQueryCache(defaults: defaults))
    }

    private func has(_ cache: UserDefaultsQueryCache, _ key: QueryKey) -> Bool {
        cache.isValueValid(forKey: key, timestamp: start, andInvalidationPolicy: .notExpires)
    }

    @Test("A value comes out as it went in, with its time")
    func roundTrip() throws {
        try withDefaults { defaults, cache in
            cache.save(["a", "b"], for: QueryKey("a/b", "c"), andTimestamp: start)
            cache.save("plain", for: QueryKey("a", "b/c"), andTimestamp: start)
            let other = UserDefaultsQueryCache(defaults: defaults)
            #expect(other.get(for: QueryKey("a/b", "c")) == ["a", "b"])
            #expect(other.get(for: QueryKey("a", "b/c")) == "plain")
            #expect(other.savedAt(for: QueryKey("a/b", "c")) == start)
            #expect((other.get(for: "nothing") as String?) == nil)
            #expect(other.savedAt(for: "nothing") == nil)
            #expect(!has(other, "nothing"))
        }
    }

    @Test("Other settings are never touched, also by emptying")
    func foreignKeys() throws {
        try withDefaults { defaults, cache in
            let foreign = ["users", "pigeon.query", "pigeon.queryX/users", "pigeon.query.stale/users", "other/users"]
            for name in foreign { defaults.set("mine", forKey: name) }
            cache.save(1, for: "users", andTimestamp: start)
            cache.markStale(.all)
            cache.removeAll()
            #expect(!has(cache, "users"))
            #expect(foreign.allSatisfy { defaults.string(forKey: $0) == "mine" })
        }
    }

    @Test("Two namespaces in one database never meet")
    func namespaces() throws {
        try withDefaults { defaults, _ in
            let names = ["a", "a/b", "a.stale", "a%stale", "a%2Fb", ""]
            let caches = names.map { UserDefaultsQueryCache(defaults: defaults, namespace: $0) }
            for (index, cache) in caches.enumerated() {
                cache.save(index, for: QueryKey("b", "c"), andTimestamp: start)
                cache.save(index, for: "c", andTimestamp: start)
            }
            for (index, cache) in caches.enumerated() {
                #expect(cache.get(for: QueryKey("b", "c")) == index)
                #expect(cache.get(for: "c") == index)
            }
            caches[0].markStale(.all)
            #expect(caches.dropFirst().allSatisfy { !$0.isMarkedStale("c") })
            caches[0].removeAll()
            for (index, cache) in caches.enumerated().dropFirst() { #expect(cache.get(for: "c") == index) }
            #expect(!has(caches[0], "c"))
        }
    }

    /// With the slash before it, each of these first characters is one character.
    @Test(
        "A key that begins with a combining mark is in every scope, and goes with the others",
        arguments: [
            "\u{200D}", "\u{301}a", "\u{FE0F}/b", "\u{20E3}",
        ])
    func combiningMarks(text: String) throws {
        try withDefaults { _, cache in
            let key = QueryKey(text, "b").tagged("t")
            for scope in [QueryRecordScope.all, .path(QueryKey(text)), .tag("t")] {
                cache.save(1, for: key, andTimestamp: start)
                cache.markStale(scope)
                #expect(cache.isMarkedStale(key), "\(scope)")
                cache.remove(scope)
                #expect(cache.savedAt(for: key) == nil, "\(scope)")
            }
            cache.save(1, for: key, andTimestamp: start)
            cache.removeValues(under: QueryKey(text)) { $0 == key }
            #expect(cache.savedAt(for: key) == nil)
            cache.save(1, for: key, andTimestamp: start)
            cache.markStale(.key(key))
            cache.removeAll()
            #expect(cache.savedAt(for: key) == nil && !cache.isMarkedStale(key))
        }
    }

    @Test("A value that does not decode is a miss, is noted and removed, and takes no other with it")
    func undecodable() throws {
        try withDefaults { _, cache in
            cache.save("text", for: "a", andTimestamp: start)
            cache.save(2, for: "b", andTimestamp: start)
            #expect(has(cache, "a"))
            #expect((cache.get(for: "a") as Int?) == nil)
            #expect(!has(cache, "a"), "it can never pass for valid")
            #expect(cache.savedAt(for: "a") == nil)
            #expect((cache.get(for: "a") as String?) == nil)
            #expect(cache.get(for: "b") == 2)
            #expect(cache.takeProblems().map(\.key) == ["a"])
            #expect(cache.takeProblems().isEmpty)
        }
    }

    @Test("A value that cannot be encoded is noted, and its older version does not stay in its place")
    func unencodable() throws {
        try withDefaults { _, cache in
            cache.save(1.0, for: "a", andTimestamp: start)
            cache.save(Double.nan, for: "a", andTimestamp: start)
            #expect(!has(cache, "a"))
            #expect(cache.takeProblems().map(\.key) == ["a"])
        }
    }

    @Test("A value for which there is no room, as on tvOS, is noted, and its older version does not stay in its place")
    func limit() throws {
        try withDefaults { defaults, other in
            let cache = UserDefaultsQueryCache(defaults: defaults, clock: SystemClock(), byteLimit: 900)
            let text = String(repeating: "a", count: 300)
            for key in ["a", "b"] as [QueryKey] { cache.save(text, for: key, andTimestamp: start) }
            cache.save(text + text, for: "b", andTimestamp: start)
            #expect(cache.get(for: "a") == text)
            #expect(!has(cache, "b"))
            #expect(cache.takeProblems().map(\.key) == ["b"])
            cache.save(text, for: "b", andTimestamp: start)
            cache.save(text, for: "b", andTimestamp: start)
            #expect(has(cache, "b"), "the value that is replaced does not count")
            other.save(text + text, for: "b", andTimestamp: start)
            #expect(other.takeProblems().isEmpty, "elsewhere there is no limit")
        }
    }

    @Test("Invalidating removes the value, its time and its mark")
    func invalidate() throws {
        try withDefaults { defaults, cache in
            let before = Set(defaults.dictionaryRepresentation().keys)
            cache.save(1, for: "a", andTimestamp: start)
            cache.markStale(.key("a"))
            cache.invalidate(for: "a")
            #expect((cache.get(for: "a") as Int?) == nil)
            #expect(cache.savedAt(for: "a") == nil)
            #expect(!cache.isMarkedStale("a"))
            #expect(Set(defaults.dictionaryRepresentation().keys) == before)
        }
    }

    @Test("marks reach what a scope names, stay with the value, and go with a new one", .rule("A19"))
    func marks() throws {
        try withDefaults { _, cache in
            let keys = [QueryKey("users"), QueryKey("users", 1).tagged("people"), QueryKey("posts").tagged("people")]
            let scopes: [(QueryRecordScope, [String])] = [
                (.key(QueryKey("users", 1)), ["users/1"]), (.path("users"), ["users", "users/1"]),
                (.tag("people"), ["posts", "users/1"]), (.all, ["posts", "users", "users/1"]), (.key("nobody"), []),
            ]
            for (scope, expected) in scopes {
                for key in keys { cache.save(1, for: key, andTimestamp: start) }
                cache.markStale(scope)
                #expect(keys.filter(cache.isMarkedStale).map(\.queryKeyValue).sorted() == expected)
                #expect(keys.filter { !has(cache, $0) }.map(\.queryKeyValue).sorted() == expected)
                #expect(keys.allSatisfy { (cache.get(for: $0) as Int?) == 1 })
            }
            #expect(!cache.isMarkedStale("nobody"))
        }
    }
}

@Suite("Cache configuration")
struct QueryCacheConfigTests {
    private typealias Policy = QueryCacheConfig.InvalidationPolicy
    private static let start = Date(timeIntervalSinceReferenceDate: 0)

    @Test(
        "A value is valid by its policy and its age",
        arguments: [
            (Policy.notExpires, 1e12, true), (.notExpires, -1e12, true), (.expiresAfter(10), 0, true),
            (.expiresAfter(10), 9.99, true), (.expiresAfter(10), 10, false), (.expiresAfter(10), 11, false),
            (.expiresAfter(10), -1e12, false), (.expiresAfter(10), -0.1, false), (.expiresAfter(0), 0, false),
            (.expiresAfter(0), -5, false), (.expiresAfter(.infinity), -5, true), (.expiresAfter(-1), 0, false),
            (.expiresAfter(.nan), 0, false), (.expiresAfter(.infinity), 1e12, true),
            (.expiresAfter(-.infinity), 0, false),
        ])
    private func table(_ policy: Policy, _ age: TimeInterval, _ isValid: Bool) {
        #expect(policy.isValid(savedAt: Self.start, now: Self.start.addingTimeInterval(age)) == isValid)
    }

    @Test("The stock configuration never expires and uses what is cached when a fetch fails")
    func stock() {
        #expect(QueryCacheConfig() == QueryCacheConfig(invalidationPolicy: .notExpires, usagePolicy: .useIfFetchFails))
    }
}

/// Each test has its own shared state, because the state that it sets is otherwise shared by the whole process.
@Suite("The shared client", OwnSharedState())
struct SharedClientTests {
    @Test("the program's own client is the one of code that names none", .rule("A94"))
    func setShared() {
        let client = QueryClient(dependencies: Dependencies("server"))
        QueryClient.setShared(client)
        #expect(QueryClient.shared === client)
        #expect(QueryClient.shared.dependencies[String.self] == "server")
    }

    @Test("a shared client that is in use is replaced for later code alone, and reports it", .rule("A94"))
    func setLate() {
        let (old, new) = (QueryClient.shared, QueryClient())
        let events = EventRecorder(old)
        QueryClient.setShared(new)
        #expect(QueryClient.shared === new)
        #expect(events.lines.contains { $0.contains("was in use already") })
        QueryClient.setShared(new)
        #expect(events.lines.count == 1)
    }
}

@Suite("What queries use when they name nothing", OwnSharedState())
struct GlobalCacheTests {
    @Test("The global cache is the one in memory until it is replaced")
    func cache() {
        #expect(QueryCache.global as? InMemoryQueryCache === InMemoryQueryCache.shared)
        defer { QueryCache.setGlobal(InMemoryQueryCache.shared) }
        let mine = InMemoryQueryCache(costLimit: 10)
        QueryCache.setGlobal(mine)
        #expect(QueryCache.global as? InMemoryQueryCache === mine)
        QueryCache.setGlobal(QueryCache(wrappedCache: UserDefaultsQueryCache.shared))
        #expect(QueryCache.global is UserDefaultsQueryCache)
        QueryCache.setGlobal(.inMemory)
        #expect(QueryCache.global as? InMemoryQueryCache === InMemoryQueryCache.shared)
        QueryCache.setGlobal(QueryCache.userDefaults)
        #expect(QueryCache.global as? UserDefaultsQueryCache === UserDefaultsQueryCache.shared)
        let named: any QueryCacheType = .userDefaults
        #expect(named as? UserDefaultsQueryCache === UserDefaultsQueryCache.shared)
    }

    @Test("The global configuration is the stock one until it is replaced")
    func config() {
        #expect(QueryCacheConfig.global == QueryCacheConfig())
        defer { QueryCacheConfig.setGlobal(QueryCacheConfig()) }
        let mine = QueryCacheConfig(invalidationPolicy: .expiresAfter(5), usagePolicy: .useAndThenFetch)
        QueryCacheConfig.setGlobal(mine)
        #expect(QueryCacheConfig.global == mine)
    }
}

/// Runs a suite with its own client, cache and configuration instead of the program's shared ones.
private struct OwnSharedState: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SharedState.$current.withValue(SharedState()) { try await function() }
    }
}
