public import Foundation

/// A cache of encoded records that the client writes in batches, in the background.
///
/// The client encodes changed values in a background task, and passes them to the store within 100 ms, or at once on
/// ``QueryClient/flush()``. Reads are synchronous, so that a value can be shown in the first frame. All methods can be
/// called from any thread.
///
/// A store gets default implementations of the methods of ``QueryCacheType``, which encode values as JSON with schema
/// 0.
public protocol QueryRecordStore: QueryCacheType, AnyObject {
    /// Returns the record of a key. `nil` if there is none.
    func record(for key: QueryKey) throws -> QueryRecord?

    /// Returns all records at or below `path`, or all records if `path` is `nil`, in no particular order.
    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)]

    /// Carries out changes in order, in one transaction: all or none.
    func apply(_ changes: [QueryRecordChange]) throws

    /// Removes the records of the scopes, then carries out the changes in order, in one transaction: all or none.
    ///
    /// The default reads the records of the scopes, and calls ``apply(_:)`` with their removals. To remove a tag, it
    /// reads every record. Implement this method if the store can find records by path or tag without reading their
    /// values.
    func apply(_ changes: [QueryRecordChange], removing scopes: [QueryRecordScope]) throws

    /// Calls `listener` when others may have changed the storage, until the subscription ends.
    ///
    /// The client then compares the records with what it has in memory. `listener` returns when that is done, so it must
    /// not be called under a lock or on the main thread. A change that this instance made need not be reported.
    ///
    /// - Returns: `nil` if the store does not notice the changes of others. The default.
    func onChange(_ listener: @escaping @Sendable (QueryCacheChange) -> Void) -> QuerySubscription?
}

extension QueryRecordStore {
    /// The default notices no changes of others.
    public func onChange(_ listener: @escaping @Sendable (QueryCacheChange) -> Void) -> QuerySubscription? {
        nil
    }

    /// The default reads the records of the scopes, and applies their removals and the changes.
    public func apply(_ changes: [QueryRecordChange], removing scopes: [QueryRecordScope]) throws {
        let removals = try scopes.flatMap { scope -> [QueryRecordChange] in
            switch scope {
            case .key(let key): [.remove(key)]
            case .path(let path): try records(under: path).map { .remove($0.key) }
            case .tag(let tag):
                try records(under: nil).filter { $0.record.tags.contains(tag) }.map { .remove($0.key) }
            case .all: [.removeAll]
            }
        }
        guard !removals.isEmpty || !changes.isEmpty else { return }
        try apply(removals + changes)
    }

    /// The default reads every record.
    public func totals() throws -> QueryCacheTotals? {
        QueryCacheTotals(of: try records(under: nil).lazy.map { ($0.record.data.count, $0.record.savedAt) })
    }

    /// Encodes the value as JSON and writes it at once. Ignores a value that cannot be encoded or written.
    public func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        guard let data = try? RecordData.data(of: value) else { return }
        try? apply([.save(QueryRecord(data: data, savedAt: timestamp, tags: key.tags), for: key)])
    }

    /// Removes the record.
    public func invalidate(for key: QueryKey) {
        try? apply([.remove(key)])
    }

    /// True if there is a record that is not marked stale and is valid by the policy.
    public func isValueValid(
        forKey key: QueryKey, timestamp: Date,
        andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool {
        guard let record = try? record(for: key), !record.isStale else { return false }
        return policy.isValid(savedAt: record.savedAt, now: timestamp)
    }

    /// Returns the decoded value. `nil` if there is no record, or if it does not decode as `T`.
    public func get<T: Codable>(for key: QueryKey) -> T? {
        guard let record = try? record(for: key) else { return nil }
        return try? RecordData.part(T.self, from: record.data)
    }

    /// Returns the date at which the record was saved. `nil` if there is none.
    public func savedAt(for key: QueryKey) -> Date? {
        (try? record(for: key))?.savedAt
    }

    /// Marks the records of a scope stale, at once.
    public func markStale(_ scope: QueryRecordScope) {
        try? apply([.markStale(scope)])
    }

    /// Removes the records of a scope, at once.
    public func remove(_ scope: QueryRecordScope) {
        try? apply([], removing: [scope])
    }

    /// True if there is a record that is marked stale.
    public func isMarkedStale(_ key: QueryKey) -> Bool {
        (try? record(for: key))?.isStale ?? false
    }

    /// Removes every record.
    public func removeAll() throws {
        try apply([.removeAll])
    }

    /// Removes the records at and below a path whose keys satisfy `isMeant`.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try apply(records(under: path).map(\.key).filter(isMeant).map(QueryRecordChange.remove))
    }
}
