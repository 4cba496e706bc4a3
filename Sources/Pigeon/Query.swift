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
/// All queries with one key share an entry, and so its fetch and its value. Each query has its own last request. State
/// changes arrive on the main actor, whatever thread the fetcher ends on. Observe them with `ObservableObject`,
/// ``statePublisher``, ``valuePublisher``, `states`, or the Observation framework.
///
/// When a query is released, its polling ends. A running fetch continues and its answer is cached, unless the client's
/// options are set to ``/PigeonCore/AbandonPolicy/cancel`` and the key has no other observers.
@MainActor
public final class Query<Request: Sendable, Response: Codable & Sendable>: nonisolated ObservableObject, QueryType {
    /// The time at which a query fetches for the first time.
    public enum FetchingBehavior {
        /// The query fetches when ``Query/refetch(request:)`` is called.
        case startWhenRequested
        /// The query fetches when it is created.
        case startImmediately(Request)
    }

    /// The polling behavior of a query.
    public enum PollingBehavior: Sendable, Hashable {
        /// The query does not poll.
        case noPolling
        /// The query refetches at an interval in seconds, counted from the newest fetch, while its key is observed.
        /// Polls never overlap a running fetch, and a failure does not end polling. With NaN, zero or a negative
        /// number, the query does not poll, and reports the misuse.
        case pollEvery(TimeInterval)
    }

    /// The value that a query shows for a new key until that key has a value.
    public enum Placeholder: Sendable, Hashable {
        /// The query shows no value.
        case none
        /// The query shows the value of the previous key. The snapshot's `isPlaceholder` is true.
        case previousValue
    }

    /// The type of the state.
    public typealias State = QueryState<Response>

    /// Loads a value with a publisher. If the publisher emits several values, the query shows each.
    public typealias QueryFetcher = @Sendable (Request) -> AnyPublisher<Response, any Error>

    /// Sends a value before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    /// The key that was passed to the initializer, from which the adapter makes other keys.
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

    /// The current snapshot: the last value, the error, the activity and the times, regardless of the usage policy.
    public var snapshot: Snapshot<Response> {
        model.access()
        return model.snapshot
    }

    /// The last value, also during a refetch and after a failed fetch. `nil` if there is none.
    public var value: Response? { snapshot.value }

    /// Publishes the current state, and then every change, on the main actor. Finishes when the query is released.
    public var statePublisher: AnyPublisher<State, Never> { $state }

    /// Publishes the value of the current state, if it has one, and then every new value, on the main actor. Does not
    /// publish a loaded value that equals the previous one.
    public var valuePublisher: AnyPublisher<Response, Never> {
        model.valuePublisher { [weak self] in self?.model.snapshot.value }
    }

    // MARK: Fetching

    /// Fetches with a request. Depending on the usage policy, shows the cached value instead.
    ///
    /// The newest request wins: the answer to an older request never lands. A repeated request during the first load
    /// joins that load.
    public func refetch(request: Request) {
        refetch(request: request, .requested)
    }

    /// Refetches with the last request, whatever is cached, and waits until the fetch has succeeded or failed. Use it
    /// for pull to refresh.
    ///
    /// Before the first request, makes the first request if its type is `Void`, and otherwise does nothing.
    public func refresh() async {
        if lastRequest != nil { return await model.refetch() }
        guard let request = () as? Request else { return }
        refetch(request: request)
        await model.settle()
    }

    /// Cancels the running fetch. The state returns to the one before the fetch.
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
    /// Returns how a fetch of a key treats a running one. It replaces a fetch with another request, and joins a first
    /// load with the same request.
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
