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
/// api.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) as User }
///
/// let user = api.resource("/users/42")
/// user.addObserver(owner: self) { resource, event in show(resource.typedContent() as User?) }
/// user.loadIfNeeded()
/// ```
///
/// Its resources are entries of a ``QueryClient``, by ``queryKey``: whatever invalidates, clears or watches entries works
/// with them too. The content goes with the service: keep it for as long as it is used. It may be used from any thread.
open class Service: @unchecked Sendable {  // its properties are immutable and Sendable, its state is under a lock
    /// The address that paths are added to. It ends in a slash. `nil` where only whole addresses are used, or the one that
    /// was given is none.
    public let baseURL: URL?

    /// The client whose entries the resources are.
    public let client: QueryClient

    /// The key below which the client has the resources.
    public let queryKey: QueryKey

    let provider: any NetworkingProvider
    let lane = SourceLane()
    let state: Locked<State>

    struct State {
        var entries: [ConfigurationEntry] = []
        /// Grows with whatever configurations depend on.
        var configurationVersion: UInt64 = 0
        var nextEntryID: UInt64 = 0
        var resources: [String: WeakResource] = [:]
        /// The resources of paths that were asked for before, so that these need not be taken apart again.
        var paths: [String: WeakResource] = [:]
        var pruneAt = 256
        var countLimit = 2048
        var sinceCount = 0
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
    public init(
        baseURL: (any URLConvertible)? = nil, standardTransformers: [StandardTransformer] = [.json, .text, .image],
        networking: any NetworkingProviderConvertible = URLSessionConfiguration.ephemeral,
        client: QueryClient = .shared
    ) {
        self.baseURL = baseURL?.url?.canonical.child("")
        self.client = client
        queryKey = QueryKey("resources", ServiceNumber.next())
        provider = networking.siestaNetworkingProvider
        state = Locked(State())
        guard !standardTransformers.isEmpty else { return }
        configure(description: "standard transformers") {
            for transformer in standardTransformers { $0.pipeline.add(transformer) }
        }
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
        guard let url = url?.canonical else { return Resource(service: self, wrong: source) }
        let name = url.absoluteString
        if let known = state.withLock({ $0.resources[name]?.resource }) { return known }
        let made = Resource(service: self, url: url)
        let (resource, isCrowded) = state.withLock { state -> (Resource, Bool) in
            if let known = state.resources[name]?.resource { return (known, false) }
            state.resources[name] = WeakResource(made)
            state.prune()
            state.sinceCount += 1
            guard state.sinceCount >= max(16, state.countLimit / 8) else { return (made, false) }
            state.sinceCount = 0
            return (made, true)
        }
        if isCrowded { limitCount() }
        return resource
    }

    // MARK: Memory

    /// How many resources' content is kept at most. What nobody uses is let go above it, least recently used first.
    public final var cachedResourceCountLimit: Int {
        get { state.withLock { $0.countLimit } }
        set {
            state.withLock { $0.countLimit = max(0, newValue) }
            limitCount()
        }
    }

    private func limitCount() {
        client.dropUnused(within: queryKey, downTo: cachedResourceCountLimit, keeping: keysInUse)
    }

    /// Lets go of the content of all resources that nobody keeps or observes.
    public final func flushUnusedResources() {
        client.dropUnused(within: queryKey, downTo: 0, keeping: keysInUse)
    }

    private var keysInUse: Set<QueryKey> { Set(liveResources.map(\.queryKey)) }

    /// The resources that somebody keeps.
    final var liveResources: [Resource] {
        state.withLock { $0.resources.values.compactMap(\.resource) }
    }

    /// Loads what is observed and not up to date: for an app that comes back to the foreground.
    public final func reloadAllResourcesIfNeeded() {
        for resource in liveResources where resource.isObserved { resource.loadIfNeeded() }
    }
}

extension Service.State {
    /// Forgets resources that are gone, each time twice as many were made as were left before.
    mutating func prune() {
        guard resources.count + paths.count > pruneAt else { return }
        resources = resources.filter { $0.value.resource != nil }
        paths = paths.filter { $0.value.resource != nil }
        pruneAt = max(256, 2 * (resources.count + paths.count))
    }
}

/// A resource that is not kept.
struct WeakResource: @unchecked Sendable {  // set once; weak loads are atomic
    weak var resource: Resource?

    init(_ resource: Resource) {
        self.resource = resource
    }
}

/// Tells the services of a process apart.
private enum ServiceNumber {
    private static let last = Locked(0)

    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
