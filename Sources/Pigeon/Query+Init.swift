import CombineShim
public import PigeonCore

extension Query {
    /// Makes a query whose fetcher is a publisher.
    ///
    /// - Parameters:
    ///   - key: Names the data. The cache, consumers and invalidation find it by this.
    ///   - keyAdapter: Makes the key of one request of the base key, as `{ key, id in key.appending(id) }`.
    ///   - behavior: When the first fetch is.
    ///   - pollingBehavior: Whether it fetches again by itself.
    ///   - cache: Where values are kept. By default the client's own cache, or one in memory that belongs to the client; for
    ///     queries that name no client either, ``/PigeonCore/QueryCache/global``. Read when the query is made.
    ///   - cacheConfig: How the cache is used. Read when the query is made.
    ///   - client: The engine. Queries of one client share what they know.
    ///   - retry: When a failed fetch is repeated; by default as the client says, which is never.
    ///   - placeholder: What is shown under a new key meanwhile.
    ///   - fetcher: Brings the value. Called on any thread.
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

    /// Makes a query whose fetcher is an `async` closure.
    ///
    /// As the initial value of a property, in Swift 6 mode, this wants the upcoming feature
    /// `NonisolatedNonsendingByDefault`, which new Xcode projects turn on. Without it, and for calls of an actor, Swift 6.3
    /// says "default argument cannot be both main actor-isolated and nonisolated": make the query in `init` then.
    ///
    /// The parameters are those of the other initialiser.
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

    /// Makes a query whose fetcher is an `async` closure that also looks at its fetch: which attempt it is and why, the
    /// value before, and the validators that ask a server whether it has changed.
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
    /// The parameters are those of the other initialisers.
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
