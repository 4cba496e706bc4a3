public import Foundation

/// A cache in memory with a cost limit. Evicts the least recently used values first.
///
/// The client's entries retain observed values, so evicting a value from this cache never removes it from an observer.
public final class InMemoryQueryCache: QueryCacheType {
    /// The cache that queries share when they name none.
    public static let shared = InMemoryQueryCache()

    private struct Item {
        var value: any Sendable
        var savedAt: Date
        var cost: Int
        var used: UInt64
        var isStale = false
        var tags: [String]
    }

    private struct State {
        var items: [QueryKey: Item] = [:]
        var cost = 0
        var clock: UInt64 = 0
    }

    private let state = Locked(State())

    /// The maximum total cost of the cached values, in bytes.
    public let costLimit: Int

    /// Creates a cache that is not shared.
    ///
    /// - Parameter costLimit: The maximum total cost in bytes. The cost of a value is its estimated size in memory. 64
    ///   MB by default.
    public init(costLimit: Int = 64 << 20) {
        self.costLimit = max(0, costLimit)
    }

    /// Number of cached values.
    public var count: Int { state.withLock { $0.items.count } }

    /// Saves a value. Does not save a value that alone exceeds the limit.
    public func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        let cost = ValueCost.estimate(value)
        let held = UncheckedValue(value: value)
        let dropped = state.withLock { state -> [Item] in
            var dropped: [Item] = []
            state.clock += 1
            if let old = state.items.removeValue(forKey: key) {
                state.cost -= old.cost
                dropped.append(old)
            }
            guard cost <= costLimit else { return dropped }
            state.items[key] = Item(value: held, savedAt: timestamp, cost: cost, used: state.clock, tags: key.tags)
            state.cost += cost
            if state.cost > costLimit { dropped += evict(&state) }
            return dropped
        }
        _ = dropped  // user values are released outside the lock
    }

    /// Evicts values down to nine tenths of the limit, so that many saves share the cost of one sort.
    private func evict(_ state: inout State) -> [Item] {
        var dropped: [Item] = []
        for (key, item) in state.items.sorted(by: { $0.value.used < $1.value.used }) {
            // The newest value stays: alone it is within the limit.
            guard state.cost > costLimit / 10 * 9, item.used < state.clock else { break }
            state.items[key] = nil
            state.cost -= item.cost
            dropped.append(item)
        }
        return dropped
    }

    /// Removes a value and its time.
    public func invalidate(for key: QueryKey) {
        let dropped = state.withLock { state -> Item? in
            guard let item = state.items.removeValue(forKey: key) else { return nil }
            state.cost -= item.cost
            return item
        }
        _ = dropped
    }

    /// True if the cache has a value that is not marked stale and is valid by the policy.
    public func isValueValid(
        forKey key: QueryKey, timestamp: Date,
        andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool {
        let stamp = state.withLock { state in state.items[key].map { ($0.savedAt, $0.isStale) } }
        guard let (savedAt, isStale) = stamp, !isStale else { return false }
        return policy.isValid(savedAt: savedAt, now: timestamp)
    }

    /// Returns the value. `nil` if there is none, or if it has another type.
    public func get<T: Codable>(for key: QueryKey) -> T? {
        let item = state.withLock { state -> Item? in
            state.clock += 1
            state.items[key]?.used = state.clock
            return state.items[key]
        }
        return (item?.value as? UncheckedValue<T>)?.value
    }

    /// Returns the date at which the value was saved. `nil` if there is no value.
    public func savedAt(for key: QueryKey) -> Date? {
        state.withLock { $0.items[key]?.savedAt }
    }

    /// Marks the values of a scope stale. Visits every key unless the scope is one key.
    public func markStale(_ scope: QueryRecordScope) {
        state.withLock { state in
            if case .key(let key) = scope {
                state.items[key]?.isStale = true
                return
            }
            for (key, item) in state.items where scope.contains(key, tags: item.tags) {
                state.items[key]?.isStale = true
            }
        }
    }

    /// Removes the values of a scope. Visits every key unless the scope is one key.
    public func remove(_ scope: QueryRecordScope) {
        if case .key(let key) = scope { return invalidate(for: key) }
        let dropped = state.withLock { state -> [Item] in
            let found = state.items.filter { scope.contains($0.key, tags: $0.value.tags) }
            for (key, item) in found {
                state.items[key] = nil
                state.cost -= item.cost
            }
            return Array(found.values)
        }
        _ = dropped  // user values are released outside the lock
    }

    /// True if the cache has a value that is marked stale.
    public func isMarkedStale(_ key: QueryKey) -> Bool {
        state.withLock { $0.items[key]?.isStale ?? false }
    }

    /// Removes all values.
    public func removeAll() {
        let dropped = state.withLock { state in
            defer { state = State() }
            return state.items
        }
        _ = dropped
    }

    /// Removes the values below a path whose keys satisfy `isMeant`. Visits every key.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) {
        let keys = state.withLock { Array($0.items.keys) }
        for key in keys where key.isWithin(path) && isMeant(key) { invalidate(for: key) }
    }

    private struct UncheckedValue<T>: @unchecked Sendable {  // copied in and copied out
        let value: T
    }
}
