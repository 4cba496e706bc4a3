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
    /// How far the page's fetcher says it is, from 0 to 1. `nil` when none runs, or it does not say.
    public let progress: Double?
    /// Why the last page load failed. `nil` once one succeeds.
    public let error: (any Error)?

    package static let idle = PageActivity(isFetching: false, progress: nil, error: nil)
}

/// What a fetch brings.
package enum FlightTarget: Sendable, Hashable {
    /// The whole value.
    case whole
    /// A page more, in a direction.
    case page(PageDirection)

    package var direction: PageDirection? {
        if case .page(let direction) = self { direction } else { nil }
    }
}

/// A fetch under way, of the whole value or of one page.
package struct Flight: Sendable {
    package enum Phase: Sendable {
        /// It waits for the network or the foreground; the fetch of a page also for a refresh to end.
        case waiting
        /// There is no list yet: the fetch of the whole brings the first page, and this one ends with it.
        case first
        /// Its fetcher runs.
        case running
        /// An attempt failed, and the next has its time.
        case backingOff
    }

    /// Names the fetch. Number of its first ask.
    package let generation: UInt64
    /// Number of the newest ask, by which its answer is compared with what happened since. A retry, and an attempt that waited
    /// for the network, ask anew.
    package internal(set) var askedAt: UInt64
    package internal(set) var phase = Phase.waiting
    package internal(set) var cause: Cause
    /// How many attempts failed.
    package internal(set) var failures: Int {
        get { Int(failureCount) }
        set { failureCount = UInt16(clamping: newValue) }
    }
    private var failureCount: UInt16 = 0
    /// When the next attempt is due; `nil` while one runs.
    @Deadline package internal(set) var retryAt: MonotonicInstant?
    /// When its time limit passes.
    @Deadline package internal(set) var limit: MonotonicInstant?
    /// How far the attempt is, from 0 to 1. `nil` when its fetcher does not say.
    package internal(set) var progress: Double? {
        get { shownProgress.isNaN ? nil : shownProgress }
        set { shownProgress = newValue ?? .nan }
    }
    // Small, since there is one for each entry.
    private var shownProgress = Double.nan
    /// Why the last attempt failed, while the next is awaited.
    package internal(set) var lastFailure: Failure?
    /// Options that came while it ran, for the next one.
    package internal(set) var nextOptions: ResolvedOptions?
    /// Cause of the fetch that follows this one: what was asked for meanwhile needs a newer answer.
    package internal(set) var followUp: Cause?
    /// Whether a paged entry begins again at its first page.
    package let fromStart: Bool
    /// Whether it brought values already, and goes on.
    package internal(set) var hasYielded = false

    init(generation: UInt64, cause: Cause, phase: Phase = .waiting, fromStart: Bool = false) {
        self.generation = generation
        askedAt = generation
        self.cause = cause
        self.phase = phase
        self.fromStart = fromStart
    }

    package var isRunning: Bool { phase == .running }

    /// When its next attempt is due, or its time limit passes.
    var due: MonotonicInstant? {
        guard let retryAt, let limit else { return retryAt ?? limit }
        return min(retryAt, limit)
    }
}

/// A fetch in a box.
final class BoxedFlight: @unchecked Sendable {  // changed only by an entry that has it alone
    @exclusivity(unchecked) fileprivate(set) var flight: Flight  // nobody else can have it while it is changed

    private init(_ flight: Flight) {
        self.flight = flight
    }

    /// Puts a fetch into a box, which stays the same unless somebody else has it too.
    static func put(_ flight: Flight?, into box: inout BoxedFlight?) {
        guard let flight else { return box = nil }
        if isKnownUniquelyReferenced(&box), let box { box.flight = flight } else { box = BoxedFlight(flight) }
    }

    static func change(_ box: inout BoxedFlight?, _ change: (inout Flight) -> Void) {
        if !isKnownUniquelyReferenced(&box) { box = box.map { BoxedFlight($0.flight) } }
        if let box { change(&box.flight) }
    }
}

/// The page loads of one direction.
package struct PageWork: Sendable {
    package internal(set) var flight: Flight?
    /// Why the last load failed. `nil` once one succeeds, or the list is fetched anew.
    package internal(set) var error: Failure?
    /// Number of the load that failed last.
    package internal(set) var failedGeneration: UInt64 = 0
    /// Number of callers that await the page.
    package internal(set) var waiters: UInt32 = 0

    package init() {}

    package var isFetching: Bool { flight != nil }
    package var activity: PageActivity {
        PageActivity(isFetching: isFetching, progress: flight?.progress, error: error?.error)
    }
}
