internal import Foundation
internal import PigeonCore

/// W12: the cache in memory, with keys that are built at each call. The floor is a dictionary under a mutex.
func measureMemoryCache(_ recorder: Recorder) {
    let count = 10_000
    let now = Date()
    let order = scattered(count)
    func measure(_ name: String, _ subject: String, target: Double, _ body: (Int) -> Void, floor: (Int) -> Void) {
        recorder.record(
            name, subject, .nanoseconds,
            recorder.median { nanoseconds { for id in order { body(id) } } / Double(count) },
            floor: recorder.median { nanoseconds { for id in order { floor(id) } } / Double(count) }, target: target)
    }
    func key(_ id: Int) -> QueryKey { QueryKey("w12", "users", id) }

    let (cache, plain) = (InMemoryQueryCache(), PlainCache<QueryKey, User>())
    measure("W12.set", "set, 10,000 keys", target: 300) { id in
        cache.save(User(id), for: key(id), andTimestamp: now)
    } floor: { id in
        plain[key(id)] = User(id)
    }
    measure("W12.get", "get, of 10,000 keys", target: 200) { id in
        use(cache.get(for: key(id)) as User?)
    } floor: { id in
        use(plain[key(id)])
    }
    let full = InMemoryQueryCache(costLimit: count * MemoryLayout<User>.size)
    var next = 0
    measure("W12.full", "set when 10,000 values are all that fits", target: 600) { id in
        next += 1
        full.save(User(id), for: key(next), andTimestamp: now)
    } floor: { id in
        plain[key(id)] = User(id)
    }
}
