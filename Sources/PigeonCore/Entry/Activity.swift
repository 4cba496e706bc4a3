/// What the fetcher of an entry is doing, whatever is known of the data.
public enum Activity: Sendable, Hashable {
    /// Nothing.
    case idle
    /// It runs, or waits to be retried.
    case fetching
    /// It waits for the network or the foreground.
    case paused
}

/// What the page loads of one direction are doing.
public struct PageActivity: Sendable {
    /// Whether a page is being loaded, or waits for a refresh to end.
    public let isFetching: Bool
    /// Why the last page load failed. `nil` once one succeeds.
    public let error: (any Error)?

    package static let idle = PageActivity(isFetching: false, error: nil)
}

/// A fetch under way.
package struct Flight: Sendable {
    package let generation: UInt64
    package var cause: Cause
    /// How many attempts failed.
    package var failures = 0
    /// When the next attempt is due; `nil` while one runs.
    @Deadline package var retryAt: MonotonicInstant?
    /// When its time limit passes.
    @Deadline package var limit: MonotonicInstant?
    /// Why the last attempt failed, while the next is awaited.
    package var lastFailure: Failure?
    /// Options that came while it ran, for the next one.
    package var nextOptions: ResolvedOptions?
    /// Whether a paged entry begins again at its first page.
    package let fromStart: Bool
    /// Whether an attempt is running, so that a pause ends by starting one.
    package var isRunning = false
    /// Whether it brought values already, and goes on.
    package var hasYielded = false
    /// Whether a write asked to be kept over this fetch's answer.
    package var isOverridden = false
    /// Whether the entry was invalidated since it was asked: its answer may be from before, and is stale.
    package var isOutdated = false
}

/// The page load of one direction.
package struct PageFlight: Sendable {
    package enum Phase: Sendable, Equatable {
        case idle
        /// Asked for; starts when the refresh ends or the network is back.
        case waiting
        /// There is no list yet: the fetch of the entry brings the first page.
        case first
        case loading
        case backingOff(until: MonotonicInstant)
    }

    package var phase = Phase.idle
    package var generation: UInt64 = 0
    package var failures = 0
    package var error: Failure?
    /// How many wait for it.
    package var waiters: UInt32 = 0

    package var activity: PageActivity { PageActivity(isFetching: phase != .idle, error: error?.error) }
}
