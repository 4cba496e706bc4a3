public import Foundation

/// A cache that stores values between fetches, or between runs of the program.
///
/// Your own cache must implement the first four methods. All methods are synchronous, so that a cached value can be
/// shown in the first frame, and can be called from any thread.
///
/// ```swift
/// let client = QueryClient(cache: MyCache())
/// ```
///
/// A cache with slow writes should conform to ``QueryRecordStore`` instead: the client then writes to it in batches,
/// after a delay.
public protocol QueryCacheType: Sendable {
    /// Saves a value and the date at which it was received.
    func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date)

    /// Removes the value of a key, and its time.
    func invalidate(for key: QueryKey)

    /// Returns true if the cache has a value for the key that is valid by the policy at `timestamp`.
    ///
    /// Returns `false` if there is no value, whatever the policy.
    func isValueValid(
        forKey key: QueryKey, timestamp: Date,
        andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool

    /// Returns the value of a key. `nil` if there is none, or if it does not decode as `T`.
    func get<T: Codable>(for key: QueryKey) -> T?

    /// Returns the date at which the value of a key was saved. `nil` if it is unknown.
    ///
    /// The default returns `nil`. For a definition with a ``QueryOptions/cacheValidity``, the client then calls
    /// `isValueValid` when it reads the value, and treats a valid value as saved at that moment. For any other, it treats
    /// a value of unknown age as stale.
    func savedAt(for key: QueryKey) -> Date?

    /// Marks values stale without removing them. An invalidation calls this.
    ///
    /// The default removes the value of the key that the scope names, because a cache without marks would return it as
    /// valid.
    func markStale(_ scope: QueryRecordScope)

    /// Removes the values of a scope.
    ///
    /// The default removes the value if the scope is a key, and marks any other scope stale, because the cache need not
    /// know its keys.
    func remove(_ scope: QueryRecordScope)

    /// Returns true if the value of a key was marked stale. The default returns `false`.
    func isMarkedStale(_ key: QueryKey) -> Bool

    /// Removes all values. A sign-out calls this. The default throws ``QueryCacheError/cannotRemoveAll(cache:)``.
    func removeAll() throws

    /// Removes the values at and below a path whose keys satisfy `isMeant`, so that they cannot be read again.
    ///
    /// The default calls ``removeAll()``, because a cache that does not know its keys cannot remove less.
    ///
    /// - Parameters:
    ///   - path: The key at or below which values are removed.
    ///   - isMeant: Returns true for the keys to remove. Called once for each key, in no particular order.
    func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws

    /// Returns the problems since the last call, and clears them. The client sends them to its event stream. The
    /// default returns an empty array.
    func takeProblems() -> [QueryCacheProblem]

    /// Returns how much the cache holds. `nil` if it does not know, the default. Called by developer tools, in the
    /// background.
    func totals() throws -> QueryCacheTotals?

    /// Writes to disk all changes that are only in memory. ``QueryClient/flush()`` calls this. The default does
    /// nothing.
    func flush()
}

extension QueryCacheType {
    /// The default returns `nil`: the date is unknown.
    public func savedAt(for key: QueryKey) -> Date? { nil }

    /// The default removes the value of the key or path that the scope names, and does nothing for other scopes.
    public func markStale(_ scope: QueryRecordScope) {
        switch scope {
        case .key(let key), .path(let key): invalidate(for: key)
        case .tag, .all: break
        }
    }

    /// The default removes the value if the scope is a key, and marks the values of any other scope stale.
    public func remove(_ scope: QueryRecordScope) {
        if case .key(let key) = scope { invalidate(for: key) } else { markStale(scope) }
    }

    /// The default returns `false`.
    public func isMarkedStale(_ key: QueryKey) -> Bool { false }

    /// The default returns an empty array.
    public func takeProblems() -> [QueryCacheProblem] { [] }

    /// The default returns `nil`: it is unknown.
    public func totals() throws -> QueryCacheTotals? { nil }

    /// The default does nothing, for a cache that writes each value at once.
    public func flush() {}

    /// The default calls `removeAll()`.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try removeAll()
    }

    /// The default throws ``QueryCacheError/cannotRemoveAll(cache:)``.
    public func removeAll() throws {
        throw QueryCacheError.cannotRemoveAll(cache: String(describing: Self.self))
    }
}

/// How much a cache holds.
public struct QueryCacheTotals: Sendable, Hashable {
    /// Number of records.
    public var records: Int
    /// The size of their values in bytes. For a cache in memory, the estimated size.
    public var bytes: Int
    /// The date at which the oldest record was saved. `nil` without records.
    public var oldest: Date?
    /// The date at which the newest record was saved. `nil` without records.
    public var newest: Date?

    /// Creates totals.
    public init(records: Int, bytes: Int, oldest: Date? = nil, newest: Date? = nil) {
        (self.records, self.bytes, self.oldest, self.newest) = (records, bytes, oldest, newest)
    }

    /// Adds up records.
    ///
    /// - Parameter records: The size of each record, and the date at which it was saved.
    init(of records: some Sequence<(bytes: Int, savedAt: Date)>) {
        self.init(records: 0, bytes: 0)
        for record in records {
            self.records += 1
            bytes = bytes.clampedSum(with: record.bytes)
            oldest = min(oldest ?? record.savedAt, record.savedAt)
            newest = max(newest ?? record.savedAt, record.savedAt)
        }
    }
}

/// An error of a cache.
public enum QueryCacheError: Error, Equatable, CustomStringConvertible {
    /// The cache does not implement `removeAll`, so a sign-out cannot empty it.
    case cannotRemoveAll(cache: String)

    /// The storage of the cache failed.
    case storage(cache: String, reason: String)

    /// Describes the problem, what it concerns, and the remedy.
    public var description: String {
        switch self {
        case .cannotRemoveAll(let cache):
            "\(cache) cannot be emptied: implement removeAll() so that clear() leaves nothing behind"
        case .storage(let cache, let reason):
            "\(cache) could not be read or written: \(reason)"
        }
    }
}

extension QueryCacheError: LocalizedError, LocalizedReadableError {
    package var userText: UserText {
        switch self {
        case .cannotRemoveAll: .cannotRemoveData
        case .storage: .storageFailed
        }
    }
}
