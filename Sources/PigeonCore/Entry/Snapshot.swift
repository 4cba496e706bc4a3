public import Foundation

/// The picture of one piece of server data at one moment.
///
/// All fields are from the same moment. What is known of the data and what the fetcher is doing are separate: a
/// refetch never hides the value.
///
/// ```swift
/// switch snapshot.phase {
/// case .pending: Spinner()
/// case .content(let user): UserCard(user, refreshing: snapshot.isFetching, problem: snapshot.error)
/// case .failure(let error): Retry(error)
/// }
/// ```
public struct Snapshot<Value: Sendable>: Sendable {
    /// What a screen asks first.
    public enum Phase: Sendable {
        /// Nothing is known yet.
        case pending
        /// There is a value; it may be stale, be refetched, or have failed to be.
        case content(Value)
        /// There is nothing to show but the error.
        case failure(any Error)
    }

    @usableFromInline package let picture: EntryPicture
    @usableFromInline let terms: SnapshotTerms
    /// When the snapshot was taken, which may be later than the picture.
    @usableFromInline let takenAt: MonotonicInstant
    /// What stands in for the value: a placeholder, or the output of a selection.
    @usableFromInline let standIn: StandIn?

    @usableFromInline
    enum StandIn: Sendable {
        case placeholder(Value)
        case selected(Value?, failure: (any Error)?, isPlaceholder: Bool)
    }

    @inlinable
    package init(
        _ picture: EntryPicture, terms: SnapshotTerms, placeholder: Value? = nil, at now: MonotonicInstant? = nil
    ) {
        self.picture = picture
        self.terms = terms
        takenAt = now ?? picture.takenAt
        // The usual case, one flag away: this runs for each notification.
        standIn = picture.hasPlainValue ? nil : Self.standIn(for: picture, placeholder)
    }

    @usableFromInline
    static func standIn(for picture: EntryPicture, _ placeholder: Value?) -> StandIn? {
        // A first load that is repeated is pending again, like the first.
        let isPending = picture.payload == nil && (picture.failure == nil || picture.activity != .idle)
        return isPending ? placeholder.map { .placeholder($0) } : reading(of: picture)
    }

    /// The value of a picture that holds another type, as its definition says it can be read.
    private static func reading(of picture: EntryPicture) -> StandIn? {
        guard let payload = picture.payload, let reading = picture.reading, !(payload is PayloadOf<Value>) else {
            return nil
        }
        let value = (reading.read(payload, picture.valueVersion) as? PayloadOf<Value>)?.value
        return .selected(value, failure: nil, isPlaceholder: false)
    }

    package init<Source>(selecting value: Value?, failure: (any Error)?, of source: Snapshot<Source>) {
        picture = source.picture
        terms = source.terms
        takenAt = source.takenAt
        standIn = .selected(value, failure: failure, isPlaceholder: source.isPlaceholder)
    }

    /// The key.
    public var key: QueryKey { picture.key }

    /// The value, or the placeholder. `nil` when there is none; for an optional value that is nil, `.some(nil)`.
    @inlinable
    public var value: Value? {
        switch standIn {
        case .placeholder(let value): value
        case .selected(let value, _, _): value
        case nil: (picture.payload as? PayloadOf<Value>)?.value
        }
    }

    /// Why the last fetch failed, whether or not there is a value. `nil` once a fetch succeeds.
    ///
    /// Not shown while a first load is repeated.
    public var error: (any Error)? {
        if case .selected(_, let failure?, _) = standIn { return failure }
        guard picture.payload != nil || picture.activity == .idle else { return nil }
        return picture.failure?.error
    }

    /// What a screen asks first.
    public var phase: Phase {
        if case .selected(_, let failure?, _) = standIn { return .failure(failure) }
        if let value { return .content(value) }
        if let error { return .failure(error) }
        return .pending
    }

    /// What the fetcher is doing.
    public var activity: Activity { picture.activity }

    /// Whether a fetch runs, or waits to be retried. Page loads do not count.
    public var isFetching: Bool { picture.activity == .fetching }

    /// Whether a fetch waits for the network or the foreground.
    public var isPaused: Bool { picture.activity == .paused }

    /// Whether a first load runs.
    public var isLoading: Bool { isFetching && picture.payload == nil }

    /// Whether a fetch runs while a value is there.
    public var isRefetching: Bool { isFetching && picture.payload != nil }

    /// Whether the value is to be fetched again, by the terms of who took the snapshot. A disabled observer says `false`.
    public var isStale: Bool { terms.isEnabled && picture.isStale(for: terms.staleAfter, at: takenAt) }

    /// Whether the value was invalidated, or the last fetch failed, since it was received.
    public var isInvalidated: Bool { picture.isInvalidated }

    /// Whether ``value`` only stands in for one that is not there yet.
    public var isPlaceholder: Bool {
        switch standIn {
        case .placeholder: true
        case .selected(_, _, let isPlaceholder): isPlaceholder
        case nil: false
        }
    }

    /// Whether an optimistic change is part of the value.
    public var isOptimistic: Bool { picture.isOptimistic }

    /// When the value was last known to be right, by the wall clock.
    public var updatedAt: Date? { picture.payload == nil ? nil : picture.date(of: picture.writtenAt) }

    /// When a fetch last failed, by the wall clock.
    public var failedAt: Date? { picture.failedAt.flatMap { picture.date(of: $0) } }

    /// How old the value was when the snapshot was taken. `nil` without one.
    public var age: Duration? {
        picture.payload == nil ? nil : picture.writtenAt.duration(to: takenAt)
    }

    /// Whether a fetch or a write ever ended. A cached or initial value does not count.
    public var isFetched: Bool { picture.valueCount > 0 || picture.failureCount > 0 || picture.answerCount > 0 }

    /// How many values were received or written.
    public var valueCount: Int { Int(picture.valueCount) }

    /// How many fetches failed for good.
    public var failureCount: Int { Int(picture.failureCount) }

    /// How many attempts of the running fetch failed, and why the last did.
    public var failedAttempts: Int { picture.attemptFailures }

    /// Why the last attempt of the running fetch failed, while it is retried.
    public var lastAttemptError: (any Error)? { picture.lastAttemptFailure?.error }

    /// How far the running fetch says it is, from 0 to 1, by ``FetchContext/report(progress:)``. `nil` when none runs, or it
    /// does not say.
    public var progress: Double? { picture.progress }

    /// Why the running fetch runs. `nil` when none does.
    public var cause: Cause? { picture.cause }

    /// Whether the running fetch has brought a value already, and goes on.
    public var hasYielded: Bool { picture.hasYielded }

    /// The load of the next page.
    public var nextPage: PageActivity { picture.side?.next.activity ?? .idle }

    /// The load of the previous page.
    public var previousPage: PageActivity { picture.side?.previous.activity ?? .idle }

    /// Grows with every change of the entry. Later snapshots of one entry never have a smaller one.
    public var version: UInt64 { picture.version }

    /// Grows with every change of the value: two snapshots with the same one show the same value.
    public var valueVersion: UInt64 { picture.valueVersion }
}
