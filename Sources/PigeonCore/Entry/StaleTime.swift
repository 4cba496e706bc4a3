/// How long a value counts as fresh after it was received.
///
/// ```swift
/// let user = QueryDefinition("users", id) { _ in try await api.user(id) }.staleAfter(.seconds(30))
/// ```
public struct StaleTime: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case after(nanoseconds: Int64)
        case never
        case fixed
    }

    package let kind: Kind

    /// When a value turns stale by time alone; `nil` for never.
    ///
    /// - Parameter freshFor: How long the answer said it is fresh, in nanoseconds; counts in place of this time.
    func end(writtenAt: MonotonicInstant, freshFor: Int64?) -> MonotonicInstant? {
        switch (kind, freshFor) {
        case (.fixed, _), (.never, nil): nil
        case (_, let own?): writtenAt.advanced(nanoseconds: own)
        case (.after(let nanoseconds), nil): writtenAt.advanced(nanoseconds: nanoseconds)
        }
    }

    /// Whether a value must be fetched again.
    func isStale(
        writtenAt: MonotonicInstant, freshFor: Int64?, isInvalidated: Bool, at now: MonotonicInstant
    ) -> Bool {
        if kind == .fixed { return false }
        if isInvalidated { return true }
        guard let end = end(writtenAt: writtenAt, freshFor: freshFor) else { return false }
        return now >= end
    }

    /// Stale as soon as it is received. The default.
    public static let zero = StaleTime(kind: .after(nanoseconds: 0))

    /// Fresh until it is invalidated.
    public static let never = StaleTime(kind: .never)

    /// Fresh whatever happens: neither invalidation, nor focus, nor a new observer refetches it. Only asking for it by
    /// name does.
    public static let fixed = StaleTime(kind: .fixed)

    /// Fresh for `duration`. A negative one counts as zero.
    public static func after(_ duration: Duration) -> StaleTime {
        StaleTime(kind: .after(nanoseconds: max(0, duration.clampedNanoseconds)))
    }

    /// Fresh for so many milliseconds.
    public static func milliseconds(_ count: Int) -> StaleTime { .after(.milliseconds(count)) }

    /// Fresh for so many seconds.
    public static func seconds(_ count: Int) -> StaleTime { .after(.seconds(count)) }

    /// Fresh for so many minutes.
    public static func minutes(_ count: Int) -> StaleTime { .after(.seconds(60 * count)) }

    /// Fresh for so many hours.
    public static func hours(_ count: Int) -> StaleTime { .after(.seconds(3600 * count)) }
}
