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
        /// There is neither a value nor an error yet.
        case pending
        /// There is a value. It may be stale, a refetch may be in flight, or the last refetch may have failed.
        case content(Value)
        /// There is no value, and the fetch failed.
        case failure(any Error)
    }

    @usableFromInline package let picture: EntryPicture
    @usableFromInline let terms: SnapshotTerms
    /// Time at which the snapshot was taken, which may be later than the picture.
    @usableFromInline let takenAt: MonotonicInstant
    /// The value to show instead of the picture's own: a placeholder, or the output of a selection.
    @usableFromInline let standIn: StandIn?

    @usableFromInline
    struct StandIn: Sendable {
        @usableFromInline let value: Value?
        var failure: (any Error)?
        var isPlaceholder = false
    }

    @inlinable
    package init(
        _ picture: EntryPicture, terms: SnapshotTerms, placeholder: Value? = nil, at now: MonotonicInstant? = nil
    ) {
        self.picture = picture
        self.terms = terms
        takenAt = now ?? picture.takenAt
        // Checks one flag for the usual case, because this runs for each notification.
        standIn = picture.hasPlainValue ? nil : Self.standIn(for: picture, terms, placeholder)
    }

    @usableFromInline
    static func standIn(for picture: EntryPicture, _ terms: SnapshotTerms, _ placeholder: Value?) -> StandIn? {
        let isMissing = picture.payload == nil && (terms.keepsPlaceholder || picture.visibleFailure == nil)
        return isMissing ? placeholder.map { StandIn(value: $0, isPlaceholder: true) } : reading(of: picture)
    }

    /// Reads the value of a picture that holds another type, if its definition allows that.
    private static func reading(of picture: EntryPicture) -> StandIn? {
        guard let payload = picture.payload, let reading = picture.reading, !(payload is PayloadOf<Value>) else {
            return nil
        }
        return StandIn(value: (reading.read(payload, picture.valueVersion) as? PayloadOf<Value>)?.value)
    }

    package init<Source>(selecting value: Value?, failure: (any Error)?, of source: Snapshot<Source>) {
        picture = source.picture
        terms = source.terms
        takenAt = source.takenAt
        standIn = StandIn(value: value, failure: failure, isPlaceholder: source.isPlaceholder)
    }

    /// The key of the data.
    public var key: QueryKey { picture.key }

    /// The value, or the placeholder. `nil` if there is neither. An optional value that is `nil` is `.some(nil)`.
    @inlinable
    public var value: Value? {
        if let standIn { standIn.value } else { (picture.payload as? PayloadOf<Value>)?.value }
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
    public var error: (any Error)? { standIn?.failure ?? picture.visibleFailure?.error }

    /// The value or the error to show.
    public var phase: Phase {
        if let failure = standIn?.failure { return .failure(failure) }
        if let value { return .content(value) }
        if let error { return .failure(error) }
        return .pending
    }

    /// The activity of the fetcher.
    public var activity: Activity { picture.activity }

    /// True if a fetch runs, or waits for its next attempt. Page loads do not count.
    public var isFetching: Bool { picture.activity == .fetching }

    /// True if a fetch waits for the network or the foreground.
    public var isPaused: Bool { picture.activity == .paused }

    /// True if a fetch runs and there is no value yet.
    public var isLoading: Bool { isFetching && picture.payload == nil }

    /// True if a fetch runs and there is a value.
    public var isRefetching: Bool { isFetching && picture.payload != nil }

    /// True if the value is stale by the options of the observer or caller that took the snapshot. Always `false` for a
    /// disabled observer.
    public var isStale: Bool { terms.isEnabled && picture.isStale(for: terms.staleAfter, at: takenAt) }

    /// The time for which the value is still fresh, by the options of the observer or caller that took the snapshot. Zero if
    /// it is stale, or if there is none. `nil` if only an invalidation makes it stale.
    public var freshFor: Duration? {
        guard picture.payload != nil, !picture.isStale(for: terms.staleAfter, at: takenAt) else { return .zero }
        let end = terms.staleAfter.end(writtenAt: picture.writtenAt, freshFor: picture.freshFor)
        return end.map { takenAt.duration(to: $0) }
    }

    /// True if the value was said to be stale after it was received. If the last fetch failed, ``error`` says so instead.
    public var isInvalidated: Bool { picture.wasInvalidatedByName }

    /// True if ``QueryClient/clear()`` or a removal has emptied the entry while it was observed, and the program has not
    /// asked for it since. Until then, nothing fetches it by itself: no poll, no return of the network or the foreground,
    /// and no invalidation by a mutation or another process.
    public var isCleared: Bool { picture.isCleared }

    /// True if ``value`` is a placeholder for a value that is not loaded yet.
    public var isPlaceholder: Bool { standIn?.isPlaceholder ?? false }

    /// True if the value includes an optimistic change that the server has not confirmed.
    public var isOptimistic: Bool { picture.isOptimistic }

    /// The date at which the value was last known to be right. `nil` without a value.
    public var updatedAt: Date? { picture.payload == nil ? nil : picture.date(of: picture.writtenAt) }

    /// The date at which a fetch last failed. `nil` if none has.
    public var failedAt: Date? { picture.failedAt.flatMap { picture.date(of: $0) } }

    /// The age of the value when the snapshot was taken. `nil` without a value.
    public var age: Duration? {
        picture.payload == nil ? nil : picture.writtenAt.duration(to: takenAt)
    }

    /// True if a fetch or a write has ever completed. A cached or initial value does not count.
    public var isFetched: Bool { picture.valueCount > 0 || picture.failureCount > 0 || picture.answerCount > 0 }

    /// Number of values that were received or written.
    public var valueCount: Int { Int(picture.valueCount) }

    /// Number of fetches that failed, after all retries.
    public var failureCount: Int { Int(picture.failureCount) }

    /// Number of failed attempts of the running fetch. ``lastAttemptError`` has the error of the last one.
    public var failedAttempts: Int { picture.flight?.failures ?? 0 }

    /// The error of the last attempt of the running fetch, while it is retried.
    public var lastAttemptError: (any Error)? { picture.flight?.lastFailure?.error }

    /// The progress of the running fetch, from 0 to 1, as reported by ``FetchContext/report(progress:)``. `nil` if no
    /// fetch runs, or if it reports none.
    public var progress: Double? { picture.flight?.progress }

    /// The cause of the running fetch. `nil` if no fetch runs.
    public var cause: Cause? { picture.flight?.cause }

    /// The face of the definition that the entry is fetched with. `nil` if it belongs to none, or if there is no entry.
    public var face: (any QueryFace)? { picture.options.values.face }

    /// True if the running fetch has already yielded a value and continues.
    public var hasYielded: Bool { picture.flight?.hasYielded ?? false }

    /// The state of the load of the next page.
    public var nextPage: PageActivity { picture.side?.next.activity ?? .idle }

    /// The state of the load of the previous page.
    public var previousPage: PageActivity { picture.side?.previous.activity ?? .idle }

    /// Increases with every change of the entry. Later snapshots of one entry never have a smaller version.
    public var version: UInt64 { picture.version }

    /// Increases with every change of the value. Snapshots with the same value version show the same value.
    public var valueVersion: UInt64 { picture.valueVersion }
}

/// The options that apply to an observer's snapshots.
@usableFromInline
package struct SnapshotTerms: Sendable {
    @usableFromInline package var staleAfter: StaleTime
    /// True if the observer is enabled. Snapshots of a disabled observer are never stale.
    @usableFromInline package var isEnabled = true
    /// True if a placeholder stays when the first load fails.
    var keepsPlaceholder = false
}
