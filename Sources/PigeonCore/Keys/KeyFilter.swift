/// Which entries an operation concerns.
///
/// ```swift
/// await client.invalidate(.path("users"))                  // users, users/42, users/42/posts …
/// await client.invalidate(.tag("feed").and(.stale))
/// client.cancel(.where { $0.key.components.count > 3 })
/// ```
public struct KeyFilter: Sendable {
    enum Scope: Sendable {
        case key(QueryKey)
        case path(QueryKey)
        case tag(String)
        case all
    }

    let scope: Scope
    var conditions: [Condition] = []

    /// A further condition on an entry. All of a filter's conditions must hold.
    public struct Condition: Sendable {
        let holds: @Sendable (EntryInfo) -> Bool

        /// Somebody observes it.
        public static let active = Condition { $0.isActive }
        /// Nobody observes it, or only disabled observers do.
        public static let inactive = Condition { !$0.isActive }
        /// It must be fetched again: by the terms of any observer; with none, when it has no value or was invalidated.
        public static let stale = Condition { $0.isStale }
        /// It need not be fetched again.
        public static let fresh = Condition { !$0.isStale }
        /// A fetch runs.
        public static let fetching = Condition { $0.activity == .fetching }
        /// A condition of your own. Called outside locks.
        public static func `where`(_ holds: @escaping @Sendable (EntryInfo) -> Bool) -> Condition {
            Condition(holds: holds)
        }
    }

    /// Every entry.
    public static let all = KeyFilter(scope: .all)

    /// The entry of one key.
    public static func key(_ key: QueryKey) -> KeyFilter { KeyFilter(scope: .key(key)) }

    /// The entry of one key, by the components of its path. A literal that stands alone is a whole key: ``key(_:)``.
    @_disfavoredOverload
    public static func key(_ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...) -> KeyFilter {
        KeyFilter(scope: .key(QueryKey(first: first, rest: rest)))
    }

    /// The entry of a key and all below it.
    public static func path(_ key: QueryKey) -> KeyFilter { KeyFilter(scope: .path(key)) }

    /// The entry of a key and all below it, by the components of its path. A literal that stands alone is a whole key:
    /// ``path(_:)``.
    @_disfavoredOverload
    public static func path(_ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...) -> KeyFilter {
        KeyFilter(scope: .path(QueryKey(first: first, rest: rest)))
    }

    /// The entries whose key carries the tag.
    public static func tag(_ tag: String) -> KeyFilter { KeyFilter(scope: .tag(tag)) }

    /// The entries for which the closure says so. Costs a call for each entry in memory; called outside locks.
    public static func `where`(_ holds: @escaping @Sendable (EntryInfo) -> Bool) -> KeyFilter {
        KeyFilter(scope: .all, conditions: [.where(holds)])
    }

    /// The same entries, as far as the condition holds too.
    public func and(_ condition: Condition) -> KeyFilter {
        var filter = self
        filter.conditions.append(condition)
        return filter
    }

    /// What the filter means for records that are not in memory; `nil` when a condition needs the entry.
    var recordScope: QueryRecordScope? {
        guard conditions.isEmpty else { return nil }
        return switch scope {
        case .key(let key): .key(key)
        case .path(let key): .path(key)
        case .tag(let tag): .tag(tag)
        case .all: .all
        }
    }
}

/// What a filter's condition may know of an entry.
public struct EntryInfo: Sendable {
    /// The key, with its tags.
    public let key: QueryKey
    /// Whether an observer that fetches watches it.
    public let isActive: Bool
    /// How many observe it.
    public let observerCount: Int
    /// Whether it must be fetched again. See ``KeyFilter/Condition/stale``.
    public let isStale: Bool
    /// What its fetcher is doing.
    public let activity: Activity
    /// Whether it has a value.
    public let hasValue: Bool
    /// Whether its last fetch failed.
    public let hasFailed: Bool
}
