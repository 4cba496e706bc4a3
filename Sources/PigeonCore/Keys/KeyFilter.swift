/// Selects the entries that an operation concerns.
///
/// ```swift
/// await client.invalidate(.user(42))                       // a definition needs no filter
/// await client.invalidate("users")                         // a path: users, users/42, users/42/posts …
/// await client.invalidate(.tag("feed").and(.stale))
/// client.cancel(.where { $0.key.components.count > 3 })
/// ```
public struct KeyFilter: Sendable {
    let scope: QueryRecordScope
    var conditions: [Condition] = []

    /// A condition on an entry. All conditions of a filter must hold.
    public struct Condition: Sendable {
        /// A requirement on an entry.
        enum Kind: Sendable {
            case holds(@Sendable (EntryInfo) -> Bool)
            /// The entry contains an item. The client looks for the entries that do.
            case contains(ItemKey)
        }

        let kind: Kind

        private init(_ holds: @escaping @Sendable (EntryInfo) -> Bool) { kind = .holds(holds) }

        init(item: ItemKey) { kind = .contains(item) }

        /// The item that the entry must contain. `nil` if it need not contain any.
        var item: ItemKey? {
            if case .contains(let item) = kind { item } else { nil }
        }

        /// An enabled observer is attached to the entry.
        public static let active = Condition { $0.isActive }
        /// The entry has no observers, or only disabled ones.
        public static let inactive = Condition { !$0.isActive }
        /// The entry must be fetched again by the options of any observer. Without observers, it must be fetched if it
        /// has no value or was invalidated.
        public static let stale = Condition { $0.isStale }
        /// The entry need not be fetched again.
        public static let fresh = Condition { !$0.isStale }
        /// A fetch of the entry runs.
        public static let fetching = Condition { $0.activity == .fetching }
        /// A custom condition. The closure is called outside locks.
        public static func `where`(_ holds: @escaping @Sendable (EntryInfo) -> Bool) -> Condition {
            Condition(holds)
        }
    }

    /// All entries.
    public static let all = KeyFilter(scope: .all)

    /// The entry of one definition.
    public static func query<Value>(_ definition: QueryDefinition<Value>) -> KeyFilter { .key(definition.key) }

    /// The entry of one key.
    public static func key(_ key: QueryKey) -> KeyFilter { KeyFilter(scope: .key(key)) }

    /// The entry of one key, by the components of its path. A literal that stands alone is a whole key: ``key(_:)``.
    @_disfavoredOverload
    public static func key(_ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...) -> KeyFilter {
        KeyFilter(scope: .key(QueryKey(first: first, rest: rest)))
    }

    /// The entry of a key, and all entries below it.
    public static func path(_ key: QueryKey) -> KeyFilter { KeyFilter(scope: .path(key)) }

    /// The entry of one definition, and all entries below its key: a family, named by the definition at its root.
    ///
    /// ```swift
    /// await client.invalidate(.path(of: .users))               // users, users/42, users/42/posts …
    /// ```
    public static func path<Value>(of definition: QueryDefinition<Value>) -> KeyFilter { .path(definition.key) }

    /// The entry of a key, and all entries below it, by the components of its path. A literal that stands alone is a
    /// whole key: ``path(_:)``.
    @_disfavoredOverload
    public static func path(_ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...) -> KeyFilter {
        KeyFilter(scope: .path(QueryKey(first: first, rest: rest)))
    }

    /// The entries whose keys have the tag.
    public static func tag(_ tag: String) -> KeyFilter { KeyFilter(scope: .tag(tag)) }

    /// The entries for which the closure returns true. The closure is called for each entry in memory, outside locks.
    public static func `where`(_ holds: @escaping @Sendable (EntryInfo) -> Bool) -> KeyFilter {
        KeyFilter(scope: .all, conditions: [.where(holds)])
    }

    /// Returns a filter that also requires a condition.
    public func and(_ condition: Condition) -> KeyFilter {
        var filter = self
        filter.conditions.append(condition)
        return filter
    }

    /// The filter's scope for records that are not in memory. `nil` if a condition needs an entry.
    var recordScope: QueryRecordScope? { conditions.isEmpty ? scope : nil }

    /// True if all conditions hold but those about items. Calls user code, so it must not be called under a lock.
    func accepts(_ entry: EntryInfo) -> Bool {
        conditions.allSatisfy { condition in
            if case .holds(let holds) = condition.kind { holds(entry) } else { true }
        }
    }
}

extension QueryRecordScope {
    package var filter: KeyFilter { KeyFilter(scope: self) }
}

extension KeyFilter: ExpressibleByStringInterpolation {
    /// Creates a filter of a path that is written as a literal, as ``QueryKey/init(stringLiteral:)`` reads it.
    public init(stringLiteral path: String) {
        self = .path(QueryKey(stringLiteral: path))
    }

    /// Creates a filter of a path that is written as a literal with values in it.
    public init(stringInterpolation path: QueryKey.StringInterpolation) {
        self = .path(QueryKey(stringInterpolation: path))
    }
}

/// A description of an entry, for conditions of a filter and for debugging.
public struct EntryInfo: Sendable {
    /// The key, with its tags.
    public let key: QueryKey
    /// True if an enabled observer is attached.
    public let isActive: Bool
    /// Number of observers.
    public let observerCount: Int
    /// True if the entry must be fetched again. See ``KeyFilter/Condition/stale``.
    public let isStale: Bool
    /// The activity of the fetcher.
    public let activity: Activity
    /// True if the entry has a value.
    public let hasValue: Bool
    /// True if the last fetch failed.
    public let hasFailed: Bool
}
