/// The values that a caller of ``QueryClient/fetch(_:_:)`` accepts, and when it goes to the server.
///
/// ```swift
/// let user = try await client.fetch(.user(42), .staleWhileRevalidate(upTo: .minutes(10)))
/// let price = try await client.fetch(.price("AAPL"), .staleIfError(upTo: .hours(1)))
/// ```
///
/// Limits count from the time at which the value turned stale by its age. They can be combined:
/// `.staleWhileRevalidate(upTo: .minutes(1)).staleIfError(upTo: .hours(1))`.
public struct FetchPolicy: Sendable, Hashable {
    /// When the caller goes to the server.
    enum Network: Sendable, Hashable {
        case ifStale
        case ifMissing
        case always
        case never
    }

    /// How long after a value turned stale it is still accepted.
    enum Limit: Sendable, Hashable {
        case after(nanoseconds: Int64)
        /// As long as the server's answer allows.
        case asServerSays

        init(_ duration: Duration) {
            self = .after(nanoseconds: max(0, duration.clampedNanoseconds))
        }
    }

    var network = Network.ifStale
    /// The limit of a value that is returned while it is fetched again. `nil` to wait for the fetch.
    var whileRevalidating: Limit?
    /// The limit of a value that is returned because the fetch failed. `nil` to throw the error.
    var ifError: Limit?
    /// The longest time that the caller waits for a fetch. `nil` for as long as it takes.
    var waitLimit: Duration?

    /// Only a value that is fresh by the definition's stale time. The default.
    public static let fresh = FetchPolicy()

    /// Only the answer of a new fetch, as ``QueryClient/refetch(_:)->_`` returns it.
    public static let networkOnly = FetchPolicy(network: .always)

    /// The existing value, however old, even if it was invalidated. Fetches only if there is none.
    public static let cacheFirst = FetchPolicy(network: .ifMissing)

    /// Only the existing value, however old, from memory or the cache. Without one, the call throws
    /// ``QueryError/notCached(key:)``.
    public static let cacheOnly = FetchPolicy(network: .never)

    /// A stale value too, for as long as the server's answer allows by ``FetchContext/allowsStale(whileRevalidating:ifError:)``,
    /// which an HTTP client calls with the `stale-while-revalidate` and `stale-if-error` of `Cache-Control` (RFC 5861).
    ///
    /// The server's limits are saved with the value, and shared with a fleet.
    public static let asServerSays = FetchPolicy(whileRevalidating: .asServerSays, ifError: .asServerSays)

    /// A stale value too, which is returned at once and fetched again behind the caller's back.
    ///
    /// A value that was invalidated is known to be wrong, so the caller waits for the new one.
    ///
    /// - Parameter limit: The longest time since the value turned stale.
    public static func staleWhileRevalidate(upTo limit: Duration = .forever) -> FetchPolicy {
        FetchPolicy().staleWhileRevalidate(upTo: limit)
    }

    /// A stale value too, if the fetch fails or if there is no network.
    ///
    /// A definite answer of the server, such as 403 or 404, is no failure: the caller receives it as an error.
    ///
    /// - Parameter limit: The longest time since the value turned stale.
    public static func staleIfError(upTo limit: Duration = .forever) -> FetchPolicy {
        FetchPolicy().staleIfError(upTo: limit)
    }

    /// Returns a policy that also accepts a stale value while it is fetched again.
    public func staleWhileRevalidate(upTo limit: Duration = .forever) -> FetchPolicy {
        var policy = self
        policy.whileRevalidating = Limit(limit)
        return policy
    }

    /// Returns a policy that also accepts a stale value if the fetch fails.
    public func staleIfError(upTo limit: Duration = .forever) -> FetchPolicy {
        var policy = self
        policy.ifError = Limit(limit)
        return policy
    }

    /// Returns a policy whose caller waits for a fetch no longer than `limit`.
    ///
    /// ```swift
    /// let price = try await client.fetch(.price("AAPL"), .staleIfError(upTo: .hours(1)).within(.milliseconds(200)))
    /// ```
    ///
    /// Then the caller receives ``QueryError/timedOut(key:limit:)``, or the stale value that the policy accepts. The fetch
    /// goes on for those who wait longer, and for the cache, as the definition's ``AbandonPolicy`` says.
    public func within(_ limit: Duration) -> FetchPolicy {
        var policy = self
        policy.waitLimit = max(limit, .zero)
        return policy
    }

    /// True if the caller receives an error even if a stale value could be returned, because the server has answered.
    static func isAnswer(_ error: any Error) -> Bool {
        guard let error = error as? any TransientErrorType, let status = error.statusCode else { return false }
        return !TransientError.isTransient(status: status)
    }
}

/// The times for which the server allows a stale value to be used, in nanoseconds. An object, because few values have
/// one.
final class StaleAllowance: Sendable {
    let whileRevalidating: Int64?
    let ifError: Int64?

    init(whileRevalidating: Duration?, ifError: Duration?) {
        self.whileRevalidating = whileRevalidating?.clampedNanoseconds
        self.ifError = ifError?.clampedNanoseconds
    }

    init(_ record: QueryRecord) {
        whileRevalidating = record.staleWhileRevalidate.map(QueryRecord.nanoseconds)
        ifError = record.staleIfError.map(QueryRecord.nanoseconds)
    }
}

/// The stale values that a caller who waits for a fetch accepts.
struct AcceptedStale: Sendable {
    let policy: FetchPolicy
    let staleAfter: StaleTime

    /// `nil` if the policy accepts none.
    init?(_ policy: FetchPolicy, _ staleAfter: StaleTime) {
        guard policy.whileRevalidating != nil || policy.ifError != nil else { return nil }
        (self.policy, self.staleAfter) = (policy, staleAfter)
    }
}

extension Slot {
    func isUsable(whileRevalidatingBy policy: FetchPolicy, _ staleAfter: StaleTime, at now: MonotonicInstant) -> Bool {
        guard let limit = policy.whileRevalidating, !entry.wasInvalidatedByName, !entry.isDisproved else {
            return false
        }
        return isUsable(within: limit.nanoseconds(allowance?.whileRevalidating), staleAfter, at: now)
    }

    func isUsable(onErrorBy policy: FetchPolicy, _ staleAfter: StaleTime, at now: MonotonicInstant) -> Bool {
        guard let limit = policy.ifError else { return false }
        return isUsable(within: limit.nanoseconds(allowance?.ifError), staleAfter, at: now)
    }

    private func isUsable(within limit: Int64?, _ staleAfter: StaleTime, at now: MonotonicInstant) -> Bool {
        guard let limit, entry.shown != nil, !entry.wasRefused else { return false }
        return entry.freshUntil(for: staleAfter).map { now <= $0.advanced(nanoseconds: limit) } ?? true
    }
}

extension FetchPolicy.Limit {
    /// - Parameter allowed: The time that the server allows, if it named one.
    fileprivate func nanoseconds(_ allowed: Int64?) -> Int64? {
        switch self {
        case .after(let own): own
        case .asServerSays: allowed
        }
    }
}

extension Entry {
    /// True if the value is stale, or will be so soon that it is fetched early.
    func isDue(by options: QueryOptions, at now: MonotonicInstant) -> Bool {
        if isStale(for: options.staleAfter, at: now) { return true }
        guard options.refreshEarly > .zero, let end = freshUntil(for: options.staleAfter) else { return false }
        let lifetime = writtenAt.duration(to: end)
        return now.advanced(by: min(options.refreshEarly, lifetime / 2)) >= end
    }

    /// The error of the last fetch, if it is too early to try again. An invalidation since then ends that.
    @inline(__always)  // a call would copy the entry
    func rememberedFailure(for time: Duration, at now: MonotonicInstant) -> Failure? {
        guard time > .zero, let failure, let failedAt, !isFetchingWhole, !wasInvalidatedByName else { return nil }
        return now < failedAt.advanced(by: time) ? failure : nil
    }
}
