/// Decides whether and when a failed fetch is retried.
///
/// ```swift
/// let patient = definition.retry(.standard)               // 3 times what is transient, backing off
/// let stubborn = definition.retry(RetryPolicy(limit: 5, shouldRetry: { $0 is MyError }))
/// ```
///
/// Two policies are equal if they have the same limit, jitter, longest `Retry-After` and closures. The default closures
/// are equal everywhere. Any other closure is equal only to itself in copies of one policy, because closures cannot be
/// compared.
public struct RetryPolicy: Sendable {
    /// The maximum number of retries after the first attempt.
    public var limit: Int

    /// The delay before retry number n, counted from 0, before jitter.
    public var delay: @Sendable (_ retry: Int) -> Duration {
        didSet { delayIdentity = Self.makeIdentity() }
    }

    /// The longest time for which a `Retry-After` is waited for. If the server asks for more, there is no retry, and the
    /// error says how long the server asked to wait. The default is 30 seconds, the longest of the default delays: a person
    /// may be waiting. A program in which nobody waits can allow more. A durable mutation waits for up to an hour in any
    /// case.
    ///
    /// ```swift
    /// policy.retry = .standard
    /// policy.retry.longestRetryAfter = .seconds(3600)        // a job on a server
    /// ```
    public var longestRetryAfter = Duration.seconds(30)

    /// True if the delay is random, between zero and the result of `delay` ("full jitter").
    public var hasJitter: Bool

    /// Returns true if an error is worth a retry.
    public var shouldRetry: @Sendable (any Error) -> Bool {
        didSet { shouldRetryIdentity = Self.makeIdentity() }
    }

    /// Represent the closures when policies are compared. 0 for the default closures.
    private var delayIdentity: UInt64 = 0
    private var shouldRetryIdentity: UInt64 = 0

    /// True if the policy has a closure that is not a default one. Also true of ``never``.
    package var hasOwnClosures: Bool { delayIdentity != 0 || shouldRetryIdentity != 0 }

    private static let lastIdentity = AtomicNumber()

    private static func makeIdentity() -> UInt64 { lastIdentity.increment() }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of retries after the first attempt. A negative number counts as 0.
    ///   - delay: The delay before retry n, counted from 0. `nil`, the default, for ``exponential``: 1 s, doubled each
    ///     time, at most 30 s.
    ///   - hasJitter: True if the delay is random, up to the result of `delay`.
    ///   - shouldRetry: Returns true if an error is worth a retry. `nil`, the default, for
    ///     ``TransientError/isTransient``.
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

    /// Never retries. The default everywhere.
    public static let never = RetryPolicy(limit: 0, hasJitter: false, shouldRetry: { _ in false })

    /// Retries transient errors three times, with full jitter. The delay starts at 1 second and doubles, up to 30
    /// seconds. A `Retry-After` of up to 30 seconds takes its place: see ``longestRetryAfter``.
    public static let standard = RetryPolicy(limit: 3)

    /// The default delays: 1, 2, 4, 8 and 16 seconds, then 30 seconds.
    public static let exponential: @Sendable (Int) -> Duration = { retry in
        .seconds(min(30, 1 << min(max(0, retry), 5)))
    }

    /// Returns the time to wait before the next attempt, or `nil` to give up.
    ///
    /// If the error has a `Retry-After`, returns that time, and gives up if it is longer than ``longestRetryAfter``. Calls
    /// user code, so it must not be called under a lock.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - failures: The number of attempts that failed before the last one.
    ///   - random: Random bits for the jitter.
    package func wait(after error: any Error, failures: Int, random: @autoclosure () -> UInt64) -> Duration? {
        guard failures < limit, !TransientError.isCancellation(error), shouldRetry(error) else { return nil }
        if let asked = askedWait(error), asked > longestRetryAfter { return nil }
        return delay(after: error, failures: failures, random: random())
    }

    /// Returns the time to wait before an attempt that follows whatever the error is, and for which nobody waits: a
    /// `Retry-After` counts up to an hour, or up to ``longestRetryAfter`` if that is longer.
    package func delay(after error: any Error, failures: Int, random: @autoclosure () -> UInt64) -> Duration {
        if let asked = askedWait(error) {
            return min(max(asked, .zero), max(longestRetryAfter, .seconds(3600)))
        }
        let full = max(delay(failures), .zero)
        guard hasJitter else { return full }
        return .nanoseconds(Int64(Double(full.clampedNanoseconds) * random().fraction))
    }

    /// The delay that the server requested.
    private func askedWait(_ error: any Error) -> Duration? { (error as? any TransientErrorType)?.retryAfter }
}

extension UInt64 {
    /// Random bits as a number that is at least 0 and less than 1.
    package var fraction: Double { Double(self >> 11) * 0x1p-53 }
}

/// Decides which layer retries a request, so that the numbers of retries do not multiply.
package enum RetryLayers {
    /// True in an attempt of a fetch that its client retries. The layers below then make one attempt.
    @TaskLocal package static var clientRetries = false
}

extension RetryPolicy: Equatable {
    /// Compares limits, jitter, the longest `Retry-After`, and the identities of the closures.
    public static func == (one: RetryPolicy, other: RetryPolicy) -> Bool {
        one.limit == other.limit && one.hasJitter == other.hasJitter
            && one.longestRetryAfter == other.longestRetryAfter && one.delayIdentity == other.delayIdentity
            && one.shouldRetryIdentity == other.shouldRetryIdentity
    }
}
