import CombineShim
public import PigeonCore

extension PaginatedQuery where Response: RangeReplaceableCollection {
    /// Creates a paginated query whose fetcher is a publisher.
    ///
    /// - Parameters:
    ///   - key: Identifies the list.
    ///   - firstPage: The first page that a refetch loads.
    ///   - keyAdapter: Makes the key of a request from the base key.
    ///   - behavior: The time of the first fetch.
    ///   - cache: The cache of the pages. The default is the same as for ``Query``. Chosen when the query is created.
    ///   - cacheConfig: Configures the use of the cache. Chosen when the query is created.
    ///   - client: The client that stores the list.
    ///   - retry: The policy by which a failed fetch is retried. By default the client's policy, which is never unless
    ///     you change it.
    ///   - isLast: Returns true if a page is the last one. By default, a page without items is the last one.
    ///   - fetcher: Loads a page. Called on any thread.
    public convenience init(
        key: QueryKey, firstPage: PageIdentifier, keyAdapter: ((QueryKey, Request) -> QueryKey)? = nil,
        behavior: FetchingBehavior = .startWhenRequested, cache: (any QueryCacheType)? = nil,
        cacheConfig: QueryCacheConfig = .global, client: QueryClient = .shared, retry: RetryPolicy? = nil,
        isLast: @escaping EndRule = { page, _ in page.isEmpty }, fetcher: @escaping QueryFetcher
    ) {
        self.init(
            key, firstPage, keyAdapter, behavior, cache, cacheConfig, client, retry, isLast, { $0 += $1 }
        ) { request, page in
            try await fetcher(request, page).last().orThrow(QueryError.noValue(key: key))
        }
    }

    /// Creates a paginated query whose fetcher is an `async` closure. The parameters are the same as those of the other
    /// initializer.
    public convenience init(
        key: QueryKey, firstPage: PageIdentifier, keyAdapter: ((QueryKey, Request) -> QueryKey)? = nil,
        behavior: FetchingBehavior = .startWhenRequested, cache: (any QueryCacheType)? = nil,
        cacheConfig: QueryCacheConfig = .global, client: QueryClient = .shared, retry: RetryPolicy? = nil,
        isLast: @escaping EndRule = { page, _ in page.isEmpty },
        fetcher: @escaping @Sendable (Request, PageIdentifier) async throws -> Response
    ) {
        self.init(
            key, firstPage, keyAdapter, behavior, cache, cacheConfig, client, retry, isLast, { $0 += $1 }, fetcher)
    }
}

extension PaginatedQuery {
    /// Creates a paginated query whose responses need a custom function to be joined.
    ///
    /// `isLast` returns true if a page is the last one, and `merge` appends a page to the previous pages. The other
    /// parameters are the same as those of the other initializers.
    public convenience init(
        key: QueryKey, firstPage: PageIdentifier, keyAdapter: ((QueryKey, Request) -> QueryKey)? = nil,
        behavior: FetchingBehavior = .startWhenRequested, cache: (any QueryCacheType)? = nil,
        cacheConfig: QueryCacheConfig = .global, client: QueryClient = .shared, retry: RetryPolicy? = nil,
        isLast: @escaping EndRule, merge: @escaping @Sendable (inout Response, Response) -> Void,
        fetcher: @escaping QueryFetcher
    ) {
        self.init(
            key, firstPage, keyAdapter, behavior, cache, cacheConfig, client, retry, isLast, merge
        ) { request, page in
            try await fetcher(request, page).last().orThrow(QueryError.noValue(key: key))
        }
    }
}
