import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The cache in memory")
struct InMemoryQueryCacheTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func data(_ count: Int) -> Data { Data(repeating: 7, count: count) }
    private func has(_ cache: InMemoryQueryCache, _ key: QueryKey) -> Bool {
        cache.isValueValid(forKey: key, timestamp: start, andInvalidationPolicy: .notExpires)
    }

    @Test("A value comes out as it went in, by its key and type")
    func roundTrip() {
        let cache = InMemoryQueryCache()
        cache.save(["a", "b"], for: "list", andTimestamp: start)
        cache.save(Optional<Int>.none, for: "maybe", andTimestamp: start)
        #expect(cache.get(for: "list") == ["a", "b"])
        #expect((cache.get(for: "list") as [Int]?) == nil)
        #expect((cache.get(for: "other") as [String]?) == nil)
        #expect((cache.get(for: "maybe") as Int??) == .some(nil))
        #expect(cache.savedAt(for: "list") == start)
        #expect(cache.savedAt(for: "other") == nil)
        #expect(cache.count == 2)
    }

    @Test("totals are the number of values, their size and their dates", .rule("A71"))
    func totals() {
        let cache = InMemoryQueryCache()
        #expect(cache.totals() == QueryCacheTotals(records: 0, bytes: 0))
        cache.save(data(100), for: "a", andTimestamp: start)
        cache.save(data(200), for: "b", andTimestamp: start.addingTimeInterval(60))
        cache.save(data(300), for: "c", andTimestamp: start.addingTimeInterval(30))
        let totals = cache.totals()
        #expect(totals?.records == 3)
        #expect(totals?.bytes ?? 0 >= 600)
        #expect(totals?.oldest == start)
        #expect(totals?.newest == start.addingTimeInterval(60))
    }

    @Test("Above the limit the least recently used go first")
    func leastRecentlyUsed() {
        let cache = InMemoryQueryCache(costLimit: 10_000)
        for name in ["a", "b", "c"] { cache.save(data(3000), for: QueryKey(name), andTimestamp: start) }
        let read: Data? = cache.get(for: "a")
        #expect(read != nil)
        cache.save(data(3000), for: "d", andTimestamp: start)
        #expect(has(cache, "a") && !has(cache, "b") && has(cache, "d"))
        cache.save(data(3000), for: "e", andTimestamp: start)
        #expect(has(cache, "a") && !has(cache, "c") && has(cache, "e"))
    }

    @Test("a value saved into a full cache takes the place of one other", .rule("F10"))
    func full() {
        let cache = InMemoryQueryCache(costLimit: 20_000)
        let size = 20_000 / 10 - MemoryLayout<Data>.size
        for id in 0..<100 {
            cache.save(data(size), for: QueryKey("a", id), andTimestamp: start)
            #expect(cache.count == min(id + 1, 10))
        }
        #expect((90..<100).allSatisfy { has(cache, QueryKey("a", $0)) })
    }

    @Test("after any saves, reads and removals, the values that were used last are left", .rule("F10"))
    func order() {
        let cache = InMemoryQueryCache(costLimit: 8 * MemoryLayout<Int>.size)
        let random = SeededRandom(seed: 10)
        var used: [Int] = []
        for round in 0..<5_000 {
            let id = random.below(16)
            switch random.below(8) {
            case 0: cache.invalidate(for: QueryKey("a", id))
            case 1, 2, 3:
                let value: Int? = cache.get(for: QueryKey("a", id))
                #expect((value != nil) == used.contains(id))
                if value == nil { continue }
            default: cache.save(round, for: QueryKey("a", id), andTimestamp: start)
            }
            let isRemoved = !has(cache, QueryKey("a", id))
            used.removeAll { $0 == id }
            if !isRemoved { used.append(id) }
            used = used.suffix(8)
            #expect((0..<16).filter { has(cache, QueryKey("a", $0)) } == used.sorted())
        }
    }

    @Test("A value that alone exceeds the limit is not kept, and takes its older version with it")
    func tooLarge() {
        let cache = InMemoryQueryCache(costLimit: 10_000)
        cache.save(data(10), for: "small", andTimestamp: start)
        cache.save(data(10), for: "big", andTimestamp: start)
        cache.save(data(20_000), for: "big", andTimestamp: start)
        #expect(has(cache, "small") && !has(cache, "big"))
        cache.save(data(9_900), for: "nearly", andTimestamp: start)
        #expect(has(cache, "nearly"), "the newest stays when it fits")
    }

    @Test("A value saved again costs once")
    func savedAgain() {
        let cache = InMemoryQueryCache(costLimit: 10_000)
        cache.save(data(3000), for: "kept", andTimestamp: start)
        for _ in 0..<50 { cache.save(data(5000), for: "again", andTimestamp: start) }
        cache.invalidate(for: "again")
        cache.save(data(5000), for: "again", andTimestamp: start)
        #expect(has(cache, "kept") && has(cache, "again"))
    }

    @Test("A limit of nothing keeps nothing")
    func noRoom() {
        for limit in [0, -5] {
            let cache = InMemoryQueryCache(costLimit: limit)
            cache.save(data(1), for: "a", andTimestamp: start)
            #expect(cache.count == 0)
            #expect(cache.costLimit == 0)
        }
    }

    @Test("What never expires is valid while it is there, and not when it is not")
    func neverExpires() {
        let cache = InMemoryQueryCache()
        #expect(!has(cache, "a"))
        cache.save(1, for: "a", andTimestamp: start)
        let later = start.addingTimeInterval(1e9)
        #expect(cache.isValueValid(forKey: "a", timestamp: later, andInvalidationPolicy: .notExpires))
        #expect(!cache.isValueValid(forKey: "b", timestamp: start, andInvalidationPolicy: .notExpires))
        cache.invalidate(for: "a")
        #expect(!has(cache, "a"))
        #expect(cache.savedAt(for: "a") == nil)
        #expect((cache.get(for: "a") as Int?) == nil)
    }

    @Test("What expires does so by when it was saved")
    func expires() {
        let cache = InMemoryQueryCache()
        cache.save(1, for: "a", andTimestamp: start)
        for (age, isValid) in [(0.0, true), (9.9, true), (10, false), (1000, false), (-1000, false)] {
            let now = start.addingTimeInterval(age)
            #expect(
                cache.isValueValid(forKey: "a", timestamp: now, andInvalidationPolicy: .expiresAfter(10)) == isValid)
        }
    }

    @Test(
        "marks reach what a scope names, stay with the value, and go with a new one", .rule("A19"),
        arguments: [
            (QueryRecordScope.key(QueryKey("users", 1)), ["users/1"]), (.path("users"), ["users", "users/1"]),
            (.tag("people"), ["posts", "users/1"]), (.all, ["posts", "users", "users/1"]), (.key("nobody"), []),
        ])
    func marks(_ scope: QueryRecordScope, _ expected: [String]) {
        let cache = InMemoryQueryCache()
        let keys = [QueryKey("users"), QueryKey("users", 1).tagged("people"), QueryKey("posts").tagged("people")]
        for key in keys { cache.save(1, for: key, andTimestamp: start) }
        cache.markStale(scope)
        #expect(keys.filter(cache.isMarkedStale).map(\.queryKeyValue).sorted() == expected)
        #expect(keys.allSatisfy { (cache.get(for: $0) as Int?) == 1 })
        #expect(keys.filter { !has(cache, $0) }.map(\.queryKeyValue).sorted() == expected)
        for key in keys { cache.save(2, for: key, andTimestamp: start) }
        #expect(keys.allSatisfy { !cache.isMarkedStale($0) && has(cache, $0) })
    }

    @Test("Emptying forgets everything")
    func removeAll() {
        let cache = InMemoryQueryCache(costLimit: 10_000)
        for id in 0..<10 { cache.save(data(500), for: QueryKey("a", id), andTimestamp: start) }
        cache.removeAll()
        #expect(cache.count == 0)
        cache.save(data(9000), for: "b", andTimestamp: start)
        #expect(has(cache, "b"), "its cost began anew")
    }
}
