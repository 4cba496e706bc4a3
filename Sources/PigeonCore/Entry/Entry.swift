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
    package internal(set) var stack: Layers?
    /// Why the last fetch failed. `nil` once one succeeds.
    package internal(set) var failure: Failure?
    /// When the value was last known to be right.
    package internal(set) var writtenAt = MonotonicInstant(nanoseconds: .min)
    @Deadline package internal(set) var failedAt: MonotonicInstant?
    /// How long the last answer said it is fresh, in nanoseconds; overrides the observers' own times.
    package internal(set) var freshFor: Int64?
    package internal(set) var valueCount: UInt32 = 0
    package internal(set) var failureCount: UInt32 = 0
    /// Grows with every answer of a fetch that the entry takes, whether or not it changes the value.
    package internal(set) var answerCount: UInt32 = 0
    /// Grows with every value that comes from elsewhere, whole or a page: an answer, or a value that the program writes. It may
    /// have the changes of mutations that are under way. An edit by the program does not count.
    package internal(set) var arrivalCount: UInt32 = 0

    /// Grows with every change that an observer can see.
    package internal(set) var version: UInt64 = 0
    /// Grows with every change of the value.
    package internal(set) var valueVersion: UInt64 = 0
    /// Grows with whatever a landing is prepared from: a landing prepared before it grew is prepared again.
    package internal(set) var revision: UInt64 = 0

    // The order of what happened. Each fetch, page load and demand takes the next number when it is asked for. What happens
    // besides leaves a mark: asks with smaller numbers came before it, and their answers are from before.

    /// Number of the newest ask.
    package internal(set) var generation: UInt64 = 0
    /// Number of the newest ask that was answered, well or not.
    package internal(set) var answeredAt: UInt64 = 0
    /// Answers to asks with smaller numbers leave the value stale: it was invalidated since. 0 for none.
    package internal(set) var invalidatedAt: UInt64 = 0
    /// Answers to asks with smaller numbers are dropped: the program wrote the value since. 0 for none.
    package internal(set) var heldAt: UInt64 = 0

    // What is under way.

    /// The newest fetch. Boxed, as most entries have none.
    package internal(set) var flight: Flight? {
        get { boxedFlight?.flight }
        set { BoxedFlight.put(newValue, into: &boxedFlight) }
    }

    /// Changes the newest fetch, if there is one, where it is.
    mutating func changeNewest(_ change: (inout Flight) -> Void) { BoxedFlight.change(&boxedFlight, change) }

    private var boxedFlight: BoxedFlight?
    /// Older fetches, oldest first, that a newer one overtook and that still run. Empty when there is no ``flight``.
    package internal(set) var overtaken: [Flight] = []
    package internal(set) var side: SideWork?

    // Who is interested.

    package internal(set) var options: ResolvedOptions
    package internal(set) var observers = ObserverSet()
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

    package var layers: [Layer] { stack?.list ?? [] }

    /// Whether a fetch or a write ever ended. A cached or initial value does not count.
    var wasFetched: Bool { valueCount > 0 || failureCount > 0 || answerCount > 0 }

    /// What the server has confirmed: the base, with the changes of mutations that succeeded after it was asked for.
    package var settled: Payload? { stack?.settled ?? base }

    /// Whether a fetch of the whole runs or waits.
    package var isBusy: Bool { boxedFlight != nil }

    /// Names the newest fetch of the whole, if its fetcher runs.
    var runningGeneration: UInt64? {
        guard let boxedFlight, boxedFlight.flight.isRunning else { return nil }
        return boxedFlight.flight.generation
    }

    /// When the fetch of the whole has something to do.
    var flightDue: MonotonicInstant? { boxedFlight?.flight.due }

    /// What the fetch of the whole is doing.
    package var activity: Activity {
        guard let boxedFlight else { return .idle }
        return boxedFlight.flight.phase == .waiting ? .paused : .fetching
    }

    /// Whether the entry was invalidated since the newest answer: a failure alone makes it stale too.
    package var wasInvalidatedByName: Bool { answeredAt < invalidatedAt }

    package var isInvalidated: Bool { failure != nil || wasInvalidatedByName }

    /// Whether anyone would miss the entry.
    package var isObserved: Bool { !observers.isEmpty }

    /// Whether an observer that fetches watches it.
    package var isActive: Bool { observers.hasEnabled }

    package var isPending: Bool { shown == nil }

    /// Whether anyone waits for what is being fetched.
    var hasInterest: Bool {
        if !observers.isEmpty || waiters > 0 { return true }
        guard let side else { return false }
        return side.next.waiters > 0 || side.previous.waiters > 0
    }

    /// Whether the value must be fetched again, for one who wants it fresh for `staleAfter`.
    package func isStale(for staleAfter: StaleTime, at now: MonotonicInstant) -> Bool {
        guard shown != nil else { return true }
        return staleAfter.isStale(writtenAt: writtenAt, freshFor: freshFor, isInvalidated: isInvalidated, at: now)
    }

    /// When the value turns stale by time alone; `nil` for never.
    func freshUntil(for staleAfter: StaleTime) -> MonotonicInstant? {
        staleAfter.end(writtenAt: writtenAt, freshFor: freshFor)
    }

    /// Takes the number of an ask.
    mutating func ask() -> UInt64 {
        generation += 1
        return generation
    }

    /// Number that the next ask will have: all before it were asked before now.
    var now: UInt64 { generation + 1 }

    /// The layers that are still needed once the answer of a fetch is the base: those whose mutation is pending, or
    /// succeeded only after that fetch was asked for.
    package func layersSurviving(landingOf generation: UInt64) -> [Layer] {
        let number = askedAt(generation)
        return layers.filter { layer in layer.confirmedAt.map { $0 >= number } ?? true }
    }

    /// Whether a fetch that is answered "not modified", of a value, changes nothing: that value is the base, and no change was
    /// confirmed before the fetch was asked for.
    package func isUnchanged(_ value: Payload?, for generation: UInt64) -> Bool {
        base === value && layersSurviving(landingOf: generation).count == layers.count
    }

    /// Whether the server's value may have the change of a layer already: a value has arrived since it was put on.
    func isInDoubt(_ layer: Layer) -> Bool { layer.arrivals != arrivalCount }

    /// Whether the server's value may have a confirmed change already.
    package var hasDoubt: Bool { layers.contains { $0.isConfirmed && isInDoubt($0) } }

    /// Whether the server's value has, or may get, the change of a mutation by an answer that was asked for before now.
    package func mayContain(_ mutation: UInt64) -> Bool {
        let isAsked = flight?.isRunning == true || !overtaken.isEmpty
        return layers.contains { $0.patch.mutation == mutation && (isAsked || isInDoubt($0)) }
    }

    /// Whether a change is shown that the server has not confirmed.
    package var isOptimistic: Bool { stack?.list.contains { !$0.isConfirmed } ?? false }
}

extension MonotonicInstant {
    func advanced(nanoseconds count: Int64) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return MonotonicInstant(nanoseconds: overflow ? .max : sum)
    }
}
