public import Foundation
public import PigeonCore

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A set of resources, usually of one server, with their configuration.
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
/// The resources are entries of a ``/PigeonCore/QueryClient``, below ``queryKey``, so functions that invalidate, clear
/// or observe entries work with them too. The content is removed when the service is released, so retain the service
/// for as long as you use its resources. A service can be used from any thread.
open class Service: @unchecked Sendable {  // its properties are immutable and Sendable, its state is under a lock
    /// The URL to which paths are appended. It ends with a slash. `nil` if the service is used only with absolute URLs,
    /// or if the given base URL is not valid.
    public let baseURL: URL?

    /// The client that stores the resources as entries.
    public let client: QueryClient

    /// The key below which the client stores the resources.
    public let queryKey: QueryKey

    /// The place where closures without an actor are called, and where publishers deliver by default.
    public let callbacks: CallbackDelivery

    let provider: any NetworkingProvider
    let queue = JobQueue()
    let state: Locked<State>
    /// Increases with each change of the configuration. Set under the lock, read without it.
    let configurationNumber = AtomicNumber()

    struct State {
        var entries: [ConfigurationEntry] = []
        var nextEntryID: UInt64 = 0
        var resources: [String: WeakResource] = [:]
        /// The resources of paths that were requested before, so that the paths need not be parsed again.
        var paths: [String: WeakResource] = [:]
        var pruneAt = 256
        var countLimit = 2048
        var sinceCount = 0
        /// The contents that typed queries show, by URL.
        var typedContents = TypedContents()
        var memorySubscription: QuerySubscription?
        var isReady = false
        /// Lets recorded requests be sent after a while.
        var offer: AlarmHandle?
    }

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - baseURL: The URL to which paths are appended. If it is not valid, resources of paths always fail with
    ///     ``RequestError/Cause/InvalidURL``.
    ///   - standardTransformers: The transformers of all responses. By default, JSON, text and images are parsed.
    ///   - networking: The networking that sends requests: a `URLSessionConfiguration`, a `URLSession`, a
    ///     `NetworkDispatcher` with its policy (retries, renewal of tokens), a `MockDispatcher`, or a custom
    ///     ``NetworkingProvider``.
    ///   - client: The client that stores the resources as entries.
    ///   - callbacks: The place where closures without an actor are called, such as hooks of requests and observers.
    ///     Pass `.immediate` in a server, which has no main run loop.
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
        offerToOutbox()
        guard !standardTransformers.isEmpty else { return }
        configure(description: "standard transformers") {
            for transformer in standardTransformers { $0.pipeline.add(transformer) }
        }
    }

    /// The default networking. It stores no cookies, credentials or responses on disk, and no responses in memory,
    /// because a wipe would not remove them.
    public static var defaultNetworking: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return configuration
    }

    /// The client evicts unused entries by itself. The service also releases resources that are only observed by
    /// observers whose owners have been released.
    private func flushWhenMemoryIsShort() {
        let subscription = client.environment.memoryPressure.onChange { [weak self] isShort in
            if isShort { self?.flush(.memoryPressure) }
        }
        state.withLock { $0.memorySubscription = subscription }
    }

    deinit {
        state.withLock { $0.offer }?.cancel()
        client.remove(.path(queryKey))
    }

    // MARK: Resources

    /// Returns the resource of a path below the base URL. A slash at the start of the path makes no difference.
    ///
    /// While the resource of a URL is retained, calls for that URL return the same object.
    public final func resource(_ path: String) -> Resource {
        if let known = state.withLock({ $0.paths[path]?.resource }) { return known }
        let made = resource(absoluteURL: baseURL?.child(path), orWrong: path)
        state.withLock { $0.paths[path] = WeakResource(made) }
        return made
    }

    /// Returns the resource of a path below another base URL.
    public final func resource(baseURL: (any URLConvertible)?, path: String) -> Resource {
        resource(absoluteURL: baseURL?.url?.child(path), orWrong: path)
    }

    /// Returns the resource of an absolute URL. For an invalid URL, returns a resource that always fails.
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

    /// Returns the resource of an invalid URL. All calls with `nil` share one resource. Each call with another invalid
    /// value creates a new one.
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

struct WeakResource: @unchecked Sendable {  // set once; weak loads are atomic
    weak var resource: Resource?
    /// Distinguishes the reference from one that has replaced it.
    let id = Serial.next()

    init(_ resource: Resource) {
        self.resource = resource
    }

    var isGone: Bool { resource == nil }
}

/// Creates numbers that are unique within the process.
enum Serial {
    private static let last = AtomicNumber()

    static func next() -> UInt64 { last.increment() }
}
