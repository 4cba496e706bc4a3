/// The reason why something happened to an entry.
///
/// Every fetch, write, cancellation and notification carries one, and every event shows it:
/// `users/42 fetching (invalidated by mutation RenameUser)`.
public indirect enum Cause: Sendable, Hashable {
    /// An observer attached and needed the value.
    case observed
    /// A caller requested this key.
    case requested
    /// A caller prefetched this key.
    case prefetched
    /// The key was invalidated. `by` is the cause of the invalidation, if there is one.
    case invalidated(by: Cause?)
    /// A mutation, by the name of its type.
    case mutation(String)
    /// The polling interval passed.
    case poll
    /// The program came back to the foreground.
    case foreground
    /// The network came back.
    case reconnect
    /// A failed attempt is retried. Carries the number of the retry, a label of the error, and the cause of the fetch.
    case retry(Int, after: String, of: Cause)
    /// A caller requested the next page.
    case nextPage
    /// A caller requested the previous page.
    case previousPage
    /// The program wrote the value.
    case written
    /// Another entry has a newer item, which the value contains: the key of that entry, and the number of the page, from 1,
    /// if its value is a list of pages.
    case newerItem(in: QueryKey, page: Int?)
    /// The content of the source of truth changed.
    case sourceChanged
    /// The value was found in a cache.
    case cached
    /// Another process changed the cache.
    case otherProcess
    /// The last observer or caller that needed the value left.
    case abandoned
    /// A newer fetch replaced this one.
    case superseded
    /// The value's stale time passed.
    case aged
    /// The entry was unused for longer than its options keep it.
    case unused
    /// The client's byte budget was exceeded.
    case budget
    /// The system reported memory pressure.
    case memoryPressure
    /// The client was cleared.
    case cleared
    /// The client was closed.
    case closed
    /// The fetch exceeded its time limit.
    case timeLimit
    /// A face caused it. Carries the name of the ``QueryFace``, and the cause.
    case by(String, Cause)
}

extension Cause: CustomStringConvertible {
    /// A short text for logs.
    public var description: String {
        switch self {
        case .observed: "observed"
        case .requested: "requested"
        case .prefetched: "prefetched"
        case .invalidated(by: nil): "invalidated"
        case .invalidated(by: let origin?): "invalidated by \(origin)"
        case .mutation(let name): "mutation \(name)"
        case .poll: "poll"
        case .foreground: "foreground"
        case .reconnect: "reconnect"
        case .retry(let number, let reason, let origin): "retry \(number) after \(reason), \(origin)"
        case .nextPage: "next page"
        case .previousPage: "previous page"
        case .written: "written"
        case .newerItem(let key, nil): "newer item in \(key)"
        case .newerItem(let key, let page?): "newer item in \(key), page \(page)"
        case .sourceChanged: "source changed"
        case .cached: "cached"
        case .otherProcess: "another process"
        case .abandoned: "abandoned"
        case .superseded: "superseded"
        case .aged: "aged"
        case .unused: "unused"
        case .budget: "over budget"
        case .memoryPressure: "memory pressure"
        case .cleared: "cleared"
        case .closed: "client closed"
        case .timeLimit: "time limit"
        case .by(let name, let cause): "\(cause) by \(name)"
        }
    }

    /// True if no caller requested the fetch explicitly: it was started by an observer, the polling timer, the network
    /// or the foreground. An automatic fetch joins a running page load. An explicit one postpones it.
    var isAutomatic: Bool {
        origin == .observed || isTriggered
    }

    /// True if the polling timer or a change of the surroundings started the fetch.
    package var isTriggered: Bool {
        switch origin {
        case .poll, .foreground, .reconnect: true
        default: false
        }
    }

    /// True if the program caused it: with a call, with an observer, or by invalidating. False for what happens by itself: a
    /// poll, a change of the surroundings, and what a mutation or another process made stale.
    package var isExplicit: Bool {
        switch origin {
        case .observed, .requested, .prefetched, .nextPage, .previousPage, .written: true
        case .invalidated(by: let cause): cause?.isExplicit ?? false
        default: false
        }
    }

    /// The cause without the retries that wrap it, and without the name of a face.
    public var origin: Cause {
        switch self {
        case .retry(_, _, let cause), .by(_, let cause): cause.origin
        default: self
        }
    }

    var withoutRetries: Cause {
        if case .retry(_, _, let cause) = self { cause.withoutRetries } else { self }
    }
}
