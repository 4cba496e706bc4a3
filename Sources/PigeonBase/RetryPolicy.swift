/// Decides whether and when a failed fetch is repeated.
///
/// ```swift
/// let patient = definition.retry(.standard)               // 3 times what is transient, backing off
/// let stubborn = definition.retry(RetryPolicy(limit: 5, shouldRetry: { $0 is MyError }))
/// ```
///
/// Two policies are equal if they have the same limit and jitter and the same closures. The closures that a policy has by
/// default are the same everywhere. Any other closure is the same only in copies of one policy, because closures cannot be
/// compared.
public struct RetryPolicy: Sendable {
    /// How many times a fetch is repeated after its first attempt.
    public var limit: Int

    /// The delay before retry number n, counted from 0, before jitter.
    public var delay: @Sendable (_ retry: Int) -> Duration {
        didSet { delayIdentity = Self.makeIdentity() }
    }

    /// Whether the delay is drawn at random between zero and what `delay` says ("full jitter").
    public var hasJitter: Bool

    /// Whether an error is worth a retry.
    public var shouldRetry: @Sendable (any Error) -> Bool {
        didSet { shouldRetryIdentity = Self.makeIdentity() }
    }

    /// Stand for the closures when policies are compared. 0 for those by default.
    private var delayIdentity = 0
    private var shouldRetryIdentity = 0

    private static let lastIdentity = Locked(0)

    private static func makeIdentity() -> Int {
        lastIdentity.withLock { last in
            last += 1
            return last
        }
    }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: The most retries after the first attempt. Negative counts as 0.
    ///   - delay: The delay before retry n, counted from 0. `nil`, the default, for ``exponential``: 1 s, doubled each time,
    ///     at most 30 s.
    ///   - hasJitter: Whether the delay is drawn at random up to that.
    ///   - shouldRetry: Whether an error is worth a retry. `nil`, the default, for ``TransientError/isTransient``.
    public init(
        limit: Int,
        delay: (@Sendable (_ retry: Int) -> Duration)? = nil,
        hasJitter: Bool = true,
        shouldRetry: (@Sendable (any Error) -> Bool)? = nil
    ) {
        self.limit = max(0, limit)
        self.delay = delay ?? Self.exponential
        self.hasJitter = hasJitter
        self.shouldRetry = shouldRetry ?? TransientError.isTransient
        if delay != nil { delayIdentity = Self.makeIdentity() }
        if shouldRetry != nil { shouldRetryIdentity = Self.makeIdentity() }
    }

    /// No retry. The default everywhere.
    public static let never = RetryPolicy(limit: 0, hasJitter: false, shouldRetry: { _ in false })

    /// Three retries of what is transient, from 1 s, doubled, at most 30 s, with full jitter.
    public static let standard = RetryPolicy(limit: 3)

    /// The standard policy with another limit.
    public static func standard(limit: Int) -> RetryPolicy {
        RetryPolicy(limit: limit)
    }

    /// 1 s, 2 s, 4 s, 8 s, 16 s, then 30 s.
    public static let exponential: @Sendable (Int) -> Duration = { retry in
        .seconds(min(30, 1 << min(max(0, retry), 5)))
    }

    /// The time to wait before the next attempt, or `nil` to give up.
    ///
    /// An error that carries a `Retry-After` is obeyed, up to an hour. Calls user code: never under a lock.
    ///
    /// - Parameters:
    ///   - error: What the last attempt threw.
    ///   - failures: How many attempts failed before that one.
    ///   - random: Random bits for the jitter.
    public func wait(after error: any Error, failures: Int, random: @autoclosure () -> UInt64) -> Duration? {
        guard failures < limit, !TransientError.isCancellation(error), shouldRetry(error) else { return nil }
        if let asked = (error as? any TransientErrorType)?.retryAfter { return min(max(asked, .zero), .seconds(3600)) }
        let full = max(delay(failures), .zero)
        guard hasJitter else { return full }
        return .nanoseconds(Int64(Double(full.clampedNanoseconds) * (Double(random() >> 11) / Double(1 << 53))))
    }
}

extension RetryPolicy: Equatable {
    /// Compares limits, jitter, and the identities of the closures.
    public static func == (one: RetryPolicy, other: RetryPolicy) -> Bool {
        one.limit == other.limit && one.hasJitter == other.hasJitter && one.delayIdentity == other.delayIdentity
            && one.shouldRetryIdentity == other.shouldRetryIdentity
    }
}
