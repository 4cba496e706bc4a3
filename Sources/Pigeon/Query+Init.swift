import CombineShim
public import PigeonCore

extension Query {
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
    /// Creates a fetcher that runs a publisher.
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
