public import Foundation

/// One cached value as it lies in storage.
public struct QueryRecord: Sendable, Hashable {
    /// The encoded value.
    public var data: Data

    /// When the value was received, by the wall clock.
    public var savedAt: Date

    /// The schema the value was encoded with. See ``QueryDefinition/persisted(schema:in:migrate:)``.
    public var schema: Int

    /// Whether the value was invalidated after it was saved.
    public var isStale: Bool

    /// How long the server said the value is fresh, in seconds from ``savedAt``. `nil` when it did not say.
    public var freshFor: TimeInterval?

    /// What the server gave to ask later whether the value has changed.
    public var validators: FetchValidators

    /// The tags of the key, so that invalidation by tag reaches what is not in memory.
    public var tags: [String]

    /// Creates a record.
    public init(
        data: Data, savedAt: Date, schema: Int = 0, isStale: Bool = false,
        freshFor: TimeInterval? = nil, validators: FetchValidators = FetchValidators(), tags: [String] = []
    ) {
        self.data = data
        self.savedAt = savedAt
        self.schema = schema
        self.isStale = isStale
        self.freshFor = freshFor
        self.validators = validators
        self.tags = tags
    }
}

/// One step of a batch that a ``QueryRecordStore`` writes.
public enum QueryRecordChange: Sendable, Hashable {
    /// Keeps a record, in place of the one before.
    case save(QueryRecord, for: QueryKey)
    /// Forgets a record.
    case remove(QueryKey)
    /// Marks the records of a scope stale.
    case markStale(QueryRecordScope)
    /// Forgets every record.
    case removeAll
}

/// Which records a change concerns.
public enum QueryRecordScope: Sendable, Hashable {
    /// The record of one key.
    case key(QueryKey)
    /// The record of a key and all below it.
    case path(QueryKey)
    /// All whose key carries the tag.
    case tag(String)
    /// All.
    case all

    /// Whether a record with this key and these tags is meant.
    public func contains(_ key: QueryKey, tags: [String]) -> Bool {
        switch self {
        case .key(let wanted): key == wanted
        case .path(let path): key.isWithin(path)
        case .tag(let tag): tags.contains(tag)
        case .all: true
        }
    }
}

/// Something that went wrong in storage and was survived.
public struct QueryCacheProblem: Sendable, Hashable, CustomStringConvertible {
    /// The key concerned, when one record is.
    public var key: QueryKey?

    /// What happened, and what was done about it. Never holds a value.
    public var description: String

    /// Creates a report.
    public init(key: QueryKey? = nil, description: String) {
        self.key = key
        self.description = description
    }
}
