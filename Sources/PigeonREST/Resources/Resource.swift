public import Foundation
public import PigeonCore

/// One address of a service: its content, what is being asked of it, and who observes it.
///
/// ```swift
/// let user = api.resource("/users/42")
/// user.addObserver(owner: self) { [weak self] user, event in self?.show(user.typedContent()) }
/// user.loadIfNeeded()
/// ```
///
/// It is an entry of the service's client: what one screen loads, all see. It may be used from any thread; what it says is
/// of the moment it is asked.
///
/// The service does not retain its resources. A resource that the program does not hold, and that is neither observed nor
/// loading, is freed at once. Its content stays in the client until memory is short. While the program holds a resource,
/// its content is never evicted.
public final class Resource: Sendable {
    /// Where it comes from.
    public let service: Service

    /// Its address, in canonical form: scheme and host in small letters, no default port, no fragment.
    public let url: URL

    /// The key of its entry in the service's client.
    public let queryKey: QueryKey

    /// What was to be an address and is none: then all requests fail.
    let wrongAddress: RequestError.Cause.InvalidURL?

    let hub: ObserverHub
    let state = Locked(State())

    struct State {
        var configurations: [RequestMethod: Configuration] = [:]
        var configurationVersion: UInt64 = 0
        /// For how long what is known counts, by the configuration.
        var terms: FreshnessTerms?
        var definition: QueryDefinition<Entity<any Sendable>>?
        /// As what type the content is to be seen by those who watch the entry alone.
        var readable: Readable?
        /// Those that are not over.
        var requests: [any Request] = []
        var loads = Loads()
        /// Looks in persistent caches.
        var check: CacheCheck?
    }

    init(service: Service, url: URL) {
        self.service = service
        self.url = url
        queryKey = service.queryKey.appending(url.absoluteString)
        wrongAddress = nil
        hub = ObserverHub()
        client.hold(queryKey)
    }

    /// A resource of no address. It fails as others do, and is told apart from them by a number.
    init(service: Service, wrong source: (any URLConvertible)?, _ number: Int) {
        self.service = service
        url = URL(fileURLWithPath: "/")
        queryKey = service.queryKey.appending("").appending(number)
        wrongAddress = RequestError.Cause.InvalidURL(urlSource: source)
        hub = ObserverHub()
        client.hold(queryKey)
    }

    deinit {
        client.release(queryKey)
        // Nobody can ask for it again.
        if wrongAddress != nil { service.client.remove(.path(queryKey)) }
    }

    var client: QueryClient { service.client }

    // MARK: Configuration

    /// How it is asked for with GET.
    public var configuration: Configuration { configuration(for: .get) }

    /// How it is asked for with a method. Made when it is first needed, and anew when the service's configuration changes.
    public func configuration(for method: RequestMethod) -> Configuration {
        configurationAndVersion(for: method).configuration
    }

    func configurationAndVersion(for method: RequestMethod) -> (configuration: Configuration, version: UInt64) {
        guard wrongAddress == nil else { return (Configuration(), 0) }
        let version = service.configurationVersion
        let known = state.withLock { $0.configurationVersion == version ? $0.configurations[method] : nil }
        if let known { return (known, version) }
        let (made, madeOf) = service.makeConfiguration(for: url, method)
        let old = state.withLock { $0.adopt(made, of: madeOf, for: method) }
        _ = old  // let go outside of the lock
        return (made, madeOf)
    }

    // MARK: What is known

    /// What is known of it at this moment.
    var picture: EntryPicture? { client.picture(of: queryKey, as: Entity<any Sendable>.self) }

    /// The newest content, with its headers and the time at which it was known to be right. `nil` before the first.
    public var latestData: Entity<any Sendable>? { picture?.entity }

    /// Why the last load failed. `nil` once there is new data, or the server says that the data is right.
    public var latestError: RequestError? { picture?.requestError }

    /// When the content, or else the error, was last known to be right: seconds since the first of January 2001. 0 before.
    public var timestamp: TimeInterval {
        guard let picture else { return 0 }
        return max(picture.entity?.timestamp ?? 0, picture.requestError?.timestamp ?? 0)
    }

    /// Whether a load is under way that can change it.
    public var isLoading: Bool {
        guard let picture, picture.activity != .idle else { return false }
        return !(state.withLock { $0.loads.current?.isCancelled } ?? false)
    }

    /// Whether any request of it is under way.
    public var isRequesting: Bool { !allRequests.isEmpty }

    /// Whether ``loadIfNeeded()`` has nothing to do: the content is there, was not invalidated, and is younger than
    /// ``Configuration/expirationTime``, or than the server said; or a load failed less than ``Configuration/retryTime`` ago.
    public var isUpToDate: Bool { standing?.isUpToDate ?? false }

    var standing: EntryStanding? {
        let terms = terms
        return client.standing(of: queryKey, freshFor: terms.staleAfter, retryAfter: terms.retryAfter)
    }

    private var terms: FreshnessTerms {
        let version = service.configurationVersion
        let known = state.withLock { $0.configurationVersion == version ? $0.terms : nil }
        if let known { return known }
        let made = FreshnessTerms(configuration)
        state.withLock { state in
            if state.configurationVersion == version { state.terms = made }
        }
        return made
    }

    /// The loads under way, first to last asked. Each can change it, until the answer to a later one has.
    public var loadRequests: [any Request] {
        state.withLock { $0.loads.all }.map(\.request).filter { $0.state != .completed }
    }

    /// All requests of it that are under way, loads included.
    public var allRequests: [any Request] { state.withLock { $0.requests } }

    /// Whether anybody observes it.
    public var isObserved: Bool { hub.hasObservers }
}

extension Resource.State {
    /// Keeps a configuration, unless a newer one is known, and forgets what is of older ones.
    ///
    /// - Returns: What is to be let go outside of the lock.
    fileprivate mutating func adopt(
        _ made: Configuration, of version: UInt64, for method: RequestMethod
    ) -> [any Sendable] {
        guard version >= configurationVersion else { return [] }
        guard version > configurationVersion else {
            return configurations.updateValue(made, forKey: method).map { [$0] } ?? []
        }
        defer { (configurations, configurationVersion, definition, terms) = ([method: made], version, nil, nil) }
        return [configurations] + (definition.map { [$0] } ?? [])
    }
}

extension Resource: TypedContentAccessors {
    /// What is known.
    public var entityForTypedContentAccessors: Entity<any Sendable>? { latestData }
}

extension Resource: Hashable {
    /// Whether both are the same object: the same address of the same service.
    public static func == (one: Resource, other: Resource) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Resource: CustomStringConvertible {
    /// The address, without its query, and what is known.
    public var description: String {
        let name = wrongAddress == nil ? url.nameForLogs : "(no address)"
        let marks = [
            isLoading ? "loading" : nil, latestData != nil ? "data" : nil, latestError != nil ? "error" : nil,
        ].compactMap { $0 }
        return "Resource(\(name))[\(marks.joined(separator: " "))]"
    }
}

extension EntryPicture {
    /// The content, with the time at which it was known to be right.
    var entity: Entity<any Sendable>? {
        guard var entity = (payload as? PayloadOf<Entity<any Sendable>>)?.value else { return nil }
        if let date = date(of: writtenAt) { entity.timestamp = date.timeIntervalSinceReferenceDate }
        return entity
    }

    /// The failure of the last load, with the time at which it failed by the client's clock.
    var requestError: RequestError? {
        guard let failure else { return nil }
        var error = RequestError(failure.error)
        if let date = failedAt.flatMap(date(of:)) { error.timestamp = date.timeIntervalSinceReferenceDate }
        return error
    }
}
