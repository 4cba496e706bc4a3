/// One thing that happened in a client, and why.
///
/// Logs, devtools and tests read these and nothing else:
///
/// ```swift
/// for await event in client.events { print(event) }     // users/42 fetching (observed)
/// ```
public struct QueryEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// A fetch started. The number counts attempts from 1.
        case fetching(attempt: Int)
        /// A fetch brought a value.
        case fresh
        /// The fetcher said that what is cached is still right.
        case notModified
        /// A fetch failed for good. The text names the error without its contents.
        case failed(String)
        /// An attempt failed and is repeated after the delay.
        case retrying(in: Duration, after: String)
        /// A fetch waits for the network or the foreground.
        case paused
        /// A waiting fetch went on.
        case resumed
        /// A fetch was cancelled.
        case cancelled
        /// An answer came too late and was dropped.
        case dropped
        /// A caller joined a fetch that was already running.
        case joined
        /// A caller joined with other options than the fetch runs with: which.
        case optionsIgnored(String)
        /// The program wrote the value.
        case written
        /// An optimistic change is shown.
        case optimistic
        /// An optimistic change was taken back.
        case rolledBack
        /// A cached record was read.
        case hydrated
        /// The value was marked stale.
        case invalidated
        /// The value's time passed.
        case stale
        /// A page load started. The number counts attempts from 1.
        case loadingPage(PageDirection, attempt: Int)
        /// A page arrived.
        case page(PageDirection)
        /// A page load failed. The text names the error without its contents.
        case pageFailed(PageDirection, String)
        /// The entry was removed.
        case removed
        /// A mutation started.
        case mutating
        /// A mutation succeeded.
        case mutated
        /// A mutation failed, or was cancelled. The text names the error without its contents.
        case mutationFailed(String)
        /// A mutation waits for the network or for its turn.
        case mutationPaused
        /// The client was cleared.
        case cleared
        /// A cache had a problem.
        case cacheProblem(String)
        /// The program used the library wrongly: what, and what to do.
        case misuse(String)
    }

    /// What happened.
    public let kind: Kind
    /// The key concerned. `nil` for what concerns the whole client.
    public let key: QueryKey?
    /// The mutation concerned, by the name of its type.
    public let mutation: String?
    /// Why it happened.
    public let cause: Cause
    /// When, on the client's clock.
    public let time: MonotonicInstant
    /// A number that grows by one with each event of a client.
    public let sequence: UInt64
}

extension QueryEvent.Kind {
    /// Whether something failed: a fetch, a page load or a mutation, for good or until it is repeated, or a cache.
    public var isFailure: Bool {
        switch self {
        case .failed, .retrying, .pageFailed, .mutationFailed, .cacheProblem, .misuse: true
        default: false
        }
    }
}

extension QueryEvent: CustomStringConvertible {
    /// One line: the key, what happened, and why.
    public var description: String {
        let subject = key?.description ?? mutation.map { "mutation \($0)" } ?? "client"
        let because =
            switch kind {
            case .fetching, .cancelled, .invalidated, .removed, .paused, .dropped, .joined: " (\(cause))"
            case .written where cause != .written: " (\(cause))"
            default: ""
            }
        return "\(subject) \(kind)\(because)"
    }
}

extension QueryEvent.Kind: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .fetching(let attempt): attempt > 1 ? "fetching again" : "fetching"
        case .fresh: "fresh"
        case .notModified: "not modified"
        case .failed(let error): "failed: \(error)"
        case .retrying(let delay, let error): "retrying in \(delay.brief) after \(error)"
        case .paused: "paused"
        case .resumed: "resumed"
        case .cancelled: "cancelled"
        case .dropped: "late answer dropped"
        case .joined: "joined"
        case .optionsIgnored(let names): "joined, ignoring \(names)"
        case .written: "written"
        case .optimistic: "changed optimistically"
        case .rolledBack: "rolled back"
        case .hydrated: "hydrated"
        case .invalidated: "invalidated"
        case .stale: "stale"
        case .loadingPage(let direction, let attempt):
            attempt > 1 ? "loading \(direction) page again" : "loading \(direction) page"
        case .page(let direction): "\(direction) page"
        case .pageFailed(let direction, let error): "\(direction) page failed: \(error)"
        case .removed: "removed"
        case .mutating: "started"
        case .mutated: "succeeded"
        case .mutationFailed(let error): "failed: \(error)"
        case .mutationPaused: "paused"
        case .cleared: "cleared"
        case .cacheProblem(let text): "cache problem: \(text)"
        case .misuse(let text): "misuse: \(text)"
        }
    }
}

extension Duration {
    /// `1.5 s`, `250 ms`: rounded for reading.
    package var brief: String {
        let seconds = inSeconds
        guard seconds < 1 else { return "\((seconds * 10).rounded() / 10) s" }
        return "\(Int((seconds * 1000).rounded())) ms"
    }
}
