public import Foundation
internal import PigeonBase
public import PigeonCore

/// A URL of a service, with its content, its requests and its observers.
///
/// ```swift
/// let user = api.resource("/users/42")
/// user.addObserver(owner: self) { [weak self] user, event in self?.show(user.typedContent()) }
/// user.loadIfNeeded()
/// ```
///
/// A resource is an entry of the service's client, so all parts of a program share its content. It can be used from any
/// thread. Its properties describe the moment at which they are read.
///
/// The service does not retain its resources. A resource that the program does not hold, and that is neither observed
/// nor loading, is freed at once. Its content stays in the client until memory is short. While the program holds a
/// resource, its content is never evicted.
public final class Resource: Sendable {
    /// The service to which the resource belongs.
    public let service: Service

    /// The URL in canonical form: scheme and host in lowercase, no default port, no fragment.
    public let url: URL

    /// The key of the resource's entry in the service's client.
    public let queryKey: QueryKey

    /// The reason why the resource has no valid URL. All its requests then fail. `nil` if the URL is valid.
    let wrongAddress: RequestError.Cause.InvalidURL?

    let state = Locked(State())

    struct State {
        var hub = ObserverHub()
        var configurations: [RequestMethod: Configuration] = [:]
        var configurationVersion: UInt64 = 0
        /// The configuration's times that decide whether the resource is up to date.
        var freshnessOptions: FreshnessOptions?
        var definition: QueryDefinition<Entity<any Sendable>>?
        /// The type of the content for observers that know only the entry's key.
        var readable: Readable?
        /// The requests in flight, in the order in which they were started.
        var requests: [PendingRequest] = []
        var check: CacheCheck?
    }

    struct PendingRequest {
        let request: any Request
        /// The load that the request is part of. `nil` if it changes nothing in the resource.
        var load: Load?
    }

    init(service: Service, url: URL) {
        self.service = service
        self.url = url
        queryKey = service.queryKey.appending(url.absoluteString)
        wrongAddress = nil
        client.hold(queryKey)
    }

    /// Creates a resource without a valid URL, whose requests always fail. The number distinguishes its key from those
    /// of other such resources.
    init(service: Service, wrong source: (any URLConvertible)?, _ number: UInt64) {
        self.service = service
        url = URL(fileURLWithPath: "/")
        queryKey = service.queryKey.appending("").appending(number)
        wrongAddress = RequestError.Cause.InvalidURL(urlSource: source)
        client.hold(queryKey)
    }

    deinit {
        client.release(queryKey)
        // The entry can never be found again.
        if wrongAddress != nil { service.client.remove(.path(queryKey)) }
    }

    var client: QueryClient { service.client }

    // MARK: Configuration

    /// The configuration for GET.
    public var configuration: Configuration { configuration(for: .get) }

    /// Returns the configuration for a request method. It is computed when it is first needed, and again when the
    /// service's configuration has changed.
    public func configuration(for method: RequestMethod) -> Configuration {
        configurationAndVersion(for: method).configuration
    }

    /// 0 without a valid URL.
    var configurationVersion: UInt64 { wrongAddress == nil ? service.configurationVersion : 0 }

    func configurationAndVersion(for method: RequestMethod) -> (configuration: Configuration, version: UInt64) {
        guard wrongAddress == nil else { return (Configuration(), 0) }
        let version = configurationVersion
        let known = state.withLock { $0.configurationVersion == version ? $0.configurations[method] : nil }
        if let known { return (known, version) }
        let (made, madeOf) = service.makeConfiguration(for: url, method)
        let old = state.withLock { $0.adopt(made, of: madeOf, for: method) }
        _ = old  // released outside the lock
        return (made, madeOf)
    }

    // MARK: State

    /// `nil` if there is no entry.
    var entryState: EntryState? { client.entryState(of: queryKey, as: Entity<any Sendable>.self) }

    /// The newest content, with its headers and the time at which it was last known to be valid. `nil` if there is no
    /// content.
    public var latestData: Entity<any Sendable>? { entryState?.entity }

    /// An object that stays the same until the content changes. `nil` if there is no content.
    package var contentIdentity: AnyObject? { entryState?.payload }

    /// The error of the last load. `nil` once there is new data, or the server has confirmed the existing data.
    public var latestError: RequestError? { entryState?.requestError }

    /// The time at which the content was last known to be valid, or at which a load failed, whichever is later. In
    /// seconds since January 1, 2001. 0 if there is neither.
    public var timestamp: TimeInterval {
        guard let entryState else { return 0 }
        return max(entryState.entity?.timestamp ?? 0, entryState.requestError?.timestamp ?? 0)
    }

    /// True if a load is in flight that can change the resource.
    public var isLoading: Bool { entryState?.isLoading ?? false }

    /// True if any request of the resource is in flight.
    public var isRequesting: Bool { !allRequests.isEmpty }

    /// True if ``loadIfNeeded()`` has nothing to do. This is the case if there is content that has not been invalidated
    /// and is younger than ``Configuration/expirationTime``, or than the time that the server specified. It is also the
    /// case if a load failed less than ``Configuration/retryTime`` ago.
    public var isUpToDate: Bool { updateStatus?.isUpToDate ?? false }

    var updateStatus: UpdateStatus? { client.times(of: queryKey).map { UpdateStatus($0, by: freshnessOptions) } }

    var freshnessOptions: FreshnessOptions {
        let version = configurationVersion
        let known = state.withLock { $0.configurationVersion == version ? $0.freshnessOptions : nil }
        if let known { return known }
        let made = FreshnessOptions(configuration)
        state.withLock { state in
            if state.configurationVersion == version { state.freshnessOptions = made }
        }
        return made
    }

    /// The loads in flight, in the order in which they were requested. Each can change the resource, until the response
    /// to a later one has.
    public var loadRequests: [any Request] {
        state.withLock { $0.requests.filter { $0.load != nil }.map(\.request) }
    }

    /// All requests of the resource that are in flight, including loads.
    public var allRequests: [any Request] { state.withLock { $0.requests.map(\.request) } }
}

extension Resource.State {
    /// Stores a configuration, unless a newer one is known, and removes everything that depends on older ones.
    ///
    /// - Returns: The removed values, to be released outside the lock.
    fileprivate mutating func adopt(
        _ made: Configuration, of version: UInt64, for method: RequestMethod
    ) -> [any Sendable] {
        guard version >= configurationVersion else { return [] }
        guard version > configurationVersion else {
            return configurations.updateValue(made, forKey: method).map { [$0] } ?? []
        }
        defer {
            (configurations, configurationVersion, definition, freshnessOptions) = ([method: made], version, nil, nil)
        }
        return [configurations] + (definition.map { [$0] } ?? [])
    }
}

extension Resource: TypedContentAccessors {
    /// The newest content.
    public var entityForTypedContentAccessors: Entity<any Sendable>? { latestData }
}

extension Resource: Hashable {
    /// Returns true if both are the same object, and so have the same URL in the same service.
    public static func == (one: Resource, other: Resource) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Resource: CustomStringConvertible {
    /// The URL without its query, and the current state.
    public var description: String {
        let name = wrongAddress == nil ? url.nameForLogs : "(no address)"
        let marks = [
            isLoading ? "loading" : nil, latestData != nil ? "data" : nil, latestError != nil ? "error" : nil,
        ].compactMap { $0 }
        return "Resource(\(name))[\(marks.joined(separator: " "))]"
    }
}

/// The loading and the freshness of a resource, by its configuration.
struct UpdateStatus {
    /// True if a load is in flight that can change the resource.
    let isFetching: Bool
    /// True if the content is fresh or, after a failure, if it is too early to try again.
    let isUpToDate: Bool

    init(_ times: EntryTimes, by freshnessOptions: FreshnessOptions) {
        isFetching = times.activity != .idle
        isUpToDate =
            times.failedAt.map {
                !times.wasInvalidatedByName && $0.duration(to: times.now) <= freshnessOptions.retryAfter
            } ?? !times.isStale(for: freshnessOptions.staleAfter)
    }
}

extension EntryState {
    /// True if a load is in flight that can change the resource.
    var isLoading: Bool { activity != .idle }

    func updateStatus(by freshnessOptions: FreshnessOptions) -> UpdateStatus {
        UpdateStatus(times, by: freshnessOptions)
    }

    /// The content, with the time at which it was last known to be valid.
    var entity: Entity<any Sendable>? {
        guard var entity = (payload as? PayloadOf<Entity<any Sendable>>)?.value else { return nil }
        if let date = date(of: writtenAt) { entity.timestamp = date.timeIntervalSinceReferenceDate }
        return entity
    }

    /// The error of the last load, with the time at which the load failed, by the client's clock.
    var requestError: RequestError? {
        guard let failure else { return nil }
        var error = RequestError(failure.error)
        if let date = failedAt.flatMap(date(of:)) { error.timestamp = date.timeIntervalSinceReferenceDate }
        return error
    }
}
