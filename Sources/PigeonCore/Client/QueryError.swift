public import Foundation

/// An error of the engine itself. Errors of fetchers are passed on unchanged.
public enum QueryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A key is used with two types.
    case typeMismatch(key: QueryKey, existing: String, requested: String)
    /// A fetch was requested for a key without a fetcher, which the program has only written.
    case noFetcher(key: QueryKey)
    /// A fetcher ended without a value.
    case noValue(key: QueryKey)
    /// A fetcher returned "not modified", but no value was cached.
    case notModifiedWithoutValue(key: QueryKey)
    /// A fetch took longer than its time limit.
    case timedOut(key: QueryKey, limit: Duration)
    /// A fetcher awaits or refetches its own key, directly or through other queries. The fetch could never end.
    case awaitsItself(key: QueryKey)
    /// A page was requested of a query without pages.
    case notPaged(key: QueryKey)
    /// Only an existing value was accepted (``FetchPolicy/cacheOnly``), and there is none.
    case notCached(key: QueryKey)
    /// Too many fetches wait for a server. See ``Upstream``.
    case overloaded(key: QueryKey, upstream: String)
    /// The client was closed before the fetch or the mutation began. See ``QueryClient/close(within:)``.
    case closed(name: String)
    /// A fetcher or a mutation needs something that the client was not given, or not as that type. `given` is the own
    /// type of a value that fits: give it as the protocol, with `as any …`. See ``Dependencies``.
    case missingDependency(type: String, of: String, given: String? = nil)

    /// Describes the problem, the key it concerns, and the remedy.
    public var description: String {
        switch self {
        case .typeMismatch(let key, let existing, let requested):
            "\(key) holds \(existing) and cannot be used as \(requested): give each type a key of its own"
        case .noFetcher(let key):
            "\(key) was only written and has no fetcher: fetch it with a definition"
        case .noValue(let key):
            "the fetcher of \(key) finished without a value"
        case .notModifiedWithoutValue(let key):
            "the fetcher of \(key) said \"not modified\", but nothing is cached"
        case .timedOut(let key, let limit):
            "the fetch of \(key) took longer than \(limit.brief)"
        case .awaitsItself(let key):
            """
            the fetcher of \(key) awaits or refetches its own key, maybe through others, and would never end: use the \
            context's previous value
            """
        case .notPaged(let key):
            "\(key) has no pages: define it with QueryDefinition.pages"
        case .notCached(let key):
            "\(key) is not cached, and the caller wanted no fetch"
        case .overloaded(let key, let upstream):
            "\(key) was not fetched: too many fetches wait for \(upstream)"
        case .closed(let name):
            "\(name) did not begin: the client is closed"
        case .missingDependency(let type, let user, nil):
            "\(user) needs \(type), which its client does not have: QueryClient(dependencies: Dependencies(…))"
        case .missingDependency(let type, let user, let given?):
            "\(user) needs \(type), but its client was given \(given) as its own type: Dependencies(… as any \(type))"
        }
    }
}

extension QueryError: TransientErrorType {
    /// True for a timeout only. An attempt that was refused because of too many others must not be repeated, and the other
    /// errors are mistakes in the program.
    public var isTransient: Bool {
        if case .timedOut = self { true } else { false }
    }
}

extension QueryError: PlainlyDescribedError {}

extension QueryError: LocalizedError, LocalizedReadableError {
    package var userText: UserText {
        switch self {
        case .timedOut, .overloaded: .timedOut
        case .noValue, .notModifiedWithoutValue: .noData
        case .notCached: .notAvailableOffline
        case .typeMismatch, .noFetcher, .awaitsItself, .notPaged, .closed, .missingDependency: .somethingWentWrong
        }
    }
}
