/// Why something happened to an entry.
///
/// Every fetch, write, cancellation and notification carries one, and every event shows it:
/// `users/42 fetching (invalidated by mutation RenameUser)`.
public indirect enum Cause: Sendable, Hashable {
    /// An observer attached and needed the value.
    case observed
    /// Somebody asked for it by name.
    case requested
    /// Somebody asked to have it ready.
    case prefetched
    /// The key was invalidated, and what led to that.
    case invalidated(by: Cause?)
    /// A mutation, by the name of its type.
    case mutation(String)
    /// The polling interval passed.
    case poll
    /// The program came back to the foreground.
    case foreground
    /// The network came back.
    case reconnect
    /// A failed attempt is repeated: which retry this is, what failed, and why the fetch runs at all.
    case retry(Int, after: String, of: Cause)
    /// The next page was asked for.
    case nextPage
    /// The previous page was asked for.
    case previousPage
    /// The program wrote the value itself.
    case written
    /// The source of truth holds something else than before.
    case sourceChanged
    /// The value was found in a cache.
    case cached
    /// The last one interested left.
    case abandoned
    /// A newer fetch took its place.
    case superseded
    /// The time for which it is fresh passed.
    case aged
    /// Nobody had used it for its time.
    case unused
    /// The client's byte budget was exceeded.
    case budget
    /// Memory was short.
    case memoryPressure
    /// The client was cleared.
    case cleared
    /// A time limit passed.
    case timeLimit
}

extension Cause: CustomStringConvertible {
    /// A few words.
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
        case .sourceChanged: "source changed"
        case .cached: "cached"
        case .abandoned: "abandoned"
        case .superseded: "superseded"
        case .aged: "aged"
        case .unused: "unused"
        case .budget: "over budget"
        case .memoryPressure: "memory pressure"
        case .cleared: "cleared"
        case .timeLimit: "time limit"
        }
    }

    /// Whether nobody asked by name: an observer came, or time, network or foreground did it. Such fetches join page
    /// loads, which those that were asked for postpone.
    var isAutomatic: Bool {
        switch origin {
        case .observed, .poll, .foreground, .reconnect: true
        default: false
        }
    }

    /// The cause without the retries on the way.
    public var origin: Cause {
        if case .retry(_, _, let cause) = self { cause.origin } else { self }
    }
}
