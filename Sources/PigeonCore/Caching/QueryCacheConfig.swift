public import Foundation

/// How a query uses its cache.
///
/// ```swift
/// let config = QueryCacheConfig(invalidationPolicy: .expiresAfter(1000), usagePolicy: .useInsteadOfFetching)
/// ```
public struct QueryCacheConfig: Sendable, Hashable {
    /// How long a cached value counts as valid.
    public enum InvalidationPolicy: Sendable, Hashable {
        /// For ever, until it is invalidated.
        case notExpires
        /// For so many seconds from when it was saved. NaN and negative numbers count as 0.
        case expiresAfter(TimeInterval)

        /// Whether a value saved at `savedAt` is still valid at `now`.
        ///
        /// A value from the future, as after the clock was set back, has an unknown age and counts as expired.
        public func isValid(savedAt: Date, now: Date) -> Bool {
            isValid(age: savedAt > now ? .greatestFiniteMagnitude : now.timeIntervalSince(savedAt))
        }

        /// Whether a value of an age, in seconds, is still valid.
        package func isValid(age: TimeInterval) -> Bool {
            switch self {
            case .notExpires: true
            case .expiresAfter(let seconds): seconds > 0 && age < seconds
            }
        }
    }

    /// What a query does with a valid cached value.
    public enum UsagePolicy: Sendable, Hashable {
        /// Show it, and do not fetch.
        case useInsteadOfFetching
        /// Fetch, and show it only when the fetch fails.
        case useIfFetchFails
        /// Show it, and fetch.
        case useAndThenFetch
    }

    /// How long a cached value counts as valid.
    public let invalidationPolicy: InvalidationPolicy

    /// What a query does with a valid cached value.
    public let usagePolicy: UsagePolicy

    /// Creates a configuration.
    public init(
        invalidationPolicy: InvalidationPolicy = .notExpires,
        usagePolicy: UsagePolicy = .useIfFetchFails
    ) {
        self.invalidationPolicy = invalidationPolicy
        self.usagePolicy = usagePolicy
    }

    /// The configuration of queries that name none. Read when a query is created.
    public static var global: QueryCacheConfig { SharedState.current.config.withLock { $0 } }

    /// Replaces ``global`` for queries created from now on.
    public static func setGlobal(_ config: QueryCacheConfig) {
        SharedState.current.config.withLock { $0 = config }
    }
}
