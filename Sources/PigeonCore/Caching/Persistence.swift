internal import Foundation

/// How values of one type go into a cache and come out, with the type erased. The same for every kind of cache: a value is
/// taken apart and put together here, and its parts are encoded where they are written.
package final class Persistence: Sendable {
    /// The cache that the definition names; `nil` for the client's.
    package let cache: (any QueryCacheType)?
    let schema: Int

    /// Whether a value is kept as several records, of which only the changed are written.
    let isIncremental: Bool

    /// The parts to save and to remove so that a cache which has `previous` has the payload.
    let parts: @Sendable (_ payload: Payload, _ previous: Payload?, QueryKey) -> PartEdits
    /// Puts a value together from its parts. `nil` if there is none.
    let assemble: @Sendable (QueryKey, any PartReader) throws -> Assembled?
    /// Makes a value of a record of another schema, or says `nil`.
    let migrate: @Sendable (QueryRecord) throws -> Payload?
    /// The keys of the parts that a value is kept as, beside its own.
    let partKeys: @Sendable (Payload, QueryKey) -> [QueryKey]

    /// Changes of the parts that one value is kept as, in order.
    struct PartEdits {
        var saved: [(key: QueryKey, part: any Codable)] = []
        var removed: [QueryKey] = []
    }

    /// A value that was put together.
    struct Assembled {
        let payload: Payload
        /// What was missing or unreadable, when only a part was.
        var problem: String?
    }

    init(
        cache: (any QueryCacheType)?, schema: Int, isIncremental: Bool,
        parts: @escaping @Sendable (Payload, Payload?, QueryKey) -> PartEdits,
        assemble: @escaping @Sendable (QueryKey, any PartReader) throws -> Assembled?,
        migrate: @escaping @Sendable (QueryRecord) throws -> Payload? = { _ in nil },
        partKeys: @escaping @Sendable (Payload, QueryKey) -> [QueryKey] = { _, _ in [] }
    ) {
        self.cache = cache
        self.schema = schema
        self.isIncremental = isIncremental
        self.parts = parts
        self.assemble = assemble
        self.migrate = migrate
        self.partKeys = partKeys
    }

    /// Keeps each value as one part.
    package convenience init<Value: Codable & Sendable>(
        of type: Value.Type, schema: Int, cache: (any QueryCacheType)?,
        migrate: (@Sendable (QueryRecord) throws -> Value?)?
    ) {
        self.init(
            cache: cache, schema: schema, isIncremental: false,
            parts: { payload, _, key in
                guard let payload = payload as? PayloadOf<Value> else { return PartEdits() }
                return PartEdits(saved: [(key, payload.value)])
            },
            assemble: { key, reader in
                try reader.part(Value.self, at: key).map { Assembled(payload: PayloadOf($0)) }
            },
            migrate: { record in try migrate?(record).map { PayloadOf($0) } })
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
        _ key: QueryKey, from cache: any QueryCacheType, pending: PendingRecord, at now: MonotonicInstant,
        _ date: Date, policy: QueryCacheConfig.InvalidationPolicy?
    ) -> Finding {
        switch pending {
        case .removal: return .none
        case .save(let save, let isStale):
            return .found(
                Found(
                    payload: save.payload, savedAt: save.savedAt(now: now, date: date), isStale: isStale,
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
        do {
            guard let store = cache as? any QueryRecordStore else {
                return try finding(of: key, in: cache, date, policy)
            }
            guard let record = try store.record(for: key) else { return .none }
            return finding(of: record, key, in: store)
        } catch {
            return .unreachable(reason: "the record could not be read: \(TransientError.label(error))")
        }
    }

    private func finding(
        of key: QueryKey, in cache: any QueryCacheType, _ date: Date, _ policy: QueryCacheConfig.InvalidationPolicy?
    ) throws -> Finding {
        guard let found = try assemble(key, CachedParts(cache: cache)) else { return .none }
        var savedAt = cache.savedAt(for: key)
        if savedAt == nil, let policy {
            // Only the cache can tell, and it tells no more than that: a valid value counts as saved now.
            guard cache.isValueValid(forKey: key, timestamp: date, andInvalidationPolicy: policy) else { return .none }
            savedAt = date
        }
        return .found(
            Found(
                payload: found.payload, savedAt: savedAt, isStale: cache.isMarkedStale(key), problem: found.problem))
    }

    private func finding(of record: QueryRecord, _ key: QueryKey, in store: any QueryRecordStore) -> Finding {
        do {
            let isCurrent = record.schema == schema
            let found =
                isCurrent
                ? try assemble(key, StoredParts(store: store, key: key, record: record))
                : try migrate(record).map { Assembled(payload: $0) }
            guard let found else {
                return .unreadable(
                    reason: isCurrent
                        ? "did not decode and was removed"
                        : "has schema \(record.schema), not \(schema), and was removed")
            }
            return .found(
                Found(
                    payload: found.payload, savedAt: record.savedAt, isStale: record.isStale,
                    freshFor: record.freshFor, validators: record.validators, problem: found.problem))
        } catch {
            return .unreadable(reason: "did not decode and was removed")
        }
    }
}
