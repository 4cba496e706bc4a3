/// The state of an entry's fetcher. Says nothing about the data that the entry has.
public enum Activity: Sendable, Hashable {
    /// No fetch is in flight.
    case idle
    /// A fetch runs, or waits for its next attempt.
    case fetching
    /// The fetch is paused until the app is online and active.
    case paused
}

/// The state of the page loads in one direction.
public struct PageActivity: Sendable {
    /// True if a page load runs, or waits: for its next attempt, the network, the foreground or the end of a refresh.
    public let isFetching: Bool
    /// True if the page load waits for the network or the foreground. ``isFetching`` is then true, too.
    public let isPaused: Bool
    /// Progress that the page's fetcher reports, from 0 to 1. `nil` if none runs, or if it reports no progress.
    public let progress: Double?
    /// The error of the last page load. `nil` after a page load succeeds.
    public let error: (any Error)?

    package static let idle = PageActivity(isFetching: false, isPaused: false, progress: nil, error: nil)
}

/// The part of an entry's value that a fetch loads.
package enum FlightTarget: Sendable, Hashable {
    case whole
    case page(PageDirection)

    static let all: [FlightTarget] = [.whole, .page(.next), .page(.previous)]

    package var direction: PageDirection? {
        if case .page(let direction) = self { direction } else { nil }
    }
}

/// A fetch in flight, of the whole value or of one page.
package struct Flight: Sendable {
    package enum Phase: Sendable {
        /// The fetch waits for the network or the foreground. The fetch of a page also waits for a refresh to end.
        case waiting
        /// The list is not loaded yet. The fetch of the whole value loads the first page, and this page load ends with
        /// it.
        case first
        case running
        /// The next attempt is scheduled: the last one failed, or the fetch is debounced.
        case backingOff
    }

    /// Identifies the fetch: the number of its first request.
    package let generation: UInt64
    /// Number of the newest request, which decides whether later events outdate the answer. A retry, and an attempt
    /// that waited for the network, take a new number.
    var requestNumber: UInt64
    package internal(set) var phase = Phase.waiting
    package internal(set) var cause: Cause
    package internal(set) var failures: Int {
        get { Int(failureCount) }
        set { failureCount = UInt16(clamping: newValue) }
    }
    private var failureCount: UInt16 = 0
    /// Time at which the next attempt is due. `nil` while an attempt runs.
    @Deadline package internal(set) var retryAt: MonotonicInstant?
    /// Time at which the fetch exceeds its time limit.
    @Deadline package internal(set) var limit: MonotonicInstant?
    /// Progress of the attempt, from 0 to 1. `nil` if its fetcher reports none.
    package internal(set) var progress: Double? {
        get { shownProgress.isNaN ? nil : shownProgress }
        set { shownProgress = newValue ?? .nan }
    }
    // NaN instead of an optional keeps this small: each fetch has one.
    private var shownProgress = Double.nan
    private var rare: Rare?
    /// Cause of the fetch that follows this one. Set when something that happened in the meantime needs a newer answer.
    var followUp: Cause?
    /// True if a paged entry starts again at its first page.
    package let fromStart: Bool
    /// True if only a part of the value is fetched, which the request names. The rest of the value stays as old and as right as it
    /// is.
    let isPartial: Bool
    /// True if a caller wants a new answer of the server, even if there is one that is fresh.
    package internal(set) var isDemanded = false
    /// True if the fetcher has already yielded a value and still runs.
    package internal(set) var hasYielded = false

    init(generation: UInt64, cause: Cause, phase: Phase = .waiting, fromStart: Bool = false, isPartial: Bool = false) {
        self.generation = generation
        requestNumber = generation
        self.cause = cause
        self.phase = phase
        self.fromStart = fromStart
        self.isPartial = isPartial
    }

    package var isRunning: Bool { phase == .running }

    /// Objects that few fetches have. One reference to all of them, because a flight is copied often.
    private final class Rare: Sendable {
        let lastFailure: Failure?
        let nextOptions: ResolvedOptions?
        let request: (any FetchRequest)?

        init?(_ lastFailure: Failure?, _ nextOptions: ResolvedOptions?, _ request: (any FetchRequest)?) {
            if lastFailure == nil, nextOptions == nil, request == nil { return nil }
            (self.lastFailure, self.nextOptions, self.request) = (lastFailure, nextOptions, request)
        }
    }

    /// The error of the last attempt, while the fetch waits for the next one.
    package internal(set) var lastFailure: Failure? {
        get { rare?.lastFailure }
        set { rare = Rare(newValue, nextOptions, request) }
    }

    /// Options that arrived while the fetch ran. The next fetch uses them.
    var nextOptions: ResolvedOptions? {
        get { rare?.nextOptions }
        set { rare = Rare(lastFailure, newValue, request) }
    }

    /// The request that the fetch carries.
    package internal(set) var request: (any FetchRequest)? {
        get { rare?.request }
        set { rare = Rare(lastFailure, nextOptions, newValue) }
    }

    /// True if the fetch is debounced: it has made no attempt yet, and will make the first one when its delay is over.
    var isDelayed: Bool { phase == .backingOff && failures == 0 }

    /// Time at which the next attempt is due or the time limit passes, whichever is earlier.
    var due: MonotonicInstant? {
        guard let retryAt, let limit else { return retryAt ?? limit }
        return min(retryAt, limit)
    }
}

final class BoxedFlight: @unchecked Sendable {  // changed only by an entry that holds the only reference
    @exclusivity(unchecked) fileprivate(set) var flight: Flight  // no other entry holds it while it changes

    private init(_ flight: Flight) {
        self.flight = flight
    }

    /// Reuses the box if this is its only reference.
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
    /// The error of the last load. `nil` after a load succeeds, or when the list is fetched again.
    package internal(set) var error: Failure?

    package var isFetching: Bool { flight != nil }

    /// - Parameter whole: The activity of the whole list, for whose fetch a page load waits too.
    func activity(besides whole: Activity) -> PageActivity {
        PageActivity(
            isFetching: isFetching, isPaused: flight?.phase == .waiting && whole != .fetching,
            progress: flight?.progress, error: error?.error)
    }
}

/// The work of an entry besides its fetch: page loads in both directions, and readings of its source of truth. Boxed,
/// because most entries have none.
package final class SideWork: @unchecked Sendable {  // changed only by an entry that holds the only reference
    // No other entry or entry state retains the object while it changes.
    @exclusivity(unchecked) package fileprivate(set) var next = PageWork()
    @exclusivity(unchecked) package fileprivate(set) var previous = PageWork()
    @exclusivity(unchecked) package fileprivate(set) var source = SourceWork()

    package subscript(direction: PageDirection) -> PageWork {
        direction == .next ? next : previous
    }

    fileprivate func copy() -> SideWork {
        let copy = SideWork()
        (copy.next, copy.previous, copy.source) = (next, previous, source)
        return copy
    }
}

extension Entry {
    mutating func changePage(_ direction: PageDirection, _ change: (inout PageWork) -> Void) {
        let side = ownSide()
        if direction == .next { change(&side.next) } else { change(&side.previous) }
    }

    mutating func changeSource(_ change: (inout SourceWork) -> Void) {
        change(&ownSide().source)
    }

    /// Copies the side work if an entry state retains it too.
    private mutating func ownSide() -> SideWork {
        if isKnownUniquelyReferenced(&side), let side { return side }
        let own = side?.copy() ?? SideWork()
        side = own
        return own
    }
}
