public import Foundation
public import PigeonCore

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A set of resources, mostly of one server, and how they are asked for.
///
/// ```swift
/// let api = Service(baseURL: "https://api.example.com")
/// api.configure("**") { $0.headers["Authorization"] = "Bearer \(token)" }
/// api.configure("/users/*", decoding: User.self)
///
/// let user = api.resource("/users/42")
/// user.addObserver(owner: self) { [weak self] user, event in self?.show(user.typedContent()) }
/// user.loadIfNeeded()
/// ```
///
/// Its resources are entries of a ``/PigeonCore/QueryClient``, by ``queryKey``: whatever invalidates, clears or watches entries works
/// with them too. The content goes with the service: keep it for as long as it is used. It may be used from any thread.
open class Service: @unchecked Sendable {  // its properties are immutable and Sendable, its state is under a lock
    /// The address that paths are added to. It ends in a slash. `nil` where only whole addresses are used, or the one that
    /// was given is none.
    public let baseURL: URL?

    /// The client whose entries the resources are.
    public let client: QueryClient

    /// The key below which the client has the resources.
    public let queryKey: QueryKey

    /// Where closures that were written on no actor are called, and where publishers deliver unless told otherwise.
    public let callbacks: CallbackDelivery

    let provider: any NetworkingProvider
    let lane = SourceLane()
    let state: Locked<State>
    /// Increases with each change of the configuration. Set under the lock, read without it.
    let configurationNumber = AtomicNumber()

    struct State {
        var entries: [ConfigurationEntry] = []
        var nextEntryID: UInt64 = 0
        var resources: [String: WeakResource] = [:]
        /// The resources of paths that were asked for before, so that these need not be taken apart again.
        var paths: [String: WeakResource] = [:]
        var pruneAt = 256
        var countLimit = 2048
        var sinceCount = 0
        var memorySubscription: QuerySubscription?
    }

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - baseURL: The address that paths are added to. With one that is none, resources of paths always fail with
    ///     ``RequestError/Cause/InvalidURL``.
    ///   - standardTransformers: What is done with all responses; by default JSON, text and images are parsed.
    ///   - networking: What carries requests: a `URLSessionConfiguration`, a `URLSession`, a `NetworkDispatcher` with its
    ///     policy (retries, tokens that renew themselves), a `MockDispatcher`, or a ``NetworkingProvider`` of one's own.
    ///   - client: The client whose entries the resources are.
    ///   - callbacks: Where closures that were written on no actor are called: hooks of requests, observers. A server that
    ///     has no main run loop says `.immediate` here, once.
    public init(
        baseURL: (any URLConvertible)? = nil, standardTransformers: [StandardTransformer] = [.json, .text, .image],
        networking: any NetworkingProviderConvertible = Service.defaultNetworking,
        client: QueryClient = .shared, callbacks: CallbackDelivery = .main
    ) {
        self.baseURL = baseURL?.url?.canonical.child("")
        self.client = client
        self.callbacks = callbacks
        queryKey = QueryKey("resources", Serial.next())
        provider = networking.siestaNetworkingProvider
        state = Locked(State())
        flushWhenMemoryIsShort()
        guard !standardTransformers.isEmpty else { return }
        configure(description: "standard transformers") {
            for transformer in standardTransformers { $0.pipeline.add(transformer) }
        }
    }

    /// Keeps no cookies, credentials or answers on disk, and no answers in memory: those would outlive a wipe.
    public static var defaultNetworking: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return configuration
    }

    /// The client evicts unused entries by itself. The service also releases resources that are only observed by observers
    /// whose owners are gone.
    private func flushWhenMemoryIsShort() {
        let subscription = client.environment.memoryPressure.onChange { [weak self] isShort in
            if isShort { self?.flush(.memoryPressure) }
        }
        state.withLock { $0.memorySubscription = subscription }
    }

    deinit {
        client.remove(.path(queryKey))
    }

    // MARK: Resources

    /// The resource of a path below the base URL. A slash at its start makes no difference.
    ///
    /// As long as somebody keeps it, one address has one resource.
    public final func resource(_ path: String) -> Resource {
        if let known = state.withLock({ $0.paths[path]?.resource }) { return known }
        let made = resource(absoluteURL: baseURL?.child(path), orWrong: path)
        state.withLock { $0.paths[path] = WeakResource(made) }
        return made
    }

    /// The resource of a path below another base.
    public final func resource(baseURL: (any URLConvertible)?, path: String) -> Resource {
        resource(absoluteURL: baseURL?.url?.child(path), orWrong: path)
    }

    /// The resource of a whole address. One that is none has a resource too, which always fails.
    public final func resource(absoluteURL: (any URLConvertible)?) -> Resource {
        resource(absoluteURL: absoluteURL?.url, orWrong: absoluteURL)
    }

    final func resource(absoluteURL url: URL?, orWrong source: (any URLConvertible)?) -> Resource {
        guard let url = url?.canonical else { return wrongResource(source) }
        let name = url.absoluteString
        if let known = state.withLock({ $0.resources[name]?.resource }) { return known }
        let made = Resource(service: self, url: url)
        let (resource, isCrowded) = state.withLock { state -> (Resource, Bool) in
            if let known = state.resources[name]?.resource { return (known, false) }
            state.resources[name] = WeakResource(made)
            state.sinceCount += 1
            guard state.sinceCount >= max(16, state.countLimit / 8) else { return (made, false) }
            state.sinceCount = 0
            return (made, true)
        }
        prune()
        if isCrowded { limitCount() }
        return resource
    }

    /// Nothing has one resource, and whatever else is no address one of its own.
    private func wrongResource(_ source: (any URLConvertible)?) -> Resource {
        guard source == nil else { return Resource(service: self, wrong: source, Serial.next()) }
        if let known = state.withLock({ $0.resources[""]?.resource }) { return known }
        let made = Resource(service: self, wrong: nil, Serial.next())
        return state.withLock { state in
            if let known = state.resources[""]?.resource { return known }
            state.resources[""] = WeakResource(made)
            return made
        }
    }
}

/// A resource that is not kept.
struct WeakResource: @unchecked Sendable {  // set once; weak loads are atomic
    weak var resource: Resource?
    /// Tells it from one that took its place.
    let id = Serial.next()

    init(_ resource: Resource) {
        self.resource = resource
    }

    var isGone: Bool { resource == nil }
}

/// Tells apart what a process makes.
enum Serial {
    private static let last = Locked(0)

    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
