import Foundation
import PigeonCore
import Testing

@Suite("Forgetting the values below a path")
struct ValueRemovalTests {
    private let keys: [QueryKey] = [
        "users", QueryKey("users", 1), QueryKey("users", 1, "posts"), QueryKey("users", 2), "usersx",
    ]

    private func check(_ cache: any QueryCacheType, _ comment: Comment) throws {
        for key in keys { cache.save(key.queryKeyValue, for: key, andTimestamp: Date()) }
        var asked: Set<QueryKey> = []
        try cache.removeValues(under: QueryKey("users", 1)) { key in
            asked.insert(key)
            return key.components.last == "posts"
        }
        #expect(asked == [keys[1], keys[2]], comment)
        try cache.removeValues(under: "users") { $0 == keys[3] }
        let kept = keys.filter { (cache.get(for: $0) as String?) != nil }
        #expect(kept == [keys[0], keys[1], keys[4]], comment)
    }

    @Test("A cache that knows its keys forgets those that are meant alone")
    func some() throws {
        try check(InMemoryQueryCache(), "in memory")
        try check(RecordStoreDouble(), "records")
        let name = "ValueRemovalTests-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        try check(UserDefaultsQueryCache(defaults: defaults), "defaults")
    }

    @Test("A cache that does not know its keys forgets everything, or says that it cannot")
    func all() throws {
        struct Stubborn: QueryCacheType {
            func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {}
            func invalidate(for key: QueryKey) {}
            func isValueValid(
                forKey key: QueryKey, timestamp: Date, andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
            ) -> Bool { false }
            func get<T: Codable>(for key: QueryKey) -> T? { nil }
        }
        #expect(throws: QueryCacheError.self) { try Stubborn().removeValues(under: "users") { _ in true } }
    }
}
