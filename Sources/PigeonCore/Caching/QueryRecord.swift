public import Foundation

/// A cached value as it is stored.
public struct QueryRecord: Sendable, Hashable {
    /// The encoded value.
    public var data: Data

    /// The date at which the value was received.
    public var savedAt: Date

    /// The version of the value's encoding. See ``QueryDefinition/persisted(schema:in:migrate:)``.
    public var schema: Int

    /// True if the value was invalidated after it was saved.
    public var isStale: Bool

    /// The freshness lifetime that the server named, in seconds from ``savedAt``. `nil` if it named none.
    public var freshFor: TimeInterval?

    /// The validators with which a later request asks the server whether the value has changed.
    public var validators: FetchValidators

    /// The time after ``freshFor`` for which the server allows the value to be used while it is fetched again, in
    /// seconds (RFC 5861). `nil` if it said nothing.
    public var staleWhileRevalidate: TimeInterval?

    /// The time after ``freshFor`` for which the server allows the value to be used if it cannot be fetched, in seconds
    /// (RFC 5861). `nil` if it said nothing.
    public var staleIfError: TimeInterval?

    /// The tags of the key, so that an invalidation by tag reaches records that are not in memory.
    public var tags: [String]

    /// Creates a record.
    public init(
        data: Data, savedAt: Date, schema: Int = 0, isStale: Bool = false,
        freshFor: TimeInterval? = nil, validators: FetchValidators = FetchValidators(),
        staleWhileRevalidate: TimeInterval? = nil, staleIfError: TimeInterval? = nil, tags: [String] = []
    ) {
        self.data = data
        self.savedAt = savedAt
        self.schema = schema
        self.isStale = isStale
        self.freshFor = freshFor
        self.validators = validators
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.tags = tags
    }
}

extension QueryRecord {
    /// Creates a record with the freshness, in nanoseconds, and the metadata of an answer.
    init(
        data: Data, savedAt: Date, schema: Int, isStale: Bool = false, freshFor: Int64?, metadata: AnswerMetadata,
        tags: [String]
    ) {
        func seconds(_ nanoseconds: Int64) -> TimeInterval { Double(nanoseconds) / 1e9 }
        self.init(
            data: data, savedAt: savedAt, schema: schema, isStale: isStale, freshFor: freshFor.map(seconds),
            validators: metadata.validators, staleWhileRevalidate: metadata.allowance?.whileRevalidating.map(seconds),
            staleIfError: metadata.allowance?.ifError.map(seconds), tags: tags)
    }

    /// The freshness lifetime as entries keep it.
    var freshForNanoseconds: Int64? { freshFor.map(Self.nanoseconds) }

    /// A time of a record as entries keep it. 0 if it is absurd.
    static func nanoseconds(_ seconds: TimeInterval) -> Int64 {
        Duration(untrustedSeconds: seconds)?.clampedNanoseconds ?? 0
    }

    /// The validators and limits that came with the value.
    var metadata: AnswerMetadata {
        let isAllowed = staleWhileRevalidate != nil || staleIfError != nil
        return AnswerMetadata(validators: validators, allowance: isAllowed ? StaleAllowance(self) : nil)
    }

    /// A number that tells records of one key apart in this process, apart from ``isStale``. Never 0.
    var mark: Int {
        var hasher = Hasher()
        data.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(savedAt)
        hasher.combine(schema)
        hasher.combine(freshFor)
        hasher.combine(validators)
        hasher.combine(staleWhileRevalidate)
        hasher.combine(staleIfError)
        return hasher.finalize() | 1
    }
}

/// A change in a batch that a ``QueryRecordStore`` writes.
public enum QueryRecordChange: Sendable, Hashable {
    /// Saves a record, replacing the previous one.
    case save(QueryRecord, for: QueryKey)
    /// Removes a record.
    case remove(QueryKey)
    /// Marks the records of a scope stale.
    case markStale(QueryRecordScope)
    /// Removes every record.
    case removeAll
}

/// The set of records that a change concerns.
public enum QueryRecordScope: Sendable, Hashable {
    /// The record of one key.
    case key(QueryKey)
    /// The record of a key, and all records below it.
    case path(QueryKey)
    /// All records whose keys have the tag.
    case tag(String)
    /// All records.
    case all

    /// Returns true if the scope contains a record with this key and these tags.
    public func contains(_ key: QueryKey, tags: [String]) -> Bool {
        switch self {
        case .key(let wanted): key == wanted
        case .path(let path): key.isWithin(path)
        case .tag(let tag): tags.contains(tag)
        case .all: true
        }
    }
}

/// A change of a cache that others made: another process, or another instance that uses the same storage.
public enum QueryCacheChange: Sendable, Hashable {
    /// Records of the scope may have been saved, marked stale or removed.
    case records(QueryRecordScope)
    /// The storage was replaced by an empty one, as after damage. The values in memory are still right.
    case replaced
}

/// A problem in a cache that did not stop the client.
public struct QueryCacheProblem: Sendable, Hashable, CustomStringConvertible {
    /// The key of the record concerned. `nil` if the problem does not concern one record.
    public var key: QueryKey?

    /// Describes the problem and how it was handled. Never contains a value.
    public var description: String

    /// Creates a report.
    public init(key: QueryKey? = nil, description: String) {
        self.key = key
        self.description = description
    }
}

/// The first 100 problems of a cache since they were last taken.
package final class QueryCacheProblems: Sendable {
    private let all = Locked<[QueryCacheProblem]>([])

    package init() {}

    package func note(_ description: String, key: QueryKey? = nil) {
        all.withLock { all in
            if all.count < 100 { all.append(QueryCacheProblem(key: key, description: description)) }
        }
    }

    package func take() -> [QueryCacheProblem] {
        all.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
