public import Foundation
internal import PigeonBase
public import PigeonCore

/// How a service deals with resources that match a pattern, by request method.
///
/// ```swift
/// service.configure("/search/**") {
///     $0.expirationTime = 10
///     $0.headers["Accept"] = "application/vnd.github+json"
/// }
/// ```
public struct Configuration: Sendable {
    /// How long content counts as fresh, in seconds.
    ///
    /// The times of a resource are those of its configuration for GET, whatever the method.
    public var expirationTime: TimeInterval = 30

    /// How long ``Resource/loadIfNeeded()`` does nothing after a failure, in seconds.
    public var retryTime: TimeInterval = 1

    /// Header fields that requests are sent with.
    public var headers: [String: String] = [:]

    /// What becomes of responses.
    public var pipeline = Pipeline()

    /// How often a request tells of its progress, in seconds.
    public var progressReportingInterval: TimeInterval = 0.05

    /// What puts another request in the place of one.
    public typealias RequestDecorator = @Sendable (Resource, any Request) -> any Request

    /// In the order they were added.
    package internal(set) var requestMutations: [Resource.RequestMutation] = []

    /// In the order they were added.
    package private(set) var requestDecorators: [RequestDecorator] = []

    /// Creates a configuration with the defaults.
    public init() {}

    /// Has requests changed just before they are sent, after what is set so far.
    ///
    /// Runs again for each request, also for one that repeats another.
    public mutating func mutateRequests(with mutation: @escaping Resource.RequestMutation) {
        requestMutations.append(mutation)
    }

    /// Has requests wrapped or replaced, after what is set so far: each decorator gets what the one before returned.
    ///
    /// ```swift
    /// service.configure("**") {
    ///     $0.decorateRequests { resource, request in
    ///         request.onFailure { error in report(error, of: resource) }
    ///     }
    /// }
    /// ```
    ///
    /// ``Request/chained(whenCompleted:)`` makes another request of one.
    public mutating func decorateRequests(with decorator: @escaping RequestDecorator) {
        requestDecorators.append(decorator)
    }

    /// Has the client treat the resources as it treats other queries: polling, retries, what happens on reconnecting.
    ///
    /// ```swift
    /// service.configure("/news") {
    ///     $0.query { $0.pollEvery = .seconds(60) }
    /// }
    /// ```
    ///
    /// What a resource says itself (``expirationTime``) counts for how long content is fresh.
    public mutating func query(_ change: @escaping @Sendable (inout QueryOptions) -> Void) {
        queryChanges.append(change)
    }

    /// In the order they were added.
    package private(set) var queryChanges: [@Sendable (inout QueryOptions) -> Void] = []

    /// Puts back what is sent with requests: headers, and what changes requests.
    mutating func takeWhatIsSent(from other: Configuration) {
        headers = other.headers
        requestMutations = other.requestMutations
    }
}

extension Configuration: CustomStringConvertible {
    /// The settings. Of the headers the names alone.
    public var description: String {
        let names = headers.keys.sorted().joined(separator: ", ")
        return "expires after \(expirationTime) s, retries after \(retryTime) s, headers: [\(names)]"
    }
}

extension Configuration {
    /// For how long content is fresh.
    var staleAfter: StaleTime {
        expirationTime == .infinity ? .never : .after(Duration(untrustedSeconds: expirationTime) ?? .zero)
    }

    /// What the client is to know of it: content is kept for as long as there is room, and whoever observes a resource
    /// does not load it by that.
    func optionChanges(fetchesOnAttach: Bool) -> OptionChanges {
        let staleAfter = staleAfter
        let own: @Sendable (inout QueryOptions) -> Void = { options in
            options.staleAfter = staleAfter
            options.keepFor = .forever
            options.networkMode = .always
            options.fetchesOnAttach = fetchesOnAttach
            options.refetchOnReconnect = .ifStale
        }
        return OptionChanges([own] + queryChanges)
    }
}

/// For how long what is known of a resource counts.
struct FreshnessTerms: Sendable {
    let staleAfter: StaleTime
    /// How long after a failure it is too early to try again.
    let retryAfter: Duration

    init(_ configuration: Configuration) {
        staleAfter = configuration.staleAfter
        retryAfter = Duration(untrustedSeconds: configuration.retryTime) ?? .zero
    }
}

/// Changes the configuration of the resources that match.
struct ConfigurationEntry: Sendable {
    let id: UInt64
    let description: String
    let matches: @Sendable (URL) -> Bool
    /// `nil` for all.
    let methods: Set<RequestMethod>?
    /// Whether it says nothing of where it applies: then it sends no headers to foreign servers.
    let isForAll: Bool
    let configurer: @Sendable (inout Configuration) -> Void
}

/// A change of a service's configuration, to be taken back if need be.
///
/// ```swift
/// let experiment = service.configure("**") { $0.headers["X-Experiment"] = "on" }
/// service.removeConfiguration(experiment)
/// ```
public struct ConfigurationToken: Sendable {
    let id: UInt64
}
