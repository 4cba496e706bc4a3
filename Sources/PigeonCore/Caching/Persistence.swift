internal import Foundation

/// How values of one type go into a cache and come out, with the type erased.
package final class Persistence: Sendable {
    /// The cache that the definition names; `nil` for the client's.
    package let cache: (any QueryCacheType)?
    let schema: Int

    /// Whether a value is kept as several records, of which only the changed are written.
    let isIncremental: Bool

    let encode: @Sendable (_ payload: Payload, _ previous: Payload?, QueryKey) throws -> RecordEdits
    let decode: @Sendable (QueryRecord, QueryKey, RecordReader) throws -> Decoded?
    let store: @Sendable (_ payload: Payload, _ previous: Payload?, any QueryCacheType, QueryKey, Date) -> Void
    let fetch: @Sendable (any QueryCacheType, QueryKey) -> Payload?
    /// The keys of the records that a value is kept as, beside its own.
    let recordKeys: @Sendable (Payload, QueryKey) -> [QueryKey]

    typealias RecordReader = (QueryKey) throws -> QueryRecord?

    /// What must change in storage for a value to be in it.
    struct RecordEdits {
        var saved: [(key: QueryKey, data: Data)] = []
        var removed: [QueryKey] = []
    }

    /// What came out of storage.
    struct Decoded {
        let payload: Payload
        /// What was missing or unreadable, when only a part was.
        var problem: String?
    }

    init(
        cache: (any QueryCacheType)?, schema: Int, isIncremental: Bool,
        encode: @escaping @Sendable (Payload, Payload?, QueryKey) throws -> RecordEdits,
        decode: @escaping @Sendable (QueryRecord, QueryKey, RecordReader) throws -> Decoded?,
        store: @escaping @Sendable (Payload, Payload?, any QueryCacheType, QueryKey, Date) -> Void,
        fetch: @escaping @Sendable (any QueryCacheType, QueryKey) -> Payload?,
        recordKeys: @escaping @Sendable (Payload, QueryKey) -> [QueryKey] = { _, _ in [] }
    ) {
        self.cache = cache
        self.schema = schema
        self.isIncremental = isIncremental
        self.encode = encode
        self.decode = decode
        self.store = store
        self.fetch = fetch
        self.recordKeys = recordKeys
    }

    /// Keeps each value as one record.
    package convenience init<Value: Codable & Sendable>(
        of type: Value.Type, schema: Int, cache: (any QueryCacheType)?,
        migrate: (@Sendable (QueryRecord) throws -> Value?)?
    ) {
        self.init(
            cache: cache, schema: schema, isIncremental: false,
            encode: { payload, _, key in
                guard let payload = payload as? PayloadOf<Value> else { return RecordEdits() }
                return RecordEdits(saved: [(key, try JSONEncoder().encode(Wrapped(value: payload.value)))])
            },
            decode: { record, _, _ in
                guard record.schema == schema else {
                    return try migrate?(record).map { Decoded(payload: PayloadOf($0)) }
                }
                let value = try JSONDecoder().decode(Wrapped<Value>.self, from: record.data).value
                return Decoded(payload: PayloadOf(value))
            },
            store: { payload, _, cache, key, date in
                guard let payload = payload as? PayloadOf<Value> else { return }
                cache.save(payload.value, for: key, andTimestamp: date)
            },
            fetch: { cache, key in
                let value: Value? = cache.get(for: key)
                return value.map { PayloadOf($0) }
            })
    }

    // MARK: Reading

    /// A value that was found.
    struct Found {
        var payload: Payload
        /// `nil` when the cache does not know.
        var savedAt: Date?
        var isStale = false
        var freshFor: TimeInterval?
        var validators = FetchValidators()
        /// What was missing or unreadable, when only a part was.
        var problem: String?
    }

    /// What was found for a key.
    enum Finding {
        case none
        case found(Found)
        case unreadable(reason: String)
        /// The cache could not be asked: the record may be right.
        case unreachable(reason: String)
    }

    /// Reads a key's value, as it will be once what is pending is written. Disk and user code: never under a lock.
    ///
    /// - Parameter policy: What a cache that keeps no times is asked to judge a value by. `nil` asks nothing.
    func load(
        _ key: QueryKey, from cache: any QueryCacheType, pending: PendingRecords.Pending, at now: MonotonicInstant,
        _ date: Date, policy: QueryCacheConfig.InvalidationPolicy?
    ) -> Finding {
        switch pending {
        case .removal: return .none
        case .save(let save):
            return .found(
                Found(
                    payload: save.payload, savedAt: save.savedAt(now: now, date: date), isStale: save.isStale,
                    freshFor: save.freshFor.map { Double($0) / 1e9 }, validators: save.validators))
        case .nothing: return load(key, from: cache, date, policy)
        case .stale:
            let finding = load(key, from: cache, date, policy)
            guard case .found(var found) = finding else { return finding }
            found.isStale = true
            return .found(found)
        }
    }

    private func load(
        _ key: QueryKey, from cache: any QueryCacheType, _ date: Date, _ policy: QueryCacheConfig.InvalidationPolicy?
    ) -> Finding {
        guard let records = cache as? any QueryRecordStore else {
            guard let payload = fetch(cache, key) else { return .none }
            var savedAt = cache.savedAt(for: key)
            if savedAt == nil, let policy {
                // Only the cache can tell, and it tells no more than that: a valid value counts as saved now.
                guard cache.isValueValid(forKey: key, timestamp: date, andInvalidationPolicy: policy) else {
                    return .none
                }
                savedAt = date
            }
            return .found(Found(payload: payload, savedAt: savedAt, isStale: cache.isMarkedStale(key)))
        }
        do {
            guard let record = try records.record(for: key) else { return .none }
            return finding(of: record, key) { try records.record(for: $0) }
        } catch {
            return .unreachable(reason: "the record could not be read: \(TransientError.label(error))")
        }
    }

    private func finding(of record: QueryRecord, _ key: QueryKey, _ read: RecordReader) -> Finding {
        do {
            guard let decoded = try decode(record, key, read) else {
                return .unreadable(reason: "has schema \(record.schema), not \(schema), and was removed")
            }
            return .found(
                Found(
                    payload: decoded.payload, savedAt: record.savedAt, isStale: record.isStale,
                    freshFor: record.freshFor, validators: record.validators, problem: decoded.problem))
        } catch {
            return .unreadable(reason: "did not decode and was removed")
        }
    }
}
