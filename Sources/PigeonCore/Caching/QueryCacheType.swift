public import Foundation

/// A place that keeps values between fetches, or between runs of the program.
///
/// A cache of your own needs the first four methods. All are synchronous, so that a cached value is there in the
/// first frame, and may be called from any thread.
///
/// ```swift
/// let users = Query<Void, [User]>(key: "users", cache: MyCache()) { try await api.users() }
/// ```
///
/// A cache whose writes are slow conforms to ``QueryRecordStore`` instead: the client then writes behind, in batches.
public protocol QueryCacheType: Sendable {
    /// Keeps a value and when it was received.
    func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date)

    /// Forgets the value of a key, and its time.
    func invalidate(for key: QueryKey)

    /// Whether a value is kept for the key and is, at `timestamp`, within the policy.
    ///
    /// `false` when nothing is kept, whatever the policy.
    func isValueValid(
        forKey key: QueryKey, timestamp: Date,
        andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool

    /// The value kept for a key. `nil` when there is none or it does not decode as `T`.
    func get<T: Codable>(for key: QueryKey) -> T?

    /// When the value of a key was saved.
    ///
    /// By default unknown. A query of the `Pigeon` module then asks `isValueValid` when it reads the value, and takes a
    /// valid one as saved at that moment. Everything else takes a value of unknown age as stale.
    func savedAt(for key: QueryKey) -> Date?

    /// Marks values stale without forgetting them, as an invalidation does.
    ///
    /// By default forgets the value of the key that the scope names, since a cache that keeps no marks would pass it
    /// off as valid.
    func markStale(_ scope: QueryRecordScope)

    /// Forgets the values of a scope.
    ///
    /// By default forgets the value of a named key and marks the other scopes stale, since a cache of four methods does
    /// not know its keys.
    func remove(_ scope: QueryRecordScope)

    /// Whether the value of a key was marked stale. By default never.
    func isMarkedStale(_ key: QueryKey) -> Bool

    /// Forgets everything, on sign-out. By default throws ``QueryCacheError/cannotRemoveAll(cache:)``.
    func removeAll() throws

    /// Forgets the values at and below a path whose keys are meant, so that nothing of them can be read again.
    ///
    /// By default forgets everything, as ``removeAll()`` does: a cache that does not know its keys cannot do less.
    ///
    /// - Parameters:
    ///   - path: The key that all of them begin with.
    ///   - isMeant: Asked for each key, in no order.
    func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws

    /// Hands over the problems met since the last call, and forgets them. The client puts them on its event stream.
    func takeProblems() -> [QueryCacheProblem]

    /// Writes to disk what the cache holds in memory only. ``QueryClient/flush()`` calls it. By default there is nothing
    /// to write.
    func flush()
}

extension QueryCacheType {
    /// Returns `nil`: the time is unknown.
    public func savedAt(for key: QueryKey) -> Date? { nil }

    /// Forgets the value of the named key.
    public func markStale(_ scope: QueryRecordScope) {
        switch scope {
        case .key(let key), .path(let key): invalidate(for: key)
        case .tag, .all: break
        }
    }

    /// Forgets the value of a named key. Marks the values of any other scope stale.
    public func remove(_ scope: QueryRecordScope) {
        if case .key(let key) = scope { invalidate(for: key) } else { markStale(scope) }
    }

    /// No.
    public func isMarkedStale(_ key: QueryKey) -> Bool { false }

    /// No problem.
    public func takeProblems() -> [QueryCacheProblem] { [] }

    /// Does nothing: a cache that writes each value at once has nothing left to write.
    public func flush() {}

    /// Forgets everything.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try removeAll()
    }

    /// Throws: a cache that does not say how it is emptied cannot be.
    public func removeAll() throws {
        throw QueryCacheError.cannotRemoveAll(cache: String(describing: Self.self))
    }
}

/// What can go wrong in a cache.
public enum QueryCacheError: Error, Equatable, CustomStringConvertible {
    /// The cache has no `removeAll`, so a sign-out cannot empty it.
    case cannotRemoveAll(cache: String)

    /// The storage behind the cache refused.
    case storage(cache: String, reason: String)

    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .cannotRemoveAll(let cache):
            "\(cache) cannot be emptied: implement removeAll() so that clear() leaves nothing behind"
        case .storage(let cache, let reason):
            "\(cache) could not be read or written: \(reason)"
        }
    }
}
