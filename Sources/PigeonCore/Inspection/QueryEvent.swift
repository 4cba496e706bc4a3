/// An event in a client, with its cause.
///
/// Logs, developer tools and tests read only these events:
///
/// ```swift
/// for await event in client.events { print(event) }     // users/42 fetching (observed)
/// ```
public struct QueryEvent: Sendable {
    /// The kind of an event.
    public enum Kind: Sendable {
        /// A fetch started. The number counts attempts from 1.
        case fetching(attempt: Int)
        /// A fetch received a value.
        case fresh
        /// The fetcher reported that the cached value is still right.
        case notModified
        /// A fetch failed after all retries. The text names the error without its content.
        case failed(String)
        /// An attempt failed and is retried after a delay. The text names the error without its content.
        case retrying(in: Duration, after: String)
        /// The fetch is paused until the app is online and active.
        case paused
        /// A paused fetch resumed.
        case resumed
        /// A fetch was cancelled.
        case cancelled
        /// An answer was outdated and was dropped.
        case dropped
        /// A fetch waits before its first attempt, as its definition says.
        case debounced(Duration)
        /// A caller joined a fetch that was already running.
        case joined
        /// A caller joined a fetch that runs with other options. The text lists the options that differ.
        case optionsIgnored(String)
        /// The program wrote the value.
        case written
        /// An optimistic change is shown.
        case optimistic
        /// An optimistic change was rolled back.
        case rolledBack
        /// A cached record was read. The cause tells whether it is the first value or replaced one.
        case hydrated
        /// The value was marked stale.
        case invalidated
        /// The value's stale time passed.
        case stale
        /// A page load started. The number counts attempts from 1.
        case loadingPage(PageDirection, attempt: Int)
        /// A page arrived.
        case page(PageDirection)
        /// A page load failed. The text names the error without its content.
        case pageFailed(PageDirection, String)
        /// The entry was removed.
        case removed
        /// A mutation started.
        case mutating
        /// A mutation succeeded.
        case mutated
        /// A mutation failed, or was cancelled. The text names the error without its content.
        case mutationFailed(String)
        /// A mutation waits for the network or for its turn, or a durable mutation for new credentials.
        case mutationPaused
        /// A durable mutation was recorded.
        case enqueued
        /// A durable mutation was set aside: the server refused it, or it cannot be sent, and the outbox keeps it
        /// without another attempt. The text names the error without its content.
        case setAside(String)
        /// A durable mutation was discarded, was replaced by an edit or a later mutation, or is gone because another client
        /// ended it.
        case discarded
        /// The client was cleared.
        case cleared
        /// A cache reported a problem.
        case cacheProblem(String)
        /// The program used the library wrongly. The text describes the mistake and the remedy.
        case misuse(String)
    }

    /// The kind of the event.
    public let kind: Kind
    /// The key concerned. `nil` for an event of the whole client.
    public let key: QueryKey?
    /// The number of the fetch or page load concerned, the same for all its attempts. Unique among the events of a key.
    /// `nil` if the event is of no fetch.
    public let fetchNumber: UInt64?
    /// The mutation concerned, by the name of its type.
    public let mutation: String?
    /// The number of the mutation that the event is of, or whose optimistic change was shown or rolled back. Unique among
    /// the events of a client. `nil` if the event is of no mutation.
    public let mutationNumber: UInt64?
    /// The cause of the event.
    public let cause: Cause
    /// The time of the event, on the client's clock.
    public let time: MonotonicInstant
    /// The error of a failed fetch, page load or mutation, of an attempt that is retried, or of a durable mutation that was
    /// set aside or waits for new credentials. `nil` for other events. It may
    /// contain what the server answered, so it is not part of the description.
    public let error: (any Error)?
    /// The reason of the ``error``. `nil` without one, and for a cancellation.
    ///
    /// By it, a durable mutation that waits for new credentials (``Kind/mutationPaused`` with
    /// ``FailureReason/unauthorized``) differs from one that waits for the network, which has no error.
    public let failureReason: FailureReason?
    /// The number of the event, which increases by one with each event of a client.
    public let sequence: UInt64
}

extension QueryEvent.Kind {
    /// True if the event is a failure: of a fetch or one of its attempts, of a page load, a mutation or a cache, or a
    /// misuse.
    public var isFailure: Bool {
        switch self {
        case .failed, .retrying, .pageFailed, .mutationFailed, .setAside, .cacheProblem, .misuse: true
        default: false
        }
    }
}

extension QueryEvent.Kind {
    /// The name of the case.
    package var name: String {
        switch self {
        case .fetching: "fetching"
        case .fresh: "fresh"
        case .notModified: "notModified"
        case .failed: "failed"
        case .retrying: "retrying"
        case .paused: "paused"
        case .resumed: "resumed"
        case .cancelled: "cancelled"
        case .dropped: "dropped"
        case .debounced: "debounced"
        case .joined: "joined"
        case .optionsIgnored: "optionsIgnored"
        case .written: "written"
        case .optimistic: "optimistic"
        case .rolledBack: "rolledBack"
        case .hydrated: "hydrated"
        case .invalidated: "invalidated"
        case .stale: "stale"
        case .loadingPage: "loadingPage"
        case .page: "page"
        case .pageFailed: "pageFailed"
        case .removed: "removed"
        case .mutating: "mutating"
        case .mutated: "mutated"
        case .mutationFailed: "mutationFailed"
        case .mutationPaused: "mutationPaused"
        case .enqueued: "enqueued"
        case .setAside: "setAside"
        case .discarded: "discarded"
        case .cleared: "cleared"
        case .cacheProblem: "cacheProblem"
        case .misuse: "misuse"
        }
    }
}

extension QueryEvent: CustomStringConvertible {
    /// A line of text with the key, the kind and the cause.
    public var description: String {
        let subject = key?.description ?? mutation.map { "mutation \($0)" } ?? "client"
        let because =
            switch kind {
            case .fetching, .cancelled, .invalidated, .removed, .paused, .dropped, .joined: " (\(cause))"
            case .written where cause != .written: " (\(cause))"
            case .hydrated where cause != .cached: " (\(cause))"
            case .mutationPaused where failureReason == .unauthorized: " until there are new credentials"
            default: ""
            }
        return "\(subject) \(kind)\(because)"
    }
}

extension QueryEvent.Kind: CustomStringConvertible {
    /// A short text for logs.
    public var description: String {
        switch self {
        case .fresh, .paused, .resumed, .cancelled, .joined, .written, .hydrated, .invalidated, .stale, .removed,
            .enqueued, .discarded, .cleared:
            name
        case .fetching(let attempt): attempt > 1 ? "fetching again" : "fetching"
        case .notModified: "not modified"
        case .failed(let error): "failed: \(error)"
        case .retrying(let delay, let error): "retrying in \(delay.brief) after \(error)"
        case .dropped: "late answer dropped"
        case .debounced(let delay): "waiting \(delay.brief)"
        case .optionsIgnored(let names): "joined, ignoring \(names)"
        case .optimistic: "changed optimistically"
        case .rolledBack: "rolled back"
        case .loadingPage(let direction, let attempt):
            attempt > 1 ? "loading \(direction) page again" : "loading \(direction) page"
        case .page(let direction): "\(direction) page"
        case .pageFailed(let direction, let error): "\(direction) page failed: \(error)"
        case .mutating: "started"
        case .mutated: "succeeded"
        case .mutationFailed(let error): "failed: \(error)"
        case .mutationPaused: "paused"
        case .setAside(let reason): "set aside: \(reason)"
        case .cacheProblem(let text): "cache problem: \(text)"
        case .misuse(let text): "misuse: \(text)"
        }
    }
}

extension Duration {
    /// A rounded text for reading, such as `1.5 s` or `250 ms`.
    package var brief: String {
        let seconds = inSeconds
        guard seconds < 1 else { return "\((seconds * 10).rounded() / 10) s" }
        return "\(Int64((seconds * 1000).rounded())) ms"
    }
}

/// The undelivered events of a client, and its listeners.
struct EventLog {
    typealias Listener = @Sendable (QueryEvent) -> Void
    typealias Batch = (events: [QueryEvent], listeners: Roster<Listener>)

    var listeners = Roster<Listener>()
    /// The events to deliver. One thread at a time delivers, so that all listeners see the same order.
    private(set) var pending = SerialDelivery<QueryEvent>()
    private var lastSequence: UInt64 = 0

    /// True if there is a listener. Without one, no events are created.
    var hasListeners: Bool { !listeners.isEmpty }

    mutating func append(_ make: (_ sequence: UInt64) -> QueryEvent) {
        lastSequence += 1
        pending.add(make(lastSequence))
    }

    /// Begins to deliver.
    ///
    /// - Returns: The pending events. `nil` if there are none, or if another thread is delivering.
    mutating func beginDelivering() -> Batch? {
        pending.beginAll().map { ($0, listeners) }
    }

    /// Removes and returns the pending events. Ends delivering if there are none.
    mutating func nextBatch() -> Batch? {
        pending.nextAll().map { ($0, listeners) }
    }
}
