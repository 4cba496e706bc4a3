import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite("Flaws of Pigeon 0.1.17: cache and state")
struct CacheFlawTests {
    let lab = QueryLab()
    let cache = InMemoryQueryCache()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    /// Runs a test over a defaults database of its own, of which nothing is left on disk.
    private func withDefaults(_ body: (UserDefaults, UserDefaultsQueryCache) throws -> Void) throws {
        let suite = "pigeon.tests.\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        try body(defaults, UserDefaultsQueryCache(defaults: defaults))
    }

    @Test("an empty cache that does not expire is fetched for", .rule("Pigeon P1"))
    func p1() {
        let users = lab.users(server, .startImmediately(()), config: .using(.useInsteadOfFetching), cache: cache)
        #expect(server.callCount == 1)
        server.succeed(with: [ann])
        #expect(users.state.value == [ann])
    }

    @Test("a record that does not decode, or was invalidated, is a miss", .rule("Pigeon P1b"))
    func p1b() throws {
        try withDefaults { _, cache in
            cache.save(["not": "users"], for: "users", andTimestamp: lab.date)
            let users = lab.users(
                server, .startImmediately(()), config: .using(.useInsteadOfFetching, for: 1000), cache: cache)
            #expect(server.callCount == 1)
            #expect(users.state.isLoading)
            cache.save([ann], for: "others", andTimestamp: lab.date)
            cache.invalidate(for: "others")
            let config = QueryCacheConfig(invalidationPolicy: .expiresAfter(1000))
            #expect(
                !cache.isValueValid(
                    forKey: "others", timestamp: lab.date, andInvalidationPolicy: config.invalidationPolicy))
            #expect(cache.savedAt(for: "others") == nil)
        }
    }

    @Test("what is in memory expires, to the fraction of a second", .rule("Pigeon P2"))
    func p2() {
        cache.save(1, for: "a", andTimestamp: lab.date)
        func isValid(after seconds: TimeInterval) -> Bool {
            cache.isValueValid(
                forKey: "a", timestamp: lab.date.addingTimeInterval(seconds), andInvalidationPolicy: .expiresAfter(1.5))
        }
        #expect(isValid(after: 1.4))
        #expect(!isValid(after: 1.5))
    }

    @Test("every policy loads when it has nothing to show, and the last value stays readable", .rule("Pigeon P3"))
    func p3() {
        for policy in [QueryCacheConfig.UsagePolicy.useInsteadOfFetching, .useIfFetchFails, .useAndThenFetch] {
            let lab = QueryLab()
            let server = Server(lab, Void.self, [User].self)
            let users = lab.users(server, .startImmediately(()), config: .using(policy, for: 1))
            #expect(users.state.isLoading)
            server.succeed(with: [ann])
            lab.advance(by: .seconds(2))
            users.refetch(request: ())
            #expect(users.state.isLoading)
            #expect(users.value == [ann])
            server.fail()
            #expect(users.state.error is Broken)
            #expect(users.value == [ann])
        }
    }

    @Test(
        "a cold start shows the value of the adapted key, never that of the base key or another id", .rule("Pigeon P16")
    )
    func p16() {
        cache.save(ann, for: "user", andTimestamp: lab.date)
        cache.save(bob, for: QueryKey("user", 2), andTimestamp: lab.date)
        let server = Server(lab, Int.self, User.self)
        let user = lab.user(server, config: .using(.useInsteadOfFetching), cache: cache)
        #expect("\(user.state)" == "idle")
        #expect(user.value == nil)
        user.refetch(request: 2)
        #expect(user.state.value == bob)
        #expect(server.callCount == 0)
        let void = Query<Void, User>(
            key: "user", keyAdapter: { key, _ in key.appending(2) }, cache: cache,
            cacheConfig: .using(.useAndThenFetch), client: QueryLab().client
        ) { ann }
        #expect(void.state.value == bob)
    }

    @Test("an invalidation marks what is cached stale, and fetches", .rule("Pigeon P18"))
    func p18() {
        let users = lab.users(server, .startImmediately(()), config: .using(.useInsteadOfFetching), cache: cache)
        server.succeed(with: [ann])
        QueryInvalidator(client: lab.client).invalidateQuery(for: "users", with: .lastData)
        #expect(cache.isMarkedStale("users"))
        #expect(server.callCount == 2)
        server.succeed(with: [bob])
        #expect(users.state.value == [bob])
        #expect(!cache.isMarkedStale("users"))
    }

    @Test("caches, keys and globals are safe from any thread", .rule("Pigeon P22"))
    func p22() async {
        let cache = InMemoryQueryCache()
        let client = QueryClient(cache: cache)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    cache.save(index, for: QueryKey("k", index % 7), andTimestamp: Date())
                    let _: Int? = cache.get(for: QueryKey("k", index % 5))
                    QueryInvalidator(client: client).invalidateQuery(for: "k", with: .lastData)
                    _ = QueryCache.global
                    _ = QueryCacheConfig.global
                }
            }
        }
        #expect(cache.count <= 7)
    }

    @Test("keys never collide by how they were joined", .rule("Pigeon P23"))
    func p23() {
        let (one, other) = (QueryKey(value: "a").appending("b_c"), QueryKey(value: "a_b").appending("c"))
        #expect(one != other)
        #expect(one.queryKeyValue != other.queryKeyValue)
        #expect(QueryKey(value: "a").appending("b/c") != QueryKey(value: "a").appending("b").appending("c"))
        let page = LimitOffsetPaginatedQueryKey(limit: 1, offset: 2)
        #expect(QueryKey(value: "x").appending(page) != QueryKey(value: "x_1").appending("2"))
    }

    @Test("settings of the app are not touched, and what cannot be encoded is reported", .rule("Pigeon P24"))
    func p24() throws {
        try withDefaults { defaults, cache in
            defaults.set("mine", forKey: "users")
            cache.save([ann], for: "users", andTimestamp: lab.date)
            #expect(defaults.string(forKey: "users") == "mine")
            cache.removeAll()
            #expect(defaults.string(forKey: "users") == "mine")
            let numbers = Query<Void, Double>(key: "number", cache: cache, client: lab.client) { Double.nan }
            numbers.refetch(request: ())
            lab.settle()
            #expect(numbers.state.value?.isNaN == true)
            #expect(lab.log.contains { $0.hasPrefix("number cache problem") })
        }
    }

    @Test("the error that a cached value stands in for is not lost", .rule("Pigeon P25"))
    func p25() {
        cache.save([ann], for: "users", andTimestamp: lab.date)
        let users = lab.users(server, .startImmediately(()), cache: cache)
        server.fail()
        #expect(users.state.value == [ann])
        #expect(users.snapshot.error is Broken)
    }

    @Test(
        "a failure under useAndThenFetch keeps good data, and a new request never shows the old one's",
        .rule("Pigeon P26"))
    func p26() {
        cache.save(ann, for: QueryKey("user", 1), andTimestamp: lab.date)
        let server = Server(lab, Int.self, User.self)
        let user = lab.user(server, config: .using(.useAndThenFetch), cache: cache)
        user.refetch(request: 1)
        server.fail()
        #expect(user.state.value == ann)
        #expect(user.snapshot.error is Broken)
        user.refetch(request: 2)
        #expect(user.state.isLoading)
        #expect(user.value == nil)
    }
}
