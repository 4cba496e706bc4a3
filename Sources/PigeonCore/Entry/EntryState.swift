package import Foundation

/// The state of an entry at one point in time. Immutable, created once per version, and shared by all snapshots of it.
@usableFromInline
package final class EntryState: Sendable {
    package let key: QueryKey
    @usableFromInline package let payload: Payload?
    @usableFromInline package let failure: Failure?
    @usableFromInline package let activity: Activity
    package let writtenAt: MonotonicInstant
    package let failedAt: MonotonicInstant?
    package let freshFor: Int64?
    package let isInvalidated: Bool
    package let isCleared: Bool
    package let wasInvalidatedByName: Bool
    package let revision: UInt64
    package let valueCount: UInt32
    package let failureCount: UInt32
    package let answerCount: UInt32
    package let version: UInt64
    package let valueVersion: UInt64
    package let hasLayers: Bool
    package let isOptimistic: Bool
    /// The options of the definition that fetches. The same for all observers of the entry.
    package let options: ResolvedOptions
    package let side: SideWork?
    /// The newest fetch in flight.
    let flight: Flight?
    /// True if there is a value, and it can be read only as its own type.
    @usableFromInline package let hasPlainValue: Bool
    /// Reads the value as another type. `nil` if it can be read only as its own type.
    @usableFromInline package let reading: Reading?
    @usableFromInline package let takenAt: MonotonicInstant
    /// The date at the clock's zero. Converts times into dates.
    package let origin: Date
    private let kept = Locked<(any AnyObject & Sendable)?>(nil)

    package init(_ entry: Entry, key: QueryKey, reading: Reading? = nil, at now: MonotonicInstant, origin: Date) {
        self.key = key
        payload = entry.shown
        failure = entry.failure
        activity = entry.activity
        writtenAt = entry.writtenAt
        failedAt = entry.failedAt
        freshFor = entry.freshFor
        isInvalidated = entry.isInvalidated
        isCleared = entry.isCleared
        wasInvalidatedByName = entry.wasInvalidatedByName
        revision = entry.revision
        valueCount = entry.valueCount
        failureCount = entry.failureCount
        answerCount = entry.answerCount
        version = entry.version
        valueVersion = entry.valueVersion
        hasLayers = entry.stack != nil
        isOptimistic = entry.isOptimistic
        options = entry.options
        side = entry.side
        flight = entry.flight
        self.reading = reading
        hasPlainValue = entry.shown != nil && reading == nil
        takenAt = now
        self.origin = origin
    }

    /// Creates the state of an entry that cannot exist, because another type of value uses its key.
    package convenience init(
        key: QueryKey, failure: any Error, version: UInt64 = 1, at now: MonotonicInstant, origin: Date
    ) {
        var entry = Entry(options: ResolvedOptions(QueryOptions()))
        entry.failure = Failure(failure)
        entry.failedAt = now
        entry.failureCount = 1
        entry.version = version
        self.init(entry, key: key, at: now, origin: origin)
    }

    /// The object that a face derived from this state. Stored here, so that the face creates it once for all observers.
    package var rendition: (any AnyObject & Sendable)? { kept.withLock { $0 } }

    /// Stores the object that a face derived from this state, unless there is one already.
    package func keep(_ rendition: any AnyObject & Sendable) {
        kept.withLock { if $0 == nil { $0 = rendition } }
    }

    /// The error to show. A first load that the program repeats hides the error of the one before. One that is repeated
    /// by itself leaves it visible (T4).
    var visibleFailure: Failure? {
        guard payload == nil, let flight, flight.cause.isExplicit else { return failure }
        return nil
    }

    func isStale(for staleAfter: StaleTime, at now: MonotonicInstant) -> Bool {
        guard payload != nil else { return true }
        return staleAfter.isStale(writtenAt: writtenAt, freshFor: freshFor, isInvalidated: isInvalidated, at: now)
    }

    package func date(of instant: MonotonicInstant) -> Date? {
        guard instant.nanoseconds != .min else { return nil }
        return origin.addingTimeInterval(Double(instant.nanoseconds) / 1e9)
    }
}
