/// The complete state of one piece of server data, and the rules by which it changes.
///
/// A pure value. Everything that has effects is an input to ``receive(_:at:into:)``. A definition's options and fetcher are
/// set by functions without any. It never reads a clock, starts a task, takes a lock, calls other code or looks into a
/// user's value. The client passes inputs to it under its lock, and carries out the effects afterwards.
package struct Entry: Sendable {
    // The data.

    /// The server's value. `nil` before the first value. An optional value that is `nil` has a payload.
    package internal(set) var base: Payload?
    /// The server's value with the optimistic layers applied. Without layers, the same object as `base`.
    package internal(set) var shown: Payload?
    package internal(set) var stack: Layers?
    /// The error of the last fetch. `nil` after a fetch succeeds.
    package internal(set) var failure: Failure? {
        didSet { if failure == nil { wasRefused = false } }
    }
    /// Time at which the value was last known to be right.
    package internal(set) var writtenAt = MonotonicInstant(nanoseconds: .min)
    @Deadline package internal(set) var failedAt: MonotonicInstant?
    /// Freshness lifetime that the last answer named, in nanoseconds. Overrides the observers' stale times.
    package internal(set) var freshFor: Int64?
    /// True if the value is the last one that polling waits for.
    package internal(set) var isFinal = false
    /// True if a fetch since the last value had a definite answer of the server, such as 404.
    var wasRefused = false
    /// True if the entry was emptied on purpose, and the program has not requested it since. It fetches nothing by itself
    /// (A31).
    package internal(set) var isCleared = false
    /// True if the value was invalidated, and no request from after that has succeeded. Unlike ``wasInvalidatedByName``,
    /// ignores failures.
    package internal(set) var isDisproved = false
    package internal(set) var valueCount: UInt32 = 0
    package internal(set) var failureCount: UInt32 = 0
    /// Counts the answers of fetches that the entry accepted, including those that did not change the value.
    package internal(set) var answerCount: UInt32 = 0
    /// Counts the values and pages that arrived from outside: answers, and values that the program wrote. Each may
    /// already include the changes of running mutations. An edit by the program does not count.
    var arrivalCount: UInt32 = 0

    /// Increases with every change that an observer can see.
    package internal(set) var version: UInt64 = 0
    /// Increases with every change of the value.
    package internal(set) var valueVersion: UInt64 = 0
    /// Increases when the state changes that a commit is prepared from. A commit with an older revision is prepared
    /// again.
    package internal(set) var revision: UInt64 = 0

    // The order of events. Each fetch, page load and demand takes the next number when it is requested. Other events
    // record the number at which they happened: requests with smaller numbers came first, so their answers predate the
    // event.

    /// Number of the newest request.
    package internal(set) var generation: UInt64 = 0
    /// Number of the newest request that succeeded or failed.
    var answeredRequest: UInt64 = 0
    /// Number at the last invalidation. Answers to requests with smaller numbers leave the value stale. 0 without an
    /// invalidation.
    package internal(set) var invalidatedBefore: UInt64 = 0
    /// Number at the last write by the program. Answers to requests with smaller numbers are dropped. 0 without such a
    /// write.
    package internal(set) var heldBefore: UInt64 = 0

    // Work in flight.

    /// The newest fetch. Boxed, because most entries have none.
    package internal(set) var flight: Flight? {
        get { boxedFlight?.flight }
        set { BoxedFlight.put(newValue, into: &boxedFlight) }
    }

    mutating func changeNewest(_ change: (inout Flight) -> Void) { BoxedFlight.change(&boxedFlight, change) }

    private var boxedFlight: BoxedFlight?
    /// Older fetches that still run beside a newer one, oldest first. Empty if there is no ``flight``.
    package internal(set) var olderFlights: [Flight] = []
    package internal(set) var side: SideWork?

    // Observers and their options.

    package internal(set) var options: ResolvedOptions
    package internal(set) var observers = ObserverSet()
    /// The callers that await a fetch or a page, in the order in which they came.
    package internal(set) var callers: [WaitingCaller] = []
    /// True if the program has ever given the entry a fetcher.
    package var hasFetcher = true
    package var hasSource = false
    /// How long to keep the entry unused: the longest time that any definition requested, in nanoseconds.
    package internal(set) var keepFor: Int64

    // Deadlines.

    @Deadline var pollAt: MonotonicInstant?
    @Deadline var staleAt: MonotonicInstant?
    @Deadline var collectAt: MonotonicInstant?
    /// The earliest time at which ``EntryInput/timePassed`` changes something.
    @Deadline package internal(set) var deadline: MonotonicInstant?

    package init(options: ResolvedOptions) {
        self.options = options
        keepFor = options.values.keepFor.clampedNanoseconds
    }

    package var layers: [Layer] { stack?.list ?? [] }

    /// True if a fetch or a write has ever completed. A cached or initial value does not count.
    var wasFetched: Bool { valueCount > 0 || failureCount > 0 || answerCount > 0 }

    /// The value that the server has confirmed: the base, with the changes of mutations that succeeded after it was
    /// requested.
    package var confirmedValue: Payload? { stack?.confirmedValue ?? base }

    /// True if a fetch of the whole value runs or waits.
    package var isBusy: Bool { boxedFlight != nil }

    /// True if a fetch runs or waits that will bring the whole value, and not only a part of it.
    var isFetchingWhole: Bool {
        guard let boxedFlight else { return false }
        return !boxedFlight.flight.isPartial || !olderFlights.isEmpty
    }

    /// Generation of the newest fetch of the whole value, if its fetcher runs.
    var runningGeneration: UInt64? {
        guard let boxedFlight, boxedFlight.flight.isRunning else { return nil }
        return boxedFlight.flight.generation
    }

    /// True if an invalidation came after the newest request of the fetch of the whole value.
    var isFetchOutdated: Bool { boxedFlight.map { $0.flight.requestNumber < invalidatedBefore } ?? false }

    /// Time at which the fetch of the whole value is due to retry or to end.
    var flightDue: MonotonicInstant? { boxedFlight?.flight.due }

    /// State of the fetch of the whole value.
    package var activity: Activity {
        guard let boxedFlight else { return .idle }
        return boxedFlight.flight.phase == .waiting ? .paused : .fetching
    }

    /// True if the entry was invalidated after the newest answer. Unlike ``isInvalidated``, ignores a failure.
    package var wasInvalidatedByName: Bool { answeredRequest < invalidatedBefore }

    package var isInvalidated: Bool { failure != nil || wasInvalidatedByName }

    package var isObserved: Bool { !observers.isEmpty }

    /// True if an enabled observer is attached.
    package var isActive: Bool { observers.hasEnabled }

    /// True if an observer or a waiting caller needs the entry.
    var hasInterest: Bool { !observers.isEmpty || !callers.isEmpty }

    /// True if the value must be fetched again by the given stale time.
    package func isStale(for staleAfter: StaleTime, at now: MonotonicInstant) -> Bool {
        guard shown != nil else { return true }
        return staleAfter.isStale(writtenAt: writtenAt, freshFor: freshFor, isInvalidated: isInvalidated, at: now)
    }

    /// Time at which the value's stale time passes. `nil` if it never does.
    func freshUntil(for staleAfter: StaleTime) -> MonotonicInstant? {
        staleAfter.end(writtenAt: writtenAt, freshFor: freshFor)
    }

    mutating func nextGeneration() -> UInt64 {
        generation += 1
        return generation
    }

    /// Number of the next request. All requests so far have smaller numbers.
    var nextRequest: UInt64 { generation + 1 }

    /// Returns the layers that are still needed once the answer of a fetch is the base: those whose mutation is
    /// pending, or succeeded only after that fetch was requested.
    package func layersSurviving(answerOf generation: UInt64) -> [Layer] {
        let number = requestNumber(generation)
        return layers.filter { layer in layer.confirmedAfter.map { $0 >= number } ?? true }
    }

    /// True if the answer "not modified" about `value` changes nothing: the value is the base, and no layer was
    /// confirmed before the fetch was requested.
    package func isUnchanged(_ value: Payload?, for generation: UInt64) -> Bool {
        base === value && layersSurviving(answerOf: generation).count == layers.count
    }

    /// True if the server's value may already include the change of a layer, because a value has arrived since the
    /// layer was added.
    func isAmbiguous(_ layer: Layer) -> Bool { layer.arrivals != arrivalCount }

    /// True if the server's value may already include a confirmed change.
    package var hasAmbiguousLayer: Bool { layers.contains { $0.isConfirmed && isAmbiguous($0) } }

    /// True if the server's value may include the change of a mutation, now or after an answer that is in flight.
    func mayContain(_ mutation: UInt64) -> Bool {
        let isFetchRunning = flight?.isRunning == true || !olderFlights.isEmpty
        return layers.contains { $0.patch.mutation == mutation && (isFetchRunning || isAmbiguous($0)) }
    }

    /// True if the shown value includes a change that the server has not confirmed.
    package var isOptimistic: Bool { stack?.list.contains { !$0.isConfirmed } ?? false }
}

extension MonotonicInstant {
    func advanced(nanoseconds count: Int64) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return MonotonicInstant(nanoseconds: overflow ? .max : sum)
    }
}

/// An optional point in time, stored in one word because every entry has several.
///
/// The latest representable time stands for `nil`.
@propertyWrapper
package struct Deadline: Sendable {
    private var nanoseconds = Int64.max

    package init() {}

    package var wrappedValue: MonotonicInstant? {
        get { nanoseconds == .max ? nil : MonotonicInstant(nanoseconds: nanoseconds) }
        set { nanoseconds = newValue?.nanoseconds ?? .max }
    }
}
