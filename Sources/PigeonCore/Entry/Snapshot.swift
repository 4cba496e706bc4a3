public import Foundation

/// The state of one piece of server data at one point in time.
///
/// All properties are from the same point in time. The data and the activity of the fetcher are separate, so a refetch
/// never hides the value.
///
/// ```swift
/// switch snapshot.phase {
/// case .pending: Spinner()
/// case .content(let user): UserCard(user, refreshing: snapshot.isFetching, problem: snapshot.error)
/// case .failure(let error): Retry(error)
/// }
/// ```
public struct Snapshot<Value: Sendable>: Sendable {
    /// The three cases that a screen distinguishes.
    public enum Phase: Sendable {
        /// There is neither a value nor an error yet. Also after a sign-out, when nothing is fetched: see
        /// ``Snapshot/isCleared``.
        case pending
        /// There is a value. It may be stale, a refetch may be in flight, or the last refetch may have failed.
        case content(Value)
        /// There is no value, and the fetch failed.
        case failure(any Error)
    }

    @usableFromInline package let entryState: EntryState
    @usableFromInline let options: SnapshotOptions
    /// Time at which the snapshot was taken, which may be later than the time of the entry state.
    @usableFromInline let takenAt: MonotonicInstant
    /// The value to show instead of the entry's own: a placeholder, or the output of a selection.
    @usableFromInline let standIn: StandIn?

    @usableFromInline
    struct StandIn: Sendable {
        @usableFromInline let value: Value?
        var failure: (any Error)?
        var isPlaceholder = false
    }

    @inlinable
    package init(
        _ entryState: EntryState, options: SnapshotOptions, placeholder: Value? = nil, at now: MonotonicInstant? = nil
    ) {
        self.entryState = entryState
        self.options = options
        takenAt = now ?? entryState.takenAt
        // Checks one flag for the usual case, because this runs for each notification.
        standIn = entryState.hasPlainValue ? nil : Self.standIn(for: entryState, options, placeholder)
    }

    @usableFromInline
    static func standIn(for entryState: EntryState, _ options: SnapshotOptions, _ placeholder: Value?) -> StandIn? {
        let isMissing = entryState.payload == nil && (options.keepsPlaceholder || entryState.visibleFailure == nil)
        return isMissing ? placeholder.map { StandIn(value: $0, isPlaceholder: true) } : reading(of: entryState)
    }

    /// Reads the value of an entry that holds another type, if its definition allows that.
    private static func reading(of entryState: EntryState) -> StandIn? {
        guard let payload = entryState.payload, let reading = entryState.reading, !(payload is PayloadOf<Value>) else {
            return nil
        }
        return StandIn(value: (reading.read(payload, entryState.valueVersion) as? PayloadOf<Value>)?.value)
    }

    package init<Source>(selecting value: Value?, failure: (any Error)?, of source: Snapshot<Source>) {
        entryState = source.entryState
        options = source.options
        takenAt = source.takenAt
        standIn = StandIn(value: value, failure: failure, isPlaceholder: source.isPlaceholder)
    }

    /// The key of the data.
    public var key: QueryKey { entryState.key }

    /// The value, or the placeholder. `nil` if there is neither. An optional value that is `nil` is `.some(nil)`.
    @inlinable
    public var value: Value? {
        if let standIn { standIn.value } else { (entryState.payload as? PayloadOf<Value>)?.value }
    }

    /// The name of ``value`` in TanStack Query.
    @available(*, unavailable, renamed: "value")
    public var data: Value? { value }

    /// The name of ``phase`` in TanStack Query.
    @available(*, unavailable, renamed: "phase")
    public var status: Phase { phase }

    /// The error of the last fetch, whether or not there is a value or a placeholder. `nil` after a fetch succeeds.
    ///
    /// Also `nil` while a caller or an observer repeats a first load. A poll, or a return of the network or the
    /// foreground, that repeats it leaves the error, so that a screen does not alternate between error and progress.
    public var error: (any Error)? { standIn?.failure ?? entryState.visibleFailure?.error }

    /// The value or the error to show.
    public var phase: Phase {
        if let failure = standIn?.failure { return .failure(failure) }
        if let value { return .content(value) }
        if let error { return .failure(error) }
        return .pending
    }

    /// The activity of the fetcher.
    public var activity: Activity { entryState.activity }

    /// True if a fetch runs, or waits for its next attempt. Page loads do not count.
    public var isFetching: Bool { entryState.activity == .fetching }

    /// True if a fetch waits for the network or the foreground.
    public var isPaused: Bool { entryState.activity == .paused }

    /// True if a fetch runs and there is no value yet.
    public var isLoading: Bool { isFetching && entryState.payload == nil }

    /// True if a fetch runs and there is a value.
    public var isRefetching: Bool { isFetching && entryState.payload != nil }

    /// True if the value is stale by the options of the observer or caller that took the snapshot. Always `false` for a
    /// disabled observer.
    public var isStale: Bool { options.isEnabled && entryState.isStale(for: options.staleAfter, at: takenAt) }

    /// The time for which the value is still fresh, by the options of the observer or caller that took the snapshot. Zero if
    /// it is stale, or if there is none. `nil` if only an invalidation makes it stale.
    public var freshFor: Duration? {
        guard entryState.payload != nil, !entryState.isStale(for: options.staleAfter, at: takenAt) else { return .zero }
        let end = options.staleAfter.end(writtenAt: entryState.writtenAt, freshFor: entryState.freshFor)
        return end.map { takenAt.duration(to: $0) }
    }

    /// True if the value was said to be stale after it was received. If the last fetch failed, ``error`` says so instead.
    public var isInvalidated: Bool { entryState.wasInvalidatedByName }

    /// True if ``QueryClient/clear()`` or a removal has emptied the entry while it was observed, and the program has not
    /// asked for it since. Until then, nothing fetches it by itself: no poll, no return of the network or the foreground,
    /// and no invalidation by a mutation or another process.
    public var isCleared: Bool { entryState.isCleared }

    /// True if ``value`` is a placeholder for a value that is not loaded yet.
    public var isPlaceholder: Bool { standIn?.isPlaceholder ?? false }

    /// True if the value includes an optimistic change that the server has not confirmed.
    public var isOptimistic: Bool { entryState.isOptimistic }

    /// The date at which the value was last known to be right. `nil` without a value.
    public var updatedAt: Date? { entryState.payload == nil ? nil : entryState.date(of: entryState.writtenAt) }

    /// The date at which a fetch last failed. `nil` if none has.
    public var failedAt: Date? { entryState.failedAt.flatMap { entryState.date(of: $0) } }

    /// The age of the value when the snapshot was taken. `nil` without a value.
    public var age: Duration? {
        entryState.payload == nil ? nil : entryState.writtenAt.duration(to: takenAt)
    }

    /// True if a fetch or a write has ever completed. A cached or initial value does not count.
    public var isFetched: Bool {
        entryState.valueCount > 0 || entryState.failureCount > 0 || entryState.answerCount > 0
    }

    /// Number of values that were received or written.
    public var valueCount: Int { Int(clamping: entryState.valueCount) }

    /// Number of fetches that failed, after all retries.
    public var failureCount: Int { Int(clamping: entryState.failureCount) }

    /// Number of failed attempts of the running fetch. ``lastAttemptError`` has the error of the last one.
    public var failedAttempts: Int { entryState.flight?.failures ?? 0 }

    /// The error of the last attempt of the running fetch, while it is retried.
    public var lastAttemptError: (any Error)? { entryState.flight?.lastFailure?.error }

    /// The progress of the running fetch, from 0 to 1, as reported by ``FetchContext/report(progress:)``. `nil` if no
    /// fetch runs, or if it reports none.
    public var progress: Double? { entryState.flight?.progress }

    /// The cause of the running fetch. `nil` if no fetch runs.
    public var cause: Cause? { entryState.flight?.cause }

    /// The face of the definition that the entry is fetched with. `nil` if it belongs to none, or if there is no entry.
    public var face: (any QueryFace)? { entryState.options.values.face }

    /// True if the running fetch has already yielded a value and continues.
    public var hasYielded: Bool { entryState.flight?.hasYielded ?? false }

    /// The state of the load of the next page.
    public var nextPage: PageActivity { entryState.side?.next.activity(besides: activity) ?? .idle }

    /// The state of the load of the previous page.
    public var previousPage: PageActivity { entryState.side?.previous.activity(besides: activity) ?? .idle }

    /// Increases with every change of the entry. Later snapshots of one entry never have a smaller version.
    public var version: UInt64 { entryState.version }

    /// Increases with every change of the value. Snapshots with the same value version show the same value.
    public var valueVersion: UInt64 { entryState.valueVersion }
}

@usableFromInline
package struct SnapshotOptions: Sendable {
    @usableFromInline package var staleAfter: StaleTime
    /// True if the observer is enabled. Snapshots of a disabled observer are never stale.
    @usableFromInline package var isEnabled = true
    /// True if a placeholder stays when the first load fails.
    var keepsPlaceholder = false
}
