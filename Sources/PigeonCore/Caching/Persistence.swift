internal import Foundation

/// Saves values of one type in a cache and reads them, with the type erased. Divides a value into parts and assembles
/// it from parts, in the same way for every kind of cache. The parts are encoded where they are written.
package final class Persistence: Sendable {
    /// The cache that the definition names. `nil` for the client's cache.
    package let cache: (any QueryCacheType)?
    let schema: Int

    /// True if a value is stored as several records, of which only the changed ones are written.
    let isIncremental: Bool

    /// Returns the parts to save and to remove so that a cache then has the payload.
    ///
    /// The reader reads what the cache has; it is `nil` if that is nothing.
    ///
    /// - Throws: An error of the reader.
    let parts: @Sendable (Payload, QueryKey, _ reader: (any PartReader)?) throws -> PartEdits
    /// Assembles a value from its parts. Returns `nil` if there is none.
    let assemble: @Sendable (QueryKey, any PartReader) throws -> Assembled?
    /// Converts a record of another schema to a value, or returns `nil`.
    let migrate: @Sendable (QueryRecord) throws -> Payload?
    /// Returns the keys of the parts of a value, except the value's own key.
    let partKeys: @Sendable (Payload, QueryKey) -> [QueryKey]

    /// Changes of the parts of one value, in order.
    struct PartEdits {
        var saved: [(key: QueryKey, part: any Codable)] = []
        var removed: [QueryKey] = []
    }

    /// A value that was assembled from its parts.
    struct Assembled {
        let payload: Payload
        /// The part that was missing or unreadable. `nil` if all parts were read.
        var problem: String?
    }

    init(
        cache: (any QueryCacheType)?, schema: Int, isIncremental: Bool,
        parts: @escaping @Sendable (Payload, QueryKey, (any PartReader)?) throws -> PartEdits,
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

    /// Stores each value as one part.
    package convenience init<Value: Codable & Sendable>(
        of type: Value.Type, schema: Int, cache: (any QueryCacheType)?,
        migrate: (@Sendable (QueryRecord) throws -> Value?)?
    ) {
        self.init(
            cache: cache, schema: schema, isIncremental: false,
            parts: { payload, key, _ in
                guard let payload = payload as? PayloadOf<Value> else { return PartEdits() }
                return PartEdits(saved: [(key, payload.value)])
            },
            assemble: { key, reader in
                try reader.part(Value.self, at: key).map { Assembled(payload: PayloadOf($0)) }
            },
            migrate: { record in try migrate?(record).map { PayloadOf($0) } })
    }

    // MARK: Reading

    /// A value that was found in a cache.
    struct Found {
        var payload: Payload
        /// The date at which the value was saved. `nil` if the cache does not know it.
        var savedAt: Date?
        var isStale = false
        /// The freshness lifetime that the server named, in nanoseconds.
        var freshFor: Int64?
        /// The validators and limits that came with it.
        var metadata = AnswerMetadata()
        /// The part that was missing or unreadable. `nil` if all parts were read.
        var problem: String?
        /// The mark of the record. 0 if it is not written yet, or not a record.
        var mark = 0
    }

    /// The result of looking up a key in a cache.
    enum Finding {
        case none
        case found(Found)
        case unreadable(reason: String)
        /// The cache could not be read. The record itself may be fine.
        case unreachable(reason: String)

        /// True if a part was missing or unreadable.
        fileprivate var isIncomplete: Bool {
            switch self {
            case .found(let found): found.problem != nil
            case .unreadable: true
            case .none, .unreachable: false
            }
        }
    }

    /// Reads a key's value as it will be once the pending work is written. Reads the disk and calls user code, so it
    /// must not be called under a lock.
    ///
    /// - Parameter policy: The policy by which a cache without times validates the value. `nil` skips the validation.
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
                    freshFor: save.freshFor, metadata: save.metadata))
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
            var record = try store.record(for: key)
            while let read = record {
                let finding = finding(of: read, key, in: store)
                guard isIncremental, finding.isIncomplete else { return finding }
                // Another process may have replaced the parts that were missing, with the record that names them.
                record = try store.record(for: key)
                guard record?.mark != read.mark else { return finding }
            }
            return .none
        } catch {
            return .unreachable(reason: Self.unreachable(error))
        }
    }

    /// Describes why a record could not be read.
    static func unreachable(_ error: any Error) -> String {
        "the record could not be read: \(TransientError.label(error))"
    }

    private func finding(
        of key: QueryKey, in cache: any QueryCacheType, _ date: Date, _ policy: QueryCacheConfig.InvalidationPolicy?
    ) throws -> Finding {
        guard let found = try assemble(key, CachedParts(cache: cache)) else { return .none }
        var savedAt = cache.savedAt(for: key)
        if savedAt == nil, let policy {
            // Only the cache knows whether the value is valid, and it does not know the age. A valid value counts as
            // saved now.
            guard cache.isValueValid(forKey: key, timestamp: date, andInvalidationPolicy: policy) else { return .none }
            savedAt = date
        }
        return .found(
            Found(
                payload: found.payload, savedAt: savedAt, isStale: cache.isMarkedStale(key), problem: found.problem))
    }

    func finding(of record: QueryRecord, _ key: QueryKey, in store: any QueryRecordStore) -> Finding {
        do {
            guard let found = try value(of: record, key, in: store) else {
                let reason =
                    record.schema != schema ? "has schema \(record.schema), not \(schema)," : "did not decode"
                return .unreadable(reason: "\(reason) and was removed")
            }
            return .found(
                Found(
                    payload: found.payload, savedAt: record.savedAt, isStale: record.isStale,
                    freshFor: record.freshForNanoseconds, metadata: record.metadata, problem: found.problem,
                    mark: record.mark))
        } catch {
            return .unreachable(reason: Self.unreachable(error))
        }
    }

    /// Assembles the value of a record, or converts it from another schema. Returns `nil` if that fails. Calls user
    /// code.
    ///
    /// - Parameter store: The store of the other parts. `nil` for a value of one part.
    func value(of record: QueryRecord, _ key: QueryKey, in store: (any QueryRecordStore)?) throws -> Assembled? {
        guard record.schema == schema else { return ((try? migrate(record)) ?? nil).map { Assembled(payload: $0) } }
        return try assemble(key, StoredParts(store: store, own: (key, record)))
    }
}

/// Reads the parts in which a value is stored.
protocol PartReader {
    /// Returns the part at a key. `nil` if there is none, or if it does not decode.
    ///
    /// - Throws: The error of a cache that cannot be read.
    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) throws -> Part?
}

/// Reads parts from a cache of values.
struct CachedParts: PartReader {
    let cache: any QueryCacheType

    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) -> Part? {
        cache.get(for: key)
    }
}

/// Reads parts from a store of records.
struct StoredParts: PartReader {
    /// `nil` for a value of one part.
    let store: (any QueryRecordStore)?
    /// The value's own record, if it has been read already.
    var own: (key: QueryKey, record: QueryRecord)?

    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) throws -> Part? {
        let record = key == own?.key ? own?.record : try store?.record(for: key)
        return record.flatMap { try? RecordData.part(type, from: $0.data) }
    }
}

/// A part that always encodes as an object or array, so that a record contains it without a wrapper.
protocol SelfContainedPart {}

/// Encodes and decodes the bytes of a record. They are JSON. A part that may be a bare string or number is wrapped in
/// an array.
enum RecordData {
    // One for all records, whose options nobody changes.
    private static let (encoder, decoder) = (JSONEncoder(), JSONDecoder())

    static func data<Part: Codable>(of part: Part) throws -> Data {
        Part.self is any SelfContainedPart.Type
            ? try encoder.encode(part) : try encoder.encode(Wrapped(value: part))
    }

    static func part<Part: Codable>(_ type: Part.Type, from data: Data) throws -> Part {
        guard type is any SelfContainedPart.Type else {
            return try decoder.decode(Wrapped<Part>.self, from: data).value
        }
        return try decoder.decode(type, from: data)
    }

    /// Wraps a value in an array, because not every platform's JSON coder accepts a bare string, number or `nil`.
    private struct Wrapped<Value: Codable>: Codable {
        var value: Value

        init(value: Value) {
            self.value = value
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            value = try container.decode(Value.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(value)
        }
    }
}
