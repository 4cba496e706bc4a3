public import Foundation

/// A cache in memory with a cost limit. Evicts the least recently used values first.
///
/// The client's entries retain observed values, so evicting a value from this cache never removes it from an observer.
public final class InMemoryQueryCache: QueryCacheType {
    /// The cache that queries share when they name none.
    public static let shared = InMemoryQueryCache()

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
        let item = ItemOf(value, key: key, savedAt: timestamp, cost: ValueCost.estimate(value))
        let dropped = state.withLock { state -> (old: Item?, evicted: [Item]) in
            guard item.cost <= costLimit else { return (state.remove(key), []) }
            let old = state.put(item)
            var evicted: [Item] = []
            while state.cost > Int64(costLimit), let oldest = state.oldest {
                evicted.append(oldest)
                state.remove(oldest.key)
            }
            return (old, evicted)
        }
        _ = dropped  // user values are released outside the lock
    }

    /// Removes a value and its time.
    public func invalidate(for key: QueryKey) {
        let dropped = state.withLock { $0.remove(key) }
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
            guard let item = state.items[key] else { return nil }
            state.use(item)
            return item
        }
        return (item as? ItemOf<T>)?.value
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
            for item in state.items.values where scope.contains(item.key, tags: item.key.tags) { item.isStale = true }
        }
    }

    /// Removes the values of a scope. Visits every key unless the scope is one key.
    public func remove(_ scope: QueryRecordScope) {
        if case .key(let key) = scope { return invalidate(for: key) }
        let dropped = state.withLock { state -> [Item] in
            let found = state.items.values.filter { scope.contains($0.key, tags: $0.key.tags) }
            for item in found { state.remove(item.key) }
            return found
        }
        _ = dropped  // user values are released outside the lock
    }

    /// True if the cache has a value that is marked stale.
    public func isMarkedStale(_ key: QueryKey) -> Bool {
        state.withLock { $0.items[key]?.isStale ?? false }
    }

    /// Returns the number of values, their estimated size, and their dates. Visits every value.
    public func totals() -> QueryCacheTotals? {
        state.withLock { QueryCacheTotals(of: $0.items.values.lazy.map { ($0.cost, $0.savedAt) }) }
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
}

/// A value, and its place in the order of use.
private class Item: @unchecked Sendable {  // changed only under the cache's lock
    let key: QueryKey
    let savedAt: Date
    let cost: Int
    var isStale = false
    // Not retained: the dictionary retains all items of the order.
    unowned(unsafe) var older: Item?
    unowned(unsafe) var newer: Item?

    init(key: QueryKey, savedAt: Date, cost: Int) {
        self.key = key
        self.savedAt = savedAt
        self.cost = cost
    }
}

private final class ItemOf<T>: Item, @unchecked Sendable {  // the value is copied in and copied out
    let value: T

    init(_ value: T, key: QueryKey, savedAt: Date, cost: Int) {
        self.value = value
        super.init(key: key, savedAt: savedAt, cost: cost)
    }
}

/// The items by key, and in the order of use.
private struct State {
    private(set) var items: [QueryKey: Item] = [:]
    private(set) var cost: Int64 = 0
    /// The least recently used item.
    private(set) var oldest: Item?
    private var newest: Item?

    /// Adds an item as the newest one, and returns the item that it replaces.
    mutating func put(_ item: Item) -> Item? {
        let old = items.updateValue(item, forKey: item.key)
        if let old { drop(old) }
        cost += Int64(item.cost)
        append(item)
        return old
    }

    @discardableResult
    mutating func remove(_ key: QueryKey) -> Item? {
        guard let item = items.removeValue(forKey: key) else { return nil }
        drop(item)
        return item
    }

    /// Makes an item the newest one.
    mutating func use(_ item: Item) {
        guard item !== newest else { return }
        unlink(item)
        append(item)
    }

    private mutating func drop(_ item: Item) {
        cost -= Int64(item.cost)
        unlink(item)
    }

    private mutating func append(_ item: Item) {
        item.older = newest
        newest?.newer = item
        newest = item
        if oldest == nil { oldest = item }
    }

    private mutating func unlink(_ item: Item) {
        if let older = item.older { older.newer = item.newer } else { oldest = item.newer }
        if let newer = item.newer { newer.older = item.older } else { newest = item.older }
        (item.older, item.newer) = (nil, nil)
    }
}
