/// All that is known about one piece of server data, and the rules by which it changes.
///
/// A pure value with one door, ``receive(_:at:into:)``: it never reads a clock, starts a task, takes a lock or calls
/// anyone, and never looks into a user's value. The client feeds it inputs under its lock and carries out the effects
/// after.
package struct Entry: Sendable {
    package let key: QueryKey

    // What is known.

    /// The server's value. `nil` before the first; an optional value that is nil is a payload.
    package internal(set) var base: Payload?
    /// The server's value with the optimistic layers on top. The same object as `base` when there are none.
    package internal(set) var shown: Payload?
    package internal(set) var layers: [Layer] = []
    /// Why the last fetch failed. `nil` once one succeeds.
    package internal(set) var failure: Failure?
    /// When the value was last known to be right.
    package internal(set) var writtenAt = MonotonicInstant(nanoseconds: .min)
    package internal(set) var failedAt: MonotonicInstant?
    /// How long the last answer said it is fresh, in nanoseconds; overrides the observers' own times.
    package internal(set) var freshFor: Int64?
    package internal(set) var isInvalidated = false
    /// Whether somebody invalidated it since: a failure alone makes it stale too.
    package internal(set) var wasInvalidatedByName = false
    package internal(set) var valueCount: UInt32 = 0
    package internal(set) var failureCount: UInt32 = 0
    /// Grows with every answer of a fetch that the entry takes, whether or not it changes the value.
    package internal(set) var answerCount: UInt32 = 0

    /// Grows with every change that an observer can see.
    package internal(set) var version: UInt64 = 0
    /// Grows with every change of the value.
    package internal(set) var valueVersion: UInt64 = 0
    /// Grows with whatever a landing is prepared from: a landing prepared before it grew is prepared again.
    package internal(set) var revision: UInt64 = 0

    // What is under way.

    package internal(set) var activity = Activity.idle
    /// The newest fetch.
    package internal(set) var flight: Flight?
    /// Older fetches, oldest first, that a newer one overtook and that still run. Empty when there is no ``flight``.
    package internal(set) var overtaken: [Flight] = []
    /// The generation of the newest fetch.
    package internal(set) var generation: UInt64 = 0
    package internal(set) var side: SideWork?

    // Who is interested.

    package internal(set) var options: ResolvedOptions
    package internal(set) var observers: [ObserverTerms] = []
    package internal(set) var waiters: UInt32 = 0
    /// Whether the program has ever given the entry a fetcher.
    package var hasFetcher = true
    /// Whether the data lives in a source of truth, and not here.
    package var hasSource = false
    /// The longest time to keep that anyone asked for.
    package internal(set) var keepFor: Int64

    // What is due.

    @Deadline var pollAt: MonotonicInstant?
    @Deadline var staleAt: MonotonicInstant?
    @Deadline var collectAt: MonotonicInstant?
    /// The earliest moment at which ``EntryInput/timePassed`` changes something.
    @Deadline package internal(set) var deadline: MonotonicInstant?

    package init(key: QueryKey, options: ResolvedOptions) {
        self.key = key
        self.options = options
        keepFor = options.values.keepFor.clampedNanoseconds
    }

    /// Whether anyone would miss the entry.
    package var isObserved: Bool { !observers.isEmpty }

    /// Whether an observer that fetches watches it.
    package var isActive: Bool { observers.contains { $0.isEnabled } }

    package var isPending: Bool { shown == nil }

    /// Whether anyone waits for what is being fetched.
    var hasInterest: Bool { !observers.isEmpty || waiters > 0 }

    /// Whether the value must be fetched again, for one who wants it fresh for `staleAfter`.
    package func isStale(for staleAfter: StaleTime, at now: MonotonicInstant) -> Bool {
        guard shown != nil else { return true }
        return staleAfter.isStale(writtenAt: writtenAt, freshFor: freshFor, isInvalidated: isInvalidated, at: now)
    }

    /// When the value turns stale by time alone; `nil` for never.
    func freshUntil(for staleAfter: StaleTime) -> MonotonicInstant? {
        staleAfter.end(writtenAt: writtenAt, freshFor: freshFor)
    }

    /// The layers that are still needed once the answer of a fetch of `generation` is the base: those whose mutation
    /// is pending, or succeeded only after that fetch was asked.
    package func layersSurviving(landingOf generation: UInt64) -> [Layer] {
        layers.filter { layer in layer.confirmedAt.map { $0 >= generation } ?? true }
    }
}

extension MonotonicInstant {
    func advanced(nanoseconds count: Int64) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return MonotonicInstant(nanoseconds: overflow ? .max : sum)
    }
}
