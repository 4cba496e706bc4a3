internal import Foundation
public import PigeonCore

/// A store that several processes share over a network, such as Redis.
///
/// It keeps the newest value of each key, a lease of each key that a process is fetching, and a log of what was
/// invalidated. The client calls it without a lock, several functions at a time, and goes on without it while it fails.
/// Each call has a time limit, after which its task is cancelled. The call must then throw within a moment.
public protocol FleetStore: Sendable {
    /// Returns the newest value of a key. `nil` if there is none.
    func value(for key: QueryKey) async throws -> FleetValue?

    /// Takes the lease of a key.
    ///
    /// A lease that another process holds can be taken if it has ended, or if its ``FleetAsk/number`` is less than what the
    /// new one ``FleetAsk/needed``: its holder has asked the server before something was invalidated. So can any lease, if the request
    /// ``FleetAsk/isForced``.
    func lease(_ key: QueryKey, for ask: FleetAsk) async throws -> FleetLease

    /// Lets a lease begin anew.
    ///
    /// - Returns: False if the holder of `ask` does not have the lease.
    func renew(_ key: QueryKey, for ask: FleetAsk) async throws -> Bool

    /// Ends a lease, and saves the outcome of the fetch.
    ///
    /// - Returns: False, and nothing is saved, if the holder of `ask` does not have the lease.
    func end(_ key: QueryKey, for ask: FleetAsk, with outcome: FleetOutcome) async throws -> Bool

    /// Adds news to the log, in order, and tells the members that wait for news.
    ///
    /// The records in the scope of a ``FleetNews/Change/removed(_:)`` should be deleted, as far as the store finds them.
    ///
    /// - Returns: The position of the last one.
    func publish(_ changes: [FleetNews.Change], by member: String) async throws -> FleetPosition

    /// Returns the news after a position. Waits for some if there are none.
    ///
    /// - Parameters:
    ///   - position: The position up to which the caller knows the log. `nil` if it knows nothing.
    ///   - time: The longest time to wait.
    func news(after position: FleetPosition?, waiting time: Duration) async throws -> FleetReading
}

/// A position in the log of a ``FleetStore``.
public struct FleetPosition: Sendable, Hashable {
    /// Identifies the log. Another one means that the store has lost its content.
    public var epoch: String
    /// Number of the last entry. 0 before the first one.
    public var number: UInt64

    /// Creates a position.
    public init(epoch: String, number: UInt64) {
        (self.epoch, self.number) = (epoch, number)
    }
}

/// A value that one process has fetched or written for all.
public struct FleetValue: Sendable, Hashable {
    /// The encoded value, its encoding's version, its freshness, validators and tags. `savedAt` has no meaning: the clocks
    /// of processes differ.
    public var record: QueryRecord
    /// The time since the value was received, by the clock of the store. Not negative.
    public var age: Duration
    /// The position of the log when the value was requested. It includes everything that was invalidated before.
    public var position: FleetPosition

    /// Creates a value.
    public init(record: QueryRecord, age: Duration, position: FleetPosition) {
        (self.record, self.age, self.position) = (record, age, position)
    }
}

/// A request for the lease of a key.
public struct FleetAsk: Sendable, Hashable {
    /// Identifies the fetch that wants the lease, among all fetches of all processes.
    public var holder: String
    /// The position of the log at which the fetch asks the server.
    public var number: UInt64
    /// The least ``number`` of another fetch whose answer is of use to this one: that of the newest entry of the log that
    /// concerns the key.
    public var needed: UInt64
    /// True to take the lease from any holder: the program has written a value, or demands the server's answer.
    public var isForced: Bool
    /// The time after which the lease ends by itself.
    public var time: Duration
    /// The greatest age of a failure that the fetch accepts as its own. Negative to accept none.
    public var acceptedFailureAge: Duration
    /// The shortest time since a lease of the key was last taken with an interval. Zero for none.
    public var interval: Duration

    /// Creates a request.
    public init(
        holder: String, number: UInt64, needed: UInt64, isForced: Bool = false, time: Duration,
        acceptedFailureAge: Duration, interval: Duration = .zero
    ) {
        (self.holder, self.number, self.needed, self.isForced) = (holder, number, needed, isForced)
        (self.time, self.acceptedFailureAge, self.interval) = (time, acceptedFailureAge, interval)
    }
}

/// The answer to a request for a lease.
public enum FleetLease: Sendable, Hashable {
    /// The lease is taken. Carries the newest value, which may have been saved in the meantime.
    case taken(newest: FleetValue?)
    /// Another process is fetching the key.
    case held
    /// The lease is free, and can be taken when a time has passed: the last one was taken less than the
    /// ``FleetAsk/interval`` ago. Carries the newest value.
    case early(newest: FleetValue?, rest: Duration)
    /// Another process has tried to fetch the key, and failed.
    case failed(FleetFailure)
    /// Another process has found that the value cannot be shared, so each fetches it for itself.
    case alone
}

/// The end of a lease.
public enum FleetOutcome: Sendable, Hashable {
    /// Saves a value, for a time.
    case value(FleetValue, keepFor: Duration)
    /// Tells a failure to those who wait, for a time.
    case failure(FleetFailure, keepFor: Duration)
    /// Tells those who wait to fetch for themselves, for a time: the value cannot be shared.
    case alone(keepFor: Duration)
    /// Lets the next one try.
    case nothing
}

/// The failure of a fetch that another process made.
public struct FleetFailure: TransientErrorType, Hashable, CustomStringConvertible {
    /// A short text without secrets, as in events.
    public var label: String
    /// The HTTP status of the answer, if there was one.
    public var statusCode: Int?
    /// True if a retry may help.
    public var isTransient: Bool

    /// Creates a failure.
    public init(label: String, statusCode: Int? = nil, isTransient: Bool) {
        (self.label, self.statusCode, self.isTransient) = (label, statusCode, isTransient)
    }

    /// Describes an error without its content.
    init(_ error: any Error) {
        self.init(
            label: TransientError.label(error), statusCode: (error as? any TransientErrorType)?.statusCode,
            isTransient: TransientError.isTransient(error))
    }

    /// The label, and that another process has met the failure.
    public var description: String { "\(label) (in another process)" }
}

/// An entry of the log.
public struct FleetNews: Sendable, Hashable {
    /// A change that concerns all processes.
    public enum Change: Sendable, Hashable {
        /// Values turned stale.
        case stale(QueryRecordScope)
        /// Values must not be shown any more.
        case removed(QueryRecordScope)

        /// The keys that the change concerns.
        public var scope: QueryRecordScope {
            switch self {
            case .stale(let scope), .removed(let scope): scope
            }
        }
    }

    /// The position in the log, from 1.
    public var number: UInt64
    /// Identifies the client that published the news.
    public var member: String
    /// The change.
    public var change: Change

    /// Creates an entry.
    public init(number: UInt64, member: String, change: Change) {
        (self.number, self.member, self.change) = (number, member, change)
    }
}

/// A part of the log, in order.
public enum FleetReading: Sendable, Hashable {
    /// The news after the position that the caller knew. Empty if there are none.
    case news([FleetNews])
    /// All that the log still has: the caller knew no position of it, or the news that follow that position are gone.
    ///
    /// - Parameters:
    ///   - after: Number of the last entry that the log no longer has. 0 if it has all.
    ///   - at: The position of the last entry.
    case log([FleetNews], after: UInt64, at: FleetPosition)
}
