public import Foundation

/// A cache of encoded records, written in batches behind the program's back.
///
/// The client encodes on a background task and hands over what changed, within 100 ms, or at once on
/// ``QueryClient/flush()``. Reads are synchronous, for the first frame. All methods may be called from any thread.
///
/// Conforming gives the methods of ``QueryCacheType`` for nothing: values are encoded as JSON with schema 0.
public protocol QueryRecordStore: QueryCacheType, AnyObject {
    /// The record of a key, or `nil` when there is none.
    func record(for key: QueryKey) throws -> QueryRecord?

    /// All records at or below `path`; all there are when `path` is `nil`. In no order.
    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)]

    /// Carries out the changes in order, all or none.
    func apply(_ changes: [QueryRecordChange]) throws

    /// Removes the records of the scopes, then carries out the changes in order, all or none.
    ///
    /// By default reads the records of the scopes and calls ``apply(_:)`` with their removals. To remove a tag it reads
    /// every record. A store that can find records by path or tag removes them without reading their values.
    func apply(_ changes: [QueryRecordChange], removing scopes: [QueryRecordScope]) throws
}

extension QueryRecordStore {
    /// Reads the records of the scopes, and applies their removals and the changes.
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

    /// Encodes the value as JSON and writes it at once. A value that cannot be encoded or written is not kept.
    public func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        guard let data = try? JSONEncoder().encode(Wrapped(value: value)) else { return }
        try? apply([.save(QueryRecord(data: data, savedAt: timestamp, tags: key.tags), for: key)])
    }

    /// Removes the record.
    public func invalidate(for key: QueryKey) {
        try? apply([.remove(key)])
    }

    /// Whether a record is there, not marked stale, and within the policy.
    public func isValueValid(
        forKey key: QueryKey, timestamp: Date,
        andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool {
        guard let record = try? record(for: key), !record.isStale else { return false }
        return policy.isValid(savedAt: record.savedAt, now: timestamp)
    }

    /// The decoded value. A record that does not decode as `T` is a miss.
    public func get<T: Codable>(for key: QueryKey) -> T? {
        guard let record = try? record(for: key) else { return nil }
        return try? JSONDecoder().decode(Wrapped<T>.self, from: record.data).value
    }

    /// When the record was saved.
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

    /// Whether a record is there and marked stale.
    public func isMarkedStale(_ key: QueryKey) -> Bool {
        (try? record(for: key))?.isStale ?? false
    }

    /// Removes every record.
    public func removeAll() throws {
        try apply([.removeAll])
    }

    /// Removes the records that are meant.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try apply(records(under: path).map(\.key).filter(isMeant).map(QueryRecordChange.remove))
    }
}

/// Lets a bare string, number or `nil` be the whole of a record on every platform's JSON coder.
package struct Wrapped<Value: Codable>: Codable {
    package var value: Value

    package init(value: Value) {
        self.value = value
    }

    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        value = try container.decode(Value.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(value)
    }
}
