public import CombineShim
public import Foundation
public import Observation
public import PigeonCore

/// A piece of server data, its fetcher, and its state.
///
/// ```swift
/// let users = Query<Void, [User]>(key: "users", behavior: .startImmediately(())) { try await api.users() }
/// print(users.state)          // readable on the main actor, at once
/// print(users.snapshot)       // all that is known: last value, error, times
/// ```
///
/// Queries with one key share one entry: one fetch, one value, whoever made them and in whatever order. Each keeps its own
/// last request. State changes arrive on the main actor, whatever thread the fetcher ends on; they can be observed by
/// `ObservableObject`, ``statePublisher``, ``valuePublisher``, `states`, or the Observation framework.
///
/// A query is freed when its owner lets it go, and its polling ends with it. A fetch that runs then goes on and is cached,
/// unless the client's options say ``/PigeonCore/AbandonPolicy/cancel`` and nobody else watches the key.
@MainActor
public final class Query<Request: Sendable, Response: Codable & Sendable>: nonisolated ObservableObject, QueryType {
    /// When a query fetches for the first time.
    public enum FetchingBehavior {
        /// When ``Query/refetch(request:)`` is called.
        case startWhenRequested
        /// When the query is made.
        case startImmediately(Request)
    }

    /// Whether a query fetches again by itself.
    public enum PollingBehavior: Sendable, Hashable {
        /// It does not.
        case noPolling
        /// Every so many seconds, counted from the newest fetch, while anyone watches. A tick never overlaps a running
        /// fetch, and a failure does not end it. NaN, zero and negative numbers do not poll, and are reported.
        case pollEvery(TimeInterval)
    }

    /// What a query shows under a new key until that has something of its own.
    public enum Placeholder: Sendable, Hashable {
        /// Nothing.
        case none
        /// What it showed under the key before. Its snapshot says that it is a placeholder.
        case previousValue
    }

    /// The state's type.
    public typealias State = QueryState<Response>

    /// What brings a value, as a publisher. One that emits several values shows each.
    public typealias QueryFetcher = @Sendable (Request) -> AnyPublisher<Response, any Error>

    /// Sends before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    /// The key as given: the root of the keys that the adapter makes of it.
    public let key: QueryKey

    /// The request of the last ``refetch(request:)``. `nil` before the first.
    public private(set) var lastRequest: Request?

    private let keyAdapter: (QueryKey, Request) -> QueryKey
    private let hasAdapter: Bool
    private let cache: any QueryCacheType
    private let config: QueryCacheConfig
    private let pollingInterval: Duration?
    private let placeholder: Placeholder
    private let retry: RetryPolicy?
    private let makeFetcher: (Request) -> AnyFetcher
    private let model: QueryModel<Response>
    private lazy var invalidations = KeyInvalidations<Request>(of: key, client: client) { [weak self] request, cause in
        self?.refetch(request: request, cause)
    }
    private let client: QueryClient

    init(
        _ key: QueryKey, _ keyAdapter: ((QueryKey, Request) -> QueryKey)?, _ behavior: FetchingBehavior,
        _ polling: PollingBehavior, _ cache: (any QueryCacheType)?, _ config: QueryCacheConfig, _ client: QueryClient,
        _ retry: RetryPolicy?, _ placeholder: Placeholder, _ makeFetcher: @escaping (Request) -> AnyFetcher
    ) {
        self.key = key
        self.keyAdapter = keyAdapter ?? { key, _ in key }
        hasAdapter = keyAdapter != nil
        self.cache = cache ?? client.cacheOfQueries
        self.config = config
        self.client = client
        self.retry = retry
        self.placeholder = placeholder
        self.makeFetcher = makeFetcher
        pollingInterval = Self.interval(of: polling, key, client)
        model = QueryModel(key: key, client: client, config: config, objectWillChange: objectWillChange)
        _state = PublishedProperty(stateOf: model)
        invalidations.listen(to: key)
        switch behavior {
        case .startImmediately(let request): refetch(request: request)
        case .startWhenRequested: hydrate()
        }
    }

    // MARK: State

    /// The present state. See ``QueryState``. `$state` is the same publisher as ``statePublisher``.
    @PublishedProperty public var state: State

    /// All that is known at this moment: the last value, the error, the activity and the times, whatever the policy shows.
    public var snapshot: Snapshot<Response> {
        model.access()
        return model.snapshot
    }

    /// The last value, also while it is refetched and after a fetch failed.
    public var value: Response? { snapshot.value }

    /// The present state, then every change, on the main actor. Finishes when the query is let go.
    public var statePublisher: AnyPublisher<State, Never> { $state }

    /// The value of the present state, if it shows one, then every new one, on the main actor. A value that comes again
    /// after a load, equal to the one before, is not new.
    public var valuePublisher: AnyPublisher<Response, Never> {
        model.values
    }

    // MARK: Fetching

    /// Fetches with a request, or shows what is cached, as the usage policy says.
    ///
    /// The newest request wins: the answer to an older one never lands. Asking again for what is being loaded for the
    /// first time joins that load.
    public func refetch(request: Request) {
        refetch(request: request, .requested)
    }

    /// Fetches again with the last request, whatever is cached, and waits until that has ended, well or not: what pulling to
    /// refresh does.
    ///
    /// Before the first request, asks for the first time if the request is `Void`, and else does nothing.
    public func refresh() async {
        if lastRequest != nil { return await model.refetch() }
        guard let request = () as? Request else { return }
        refetch(request: request)
        await model.settle()
    }

    /// Cancels the running fetch. The state is what it was before.
    public func cancel() {
        client.cancel(.key(model.snapshot.key))
        model.refresh()
    }

    private func refetch(request: Request, _ cause: Cause) {
        lastRequest = request
        let definition = definition(for: request)
        invalidations.listen(to: definition.key)
        model.ask(definition, with: request, cause)
    }

    private func definition(for request: Request) -> QueryDefinition<Response> {
        var definition = QueryDefinition<Response>(key: keyAdapter(key, request), fetcher: makeFetcher(request))
            .persisted(in: cache)
            .staleAfter(config.invalidationPolicy.staleTime)
            .fetchesOnAttach(false)
            .cacheConfig(config)
        if let pollingInterval { definition = definition.poll(every: pollingInterval) }
        if let retry { definition = definition.retry(retry) }
        if placeholder == .previousValue { definition = definition.placeholder { $0 } }
        return definition
    }

    /// Shows what is cached before the first request, when its key is known.
    private func hydrate() {
        if let request = () as? Request {
            return model.observe(definition(for: request).enabled(false))
        }
        guard !hasAdapter else { return }
        model.observe(QueryDefinition<Response>.value(at: key).persisted(in: cache).cacheConfig(config).enabled(false))
    }

    private static func interval(of polling: PollingBehavior, _ key: QueryKey, _ client: QueryClient) -> Duration? {
        guard case .pollEvery(let seconds) = polling else { return nil }
        guard let interval = Duration(untrustedSeconds: seconds), interval > .zero else {
            client.reportMisuse("polls every \(seconds) seconds, which is no interval: it does not poll", key: key)
            return nil
        }
        return interval
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Query: nonisolated Observable {}

extension Query: nonisolated QueryInvalidationListener {}

extension QueryClient {
    /// How a fetch for a key treats one that runs: what was asked with another request is replaced, and a first load of
    /// the same is joined, whoever asked for it.
    func mode<Request: Sendable>(ofFetching key: QueryKey, with request: Request) -> FetchMode {
        guard let running = requestBeingFetched(for: key) as? Request else { return .replace }
        if Request.self == Void.self { return .restart }
        guard let request = request as? any Equatable else { return .replace }
        return request.isEqual(to: running) ? .restart : .replace
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}

extension QueryDefinition {
    func fetchesOnAttach(_ fetches: Bool) -> Self { setting { $0.fetchesOnAttach = fetches } }
    func cacheConfig(_ config: QueryCacheConfig) -> Self { setting { $0.cacheConfig = config } }
}
