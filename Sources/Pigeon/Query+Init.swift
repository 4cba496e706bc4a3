import CombineShim
public import PigeonCore

extension Query {
    /// Creates a query of a definition. It observes the definition's entry, which is fetched as its options say.
    ///
    /// - Parameters:
    ///   - definition: The key, the fetcher and the options.
    ///   - client: The client.
    public convenience init(_ definition: QueryDefinition<Response>, client: QueryClient = .shared)
    where Request == Void {
        self.init(definition.key, client, .definitions) { _ in definition }
        observe(())
    }

    /// Creates a query of the definitions that a closure makes from requests. It observes the entry of the last
    /// request, which is fetched as its options say.
    ///
    /// - Parameters:
    ///   - request: The first request. `nil` for none yet: the query is idle until ``refetch(request:)`` is called.
    ///   - client: The client.
    ///   - define: Makes the definition of a request.
    public convenience init(
        request: Request? = nil, client: QueryClient = .shared,
        defining define: @escaping (Request) -> QueryDefinition<Response>
    ) {
        self.init(request.map { define($0).key } ?? .ofNothing, client, .definitions, define)
        if let request { observe(request) }
    }

    /// Creates a query whose definition is made from the value of another query.
    ///
    /// ```swift
    /// let parcel = Query(.parcel(7))
    /// let depot = Query(following: parcel) { .depot($0.depotID) }
    /// ```
    ///
    /// While the other query has no value, or only a placeholder, this one is idle and fetches nothing. When a new value
    /// leads to a definition with another key, this query moves to it, as a query with a new request does. A new value
    /// that leads to the same key fetches nothing. A failure of the other query is that query's own, and its last value
    /// still counts. The new query retains the other one, and uses its client.
    ///
    /// - Parameters:
    ///   - other: The query whose value names the data of this one.
    ///   - define: Makes the definition, or returns `.nothing` if the value names no data. Called on the main actor, once
    ///     or more for each value.
    public convenience init<OtherRequest, Other>(
        following other: Query<OtherRequest, Other>, defining define: @escaping (Other) -> QueryDefinition<Response>
    ) where Request == Void {
        self.init(.ofNothing, other.model.client, .definitions) { _ in
            let snapshot = other.model.snapshot
            guard let value = snapshot.value, !snapshot.isPlaceholder else { return .nothing }
            return define(value)
        }
        observe((), following: other.model.publisher { () -> Void? in () })
    }
}

extension Query where Response: Codable {
    /// Creates a query whose definitions have the same options for every request.
    private convenience init(
        _ key: QueryKey, _ keyAdapter: ((QueryKey, Request) -> QueryKey)?, _ behavior: FetchingBehavior,
        _ polling: PollingBehavior, _ cache: (any QueryCacheType)?, _ config: QueryCacheConfig, _ client: QueryClient,
        _ retry: RetryPolicy?, _ placeholder: Placeholder, _ makeFetcher: @escaping (Request) -> AnyFetcher
    ) {
        let cache = cache ?? client.cacheOfQueries
        let interval = Self.interval(of: polling, key, client)
        let adapt = keyAdapter ?? { key, _ in key }
        func define(_ request: Request) -> QueryDefinition<Response> {
            var definition = QueryDefinition<Response>(key: adapt(key, request), fetcher: makeFetcher(request))
                .persisted(in: cache)
                .staleAfter(config.invalidationPolicy.staleTime)
                .fetchesOnAttach(false)
                .cacheConfig(config)
            if let interval { definition = definition.poll(every: interval) }
            if let retry { definition = definition.retry(retry) }
            if placeholder == .previousValue { definition = definition.placeholder { $0 } }
            return definition
        }
        self.init(key, client, .policy(config), define)
        switch behavior {
        case .startImmediately(let request): refetch(request: request)
        case .startWhenRequested:
            // Shows the cached value before the first request, if its key is known.
            if let request = () as? Request {
                hydrate(define(request))
            } else if keyAdapter == nil {
                hydrate(.value(key).persisted(in: cache).cacheConfig(config))
            }
        }
    }

    private static func interval(of polling: PollingBehavior, _ key: QueryKey, _ client: QueryClient) -> Duration? {
        guard case .pollEvery(let seconds) = polling else { return nil }
        guard let interval = Duration(untrustedSeconds: seconds), interval > .zero else {
            client.reportMisuse("polls every \(seconds) seconds, which is no interval: it does not poll", key: key)
            return nil
        }
        return interval
    }

    /// Creates a query whose fetcher is a publisher.
    ///
    /// - Parameters:
    ///   - key: Identifies the data in the cache, for consumers and for invalidation.
    ///   - keyAdapter: Makes the key of a request from the base key, for example `{ key, id in key.appending(id) }`.
    ///   - behavior: The time of the first fetch.
    ///   - pollingBehavior: The polling behavior.
    ///   - cache: The cache of the values. By default the client's cache, or one in memory that belongs to the client.
    ///     For queries of the shared client, ``/PigeonCore/QueryCache/global``. Chosen when the query is created.
    ///   - cacheConfig: Configures the use of the cache. Chosen when the query is created.
    ///   - client: The client. Queries of one client share their data.
    ///   - retry: The policy by which a failed fetch is retried. By default the client's policy, which is never unless
    ///     you change it.
    ///   - placeholder: The value to show while a new key has none.
    ///   - fetcher: Loads the value. Called on any thread.
    public convenience init(
        key: QueryKey, keyAdapter: ((QueryKey, Request) -> QueryKey)? = nil,
        behavior: FetchingBehavior = .startWhenRequested, pollingBehavior: PollingBehavior = .noPolling,
        cache: (any QueryCacheType)? = nil, cacheConfig: QueryCacheConfig = .global,
        client: QueryClient = .shared, retry: RetryPolicy? = nil, placeholder: Placeholder = .none,
        fetcher: @escaping QueryFetcher
    ) {
        self.init(
            key, keyAdapter, behavior, pollingBehavior, cache, cacheConfig, client, retry, placeholder
        ) { request in
            AnyFetcher.publisher(request: request) { fetcher(request) }
        }
    }

    /// Creates a query whose fetcher is an `async` closure.
    ///
    /// As the initial value of a property in Swift 6 mode, this initializer requires the upcoming feature
    /// `NonisolatedNonsendingByDefault`, which new Xcode projects turn on. Without it, and if the closure calls an
    /// actor, Swift 6.3 reports "default argument cannot be both main actor-isolated and nonisolated". In that case,
    /// create the query in `init`.
    ///
    /// The parameters are the same as those of the other initializer.
    public convenience init(
        key: QueryKey, keyAdapter: ((QueryKey, Request) -> QueryKey)? = nil,
        behavior: FetchingBehavior = .startWhenRequested, pollingBehavior: PollingBehavior = .noPolling,
        cache: (any QueryCacheType)? = nil, cacheConfig: QueryCacheConfig = .global,
        client: QueryClient = .shared, retry: RetryPolicy? = nil, placeholder: Placeholder = .none,
        fetcher: @escaping @Sendable (Request) async throws -> Response
    ) {
        self.init(
            key, keyAdapter, behavior, pollingBehavior, cache, cacheConfig, client, retry, placeholder
        ) { request in
            .closure(request: request) { _ in try await fetcher(request) }
        }
    }

    /// Creates a query whose fetcher is an `async` closure that also receives the context of its fetch: the attempt,
    /// the cause, the previous value, and the validators with which to ask the server whether the value has changed.
    ///
    /// ```swift
    /// let user = Query<Int, User>(key: "user") { id, context in
    ///     guard let user = try await api.user(id, unless: context.validators.eTag).user else {
    ///         return try context.notModified()
    ///     }
    ///     return user
    /// }
    /// ```
    ///
    /// The parameters are the same as those of the other initializers.
    public convenience init(
        key: QueryKey, keyAdapter: ((QueryKey, Request) -> QueryKey)? = nil,
        behavior: FetchingBehavior = .startWhenRequested, pollingBehavior: PollingBehavior = .noPolling,
        cache: (any QueryCacheType)? = nil, cacheConfig: QueryCacheConfig = .global,
        client: QueryClient = .shared, retry: RetryPolicy? = nil, placeholder: Placeholder = .none,
        fetcher: @escaping @Sendable (Request, FetchContext<Response>) async throws -> Response
    ) {
        self.init(
            key, keyAdapter, behavior, pollingBehavior, cache, cacheConfig, client, retry, placeholder
        ) { request in
            .closure(request: request) { try await fetcher(request, $0) }
        }
    }
}

extension AnyFetcher {
    static func publisher<Value: Sendable>(
        request: any Sendable, _ make: @escaping @Sendable () -> AnyPublisher<Value, any Error>
    ) -> AnyFetcher {
        AnyFetcher(request: request) { run in
            let context = FetchContext<Value>(run: run)
            return switch await PublisherRun<Value>(show: { context.yield($0) }).end(of: make()) {
            case .value(let value): .value(PayloadOf(value))
            case .finished: .finished
            case .failure(let error): .failure(error)
            }
        }
    }
}
