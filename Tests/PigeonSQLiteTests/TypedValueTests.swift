import Foundation
import PigeonCore
import PigeonSQLite
import Testing

@Suite("Typed values")
struct TypedValueTests {
    private struct User: Codable, Equatable {
        var name: String
        var age: Int?
    }

    private let now = Date(timeIntervalSinceReferenceDate: 700_000_000)

    @Test func `A value is saved, found, valid for as long as the policy says, and invalidated`() throws {
        let file = try TestFile()
        let cache: any QueryCacheType = try file.open()
        let user = User(name: "Ada", age: nil)
        cache.save(user, for: "user", andTimestamp: now)
        #expect(cache.get(for: "user") == user)
        #expect(cache.savedAt(for: "user") == now)
        let policies: [(QueryCacheConfig.InvalidationPolicy, TimeInterval, Bool)] = [
            (.notExpires, 1e9, true), (.expiresAfter(10), 9, true), (.expiresAfter(10), 10, false),
            (.expiresAfter(10), -100, false), (.expiresAfter(0), 0, false), (.expiresAfter(.nan), 0, false),
        ]
        for (policy, age, expected) in policies {
            let time = now.addingTimeInterval(age)
            #expect(
                cache.isValueValid(forKey: "user", timestamp: time, andInvalidationPolicy: policy) == expected,
                "\(policy) after \(age) s")
        }
        cache.invalidate(for: "user")
        #expect(cache.get(for: "user") == User?.none)
        #expect(cache.savedAt(for: "user") == nil)
        #expect(!cache.isValueValid(forKey: "user", timestamp: now, andInvalidationPolicy: .notExpires))
    }

    @Test func `A value that is marked stale is not valid`() throws {
        let file = try TestFile()
        let cache = try file.open()
        cache.save(1, for: QueryKey("user", 1).tagged("people"), andTimestamp: now)
        try cache.apply([.markStale(.tag("people"))])
        #expect(!cache.isValueValid(forKey: QueryKey("user", 1), timestamp: now, andInvalidationPolicy: .notExpires))
        #expect(cache.get(for: QueryKey("user", 1)) == 1)
    }

    @Test func `A record that does not decode as the type is a miss`() throws {
        let file = try TestFile()
        let cache = try file.open()
        cache.save("text", for: "a", andTimestamp: now)
        try cache.apply([.save(.sample("not JSON"), for: "b")])
        #expect(cache.get(for: "a") == Int?.none)
        #expect(cache.get(for: "b") == String?.none)
        #expect(cache.get(for: "none") == String?.none)
        #expect(cache.get(for: "a") == "text")
    }

    @Test func `Everything can be removed`() throws {
        let file = try TestFile()
        let cache: any QueryCacheType = try file.open()
        cache.save([1, 2], for: "a", andTimestamp: now)
        try cache.removeAll()
        #expect(cache.get(for: "a") == [Int]?.none)
    }

    @Test func `The documented example works`() throws {
        let file = try TestFile()
        let cache = try SQLiteQueryCache(at: file.url)
        cache.save(["Ada", "Grace"], for: "users", andTimestamp: Date())
        let users: [String]? = cache.get(for: "users")
        #expect(users == ["Ada", "Grace"])
        // Compiled, not run: a test does not write to the user's caches.
        let _: () -> URL = {
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]
            return caches.appendingPathComponent("queries.sqlite")
        }
    }
}
