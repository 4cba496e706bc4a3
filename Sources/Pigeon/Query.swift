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
/// Queries with the same key share one entry, with one fetch and one value. Each has its own last request. State
/// changes arrive on the main actor, whatever the fetcher's thread. Observe them with `ObservableObject`,
/// ``statePublisher``, ``valuePublisher``, `states`, or the Observation framework.
///
/// When a query is released, its polling ends. A fetch in flight continues and its value is cached, unless the client's
/// options are ``/PigeonCore/AbandonPolicy/cancel`` and the key has no other observer.
@MainActor
public final class Query<Request: Sendable, Response: Codable & Sendable>: nonisolated ObservableObject, QueryType {
    /// The time of the first fetch.
    public enum FetchingBehavior {
        /// Fetches when ``Query/refetch(request:)`` is called.
        case startWhenRequested
        /// Fetches when the query is created.
        case startImmediately(Request)
    }

    /// The interval at which a query refetches.
    public enum PollingBehavior: Sendable, Hashable {
        /// Never refetches on its own.
        case noPolling
        /// Refetches this many seconds after the newest fetch, while the key has observers. A tick never overlaps a
        /// fetch in flight, and polling continues after a failure. NaN, zero and negative numbers do not poll, and are
        /// reported.
        case pollEvery(TimeInterval)
    }

    /// The value that a query shows for a new key until that key has a value.
    public enum Placeholder: Sendable, Hashable {
        /// Shows no value.
        case none
        /// Shows the value of the previous key. The snapshot marks it as a placeholder.
        case previousValue
    }

    /// The type of the state.
    public typealias State = QueryState<Response>

    /// A fetcher that is a publisher. The query shows each of its values.
    public typealias QueryFetcher = @Sendable (Request) -> AnyPublisher<Response, any Error>

    /// Sends a value before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    /// The base key, from which the adapter makes the keys of requests.
    public let key: QueryKey

    /// The request of the last call of ``refetch(request:)``. `nil` before the first call.
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

    /// The current state. See ``QueryState``. `$state` is the same publisher as ``statePublisher``.
    @PublishedProperty public var state: State

    /// The current snapshot: the last value, the error, the activity and the times, whatever the usage policy shows.
    public var snapshot: Snapshot<Response> {
        model.access()
        return model.snapshot
    }

    /// The last value, also during a refetch and after a failure.
    public var value: Response? { snapshot.value }

    /// Publishes the current state, then every change, on the main actor. Completes when the query is released.
    public var statePublisher: AnyPublisher<State, Never> { $state }

    /// Publishes the value of the current state, if it has one, and then every new value, on the main actor. Sends
    /// nothing for a load whose value equals the previous one.
    public var valuePublisher: AnyPublisher<Response, Never> {
        model.values
    }

    // MARK: Fetching

    /// Fetches with a request, or shows the cached value, according to the usage policy.
    ///
    /// The newest request wins: the response to an older one is ignored. The same request joins a first load that is in
    /// flight.
    public func refetch(request: Request) {
        refetch(request: request, .requested)
    }

    /// Refetches with the last request, even if a fresh value is cached, and waits until the fetch has succeeded or
    /// failed. Suits pull to refresh.
    ///
    /// Before the first request, fetches if the request is `Void`, and otherwise does nothing.
    public func refresh() async {
        if lastRequest != nil { return await model.refetch() }
        guard let request = () as? Request else { return }
        refetch(request: request)
        await model.settle()
    }

    /// Cancels the fetch in flight, and restores the state from before it.
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

    /// Shows the cached value before the first request, if its key is known.
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
    /// Returns how a new fetch treats one in flight: it replaces a fetch with another request, and joins a first load
    /// with the same request, whichever query started it.
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
    func fetchesOnAttach(_ fetches: Bool) -> Self { options { $0.fetchesOnAttach = fetches } }
    func cacheConfig(_ config: QueryCacheConfig) -> Self { options { $0.cacheConfig = config } }
}
