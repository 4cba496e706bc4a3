public import Foundation

/// Configures how a query uses its cache.
///
/// ```swift
/// let config = QueryCacheConfig(invalidationPolicy: .expiresAfter(1000), usagePolicy: .useInsteadOfFetching)
/// ```
public struct QueryCacheConfig: Sendable, Hashable {
    /// The time for which a cached value is valid.
    public enum InvalidationPolicy: Sendable, Hashable {
        /// The value is valid until it is invalidated.
        case notExpires
        /// The value is valid for a number of seconds after it was saved. NaN and negative numbers count as 0.
        case expiresAfter(TimeInterval)

        /// Returns true if a value saved at `savedAt` is still valid at `now`.
        ///
        /// A value from the future, for example after the clock was set back, has an unknown age and counts as expired.
        public func isValid(savedAt: Date, now: Date) -> Bool {
            isValid(age: savedAt > now ? .greatestFiniteMagnitude : now.timeIntervalSince(savedAt))
        }

        /// Returns true if a value of an age, in seconds, is still valid.
        package func isValid(age: TimeInterval) -> Bool {
            switch self {
            case .notExpires: true
            case .expiresAfter(let seconds): seconds > 0 && age < seconds
            }
        }
    }

    /// The way in which a query uses a valid cached value.
    public enum UsagePolicy: Sendable, Hashable {
        /// The query shows the cached value, and does not fetch.
        case useInsteadOfFetching
        /// The query fetches, and shows the cached value only if the fetch fails.
        case useIfFetchFails
        /// The query shows the cached value, and fetches.
        case useAndThenFetch
    }

    /// The time for which a cached value is valid.
    public let invalidationPolicy: InvalidationPolicy

    /// The way in which the query uses a valid cached value.
    public let usagePolicy: UsagePolicy

    /// Creates a configuration.
    public init(
        invalidationPolicy: InvalidationPolicy = .notExpires,
        usagePolicy: UsagePolicy = .useIfFetchFails
    ) {
        self.invalidationPolicy = invalidationPolicy
        self.usagePolicy = usagePolicy
    }

    /// The configuration of queries that name none. A query reads it when it is created.
    public static var global: QueryCacheConfig { SharedState.current.config.withLock { $0 } }

    /// Replaces ``global`` for queries that are created later.
    public static func setGlobal(_ config: QueryCacheConfig) {
        SharedState.current.config.withLock { $0 = config }
    }
}
