/// The time for which a value is fresh after it was received.
///
/// ```swift
/// let user = QueryDefinition("users", id) { _ in try await api.user(id) }.staleAfter(.seconds(30))
/// ```
public struct StaleTime: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case after(nanoseconds: Int64)
        case never
        case immutable
    }

    package let kind: Kind

    /// Returns the time at which a value turns stale by age. `nil` if it never does.
    ///
    /// - Parameter freshFor: Freshness lifetime that the answer named, in nanoseconds. Replaces this stale time.
    func end(writtenAt: MonotonicInstant, freshFor: Int64?) -> MonotonicInstant? {
        switch (kind, freshFor) {
        case (.immutable, _), (.never, nil): nil
        case (_, let own?): writtenAt.advanced(nanoseconds: own)
        case (.after(let nanoseconds), nil): writtenAt.advanced(nanoseconds: nanoseconds)
        }
    }

    func isStale(
        writtenAt: MonotonicInstant, freshFor: Int64?, isInvalidated: Bool, at now: MonotonicInstant
    ) -> Bool {
        if kind == .immutable { return false }
        if isInvalidated { return true }
        guard let end = end(writtenAt: writtenAt, freshFor: freshFor) else { return false }
        return now >= end
    }

    /// The value is stale as soon as it is received. The default.
    public static let zero = StaleTime(kind: .after(nanoseconds: 0))

    /// The value is fresh until it is invalidated.
    public static let never = StaleTime(kind: .never)

    /// The value is always fresh: neither an invalidation, nor the foreground, nor a new observer refetches it. Only an
    /// explicit request does.
    public static let immutable = StaleTime(kind: .immutable)

    /// The value is fresh for `duration`. A negative duration counts as zero.
    public static func after(_ duration: Duration) -> StaleTime {
        StaleTime(kind: .after(nanoseconds: max(0, duration.clampedNanoseconds)))
    }

    /// The value is fresh for `count` milliseconds.
    public static func milliseconds(_ count: Int) -> StaleTime { .after(.milliseconds(count)) }

    /// The value is fresh for `count` seconds.
    public static func seconds(_ count: Int) -> StaleTime { .after(.seconds(count)) }

    /// The value is fresh for `count` minutes.
    public static func minutes(_ count: Int) -> StaleTime { .after(.minutes(count)) }

    /// The value is fresh for `count` hours.
    public static func hours(_ count: Int) -> StaleTime { .after(.hours(count)) }
}
