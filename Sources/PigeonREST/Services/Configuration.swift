public import Foundation
internal import PigeonBase
public import PigeonCore

/// The settings of a service for resources that match a pattern, by request method.
///
/// ```swift
/// service.configure("/search/**") {
///     $0.expirationTime = 10
///     $0.headers["Accept"] = "application/vnd.github+json"
/// }
/// ```
public struct Configuration: Sendable {
    /// The time for which content is fresh, in seconds.
    ///
    /// A resource always uses the times of its configuration for GET, whatever the method.
    public var expirationTime: TimeInterval = 30

    /// The time after a failure during which ``Resource/loadIfNeeded()`` does nothing, and
    /// ``Resource/loadedIfNeeded()`` throws the same error again, in seconds.
    public var retryTime: TimeInterval = 1

    /// The header fields of requests.
    public var headers: [String: String] = [:]

    /// The pipeline that processes responses.
    public var pipeline = Pipeline()

    /// The interval at which a request reports its progress, in seconds.
    public var progressReportingInterval: TimeInterval = 0.05

    /// Returns a request that wraps or replaces another one.
    public typealias RequestDecorator = @Sendable (Resource, any Request) -> any Request

    /// In the order in which they were added.
    package internal(set) var requestMutations: [Resource.RequestMutation] = []

    /// In the order in which they were added.
    package private(set) var requestDecorators: [RequestDecorator] = []

    /// Creates a configuration with the defaults.
    public init() {}

    /// Adds a function that changes requests just before they are sent. It runs after the functions that were added
    /// before.
    ///
    /// The function runs for each request, including repeated ones.
    public mutating func mutateRequests(with mutation: @escaping Resource.RequestMutation) {
        requestMutations.append(mutation)
    }

    /// Adds a decorator that wraps or replaces requests. Each decorator receives the request that the previous one
    /// returned.
    ///
    /// ```swift
    /// service.configure("**") {
    ///     $0.decorateRequests { resource, request in
    ///         request.onFailure { error in report(error, of: resource) }
    ///     }
    /// }
    /// ```
    ///
    /// Use ``Request/chained(whenCompleted:)`` to create a request that depends on another one.
    public mutating func decorateRequests(with decorator: @escaping RequestDecorator) {
        requestDecorators.append(decorator)
    }

    /// Changes the query options of the resources, such as polling, retries, and refetching after a reconnect.
    ///
    /// ```swift
    /// service.configure("/news") {
    ///     $0.query { $0.pollEvery = .seconds(60) }
    /// }
    /// ```
    ///
    /// The configuration's ``expirationTime`` overrides the stale time of the options.
    public mutating func query(_ change: @escaping @Sendable (inout QueryOptions) -> Void) {
        queryChanges.append(change)
    }

    /// In the order in which they were added.
    package private(set) var queryChanges: [@Sendable (inout QueryOptions) -> Void] = []

    /// Adds a function that changes the content of a resource while a recorded request that changes it waits or runs.
    ///
    /// ```swift
    /// service.configure("/repos/*/*") {
    ///     $0.optimistic { (repository: inout Repository, request) in
    ///         repository.stars += request.method == .put ? 1 : -1
    ///     }
    /// }
    /// let repository = service.resource("/repos/ann/atlas")
    /// try await service.resource("/user/starred/ann/atlas").enqueue(.put, reloading: [repository])
    /// ```
    ///
    /// A request changes its own resource, and those that `enqueue` names as `reloading`. After a restart, the function is
    /// called for the requests that still wait, before anything is loaded.
    ///
    /// - Parameter edit: Changes the content. Called outside locks, on any thread, and again for each content that
    ///   arrives. Not called for content of another type.
    public mutating func optimistic<Content: Sendable>(
        _ edit: @escaping @Sendable (inout Content, RecordedRequest) -> Void
    ) {
        optimisticEdits.append { entity, request in
            guard var content: Content = ContentCast.cast(entity.content) else { return }
            edit(&content, request)
            entity.content = content
            // A 304 response must never confirm edited content.
            entity.forgetVersion()
        }
    }

    /// In the order in which they were added.
    package private(set) var optimisticEdits: [@Sendable (inout Entity<any Sendable>, RecordedRequest) -> Void] = []

    /// Copies, from another configuration, the settings that affect what is sent: headers and request mutations.
    mutating func takeWhatIsSent(from other: Configuration) {
        headers = other.headers
        requestMutations = other.requestMutations
    }
}

extension Configuration: CustomStringConvertible {
    /// The settings, with only the names of the headers.
    public var description: String {
        let names = headers.keys.sorted().joined(separator: ", ")
        return "expires after \(expirationTime) s, retries after \(retryTime) s, headers: [\(names)]"
    }
}

extension Configuration {
    /// The time for which content is fresh, unless the server specifies another one. `nil` for no limit.
    var lifetime: Duration? {
        guard expirationTime != .infinity else { return nil }
        let lifetime: Duration = Duration(untrustedSeconds: expirationTime) ?? .zero
        return lifetime
    }

    var staleAfter: StaleTime { lifetime.map(StaleTime.after) ?? .never }

    /// Returns the client's options for the resources. Content stays in memory for as long as there is room, and
    /// observing a resource does not load it.
    func optionOverrides(fetchesOnAttach: Bool) -> OptionOverrides {
        let staleAfter = staleAfter
        let queryChanges = queryChanges
        return OptionOverrides { options in
            options.keepFor = .forever
            options.networkMode = .always
            options.fetchesOnAttach = fetchesOnAttach
            options.refetchOnReconnect = .ifStale
            for change in queryChanges { change(&options) }
            options.staleAfter = staleAfter
        }
    }
}

struct FreshnessOptions: Sendable {
    let staleAfter: StaleTime
    /// The time after a failure during which it is too early to try again.
    let retryAfter: Duration

    init(_ configuration: Configuration) {
        staleAfter = configuration.staleAfter
        retryAfter = Duration(untrustedSeconds: configuration.retryTime) ?? .zero
    }
}

/// A change to the configuration of matching resources.
struct ConfigurationEntry: Sendable {
    let id: UInt64
    let description: String
    let matches: @Sendable (URL) -> Bool
    /// The request methods to which the change applies. `nil` for all.
    let methods: Set<RequestMethod>?
    /// True if the change was added without a pattern. Its headers are then not sent to other servers.
    let isForAll: Bool
    let configurer: @Sendable (inout Configuration) -> Void
}

/// Identifies a change to a service's configuration, so that the change can be removed.
///
/// ```swift
/// let experiment = service.configure("**") { $0.headers["X-Experiment"] = "on" }
/// service.removeConfiguration(experiment)
/// ```
public struct ConfigurationToken: Sendable {
    let id: UInt64
}
