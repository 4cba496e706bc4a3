import CombineShim
public import PigeonCore

extension PaginatedQuery where Response: RangeReplaceableCollection {
    /// Makes a paginated query whose fetcher is a publisher.
    ///
    /// - Parameters:
    ///   - key: Names the list.
    ///   - firstPage: The page that a refetch begins with.
    ///   - keyAdapter: Makes the key of one request of the base key.
    ///   - behavior: When the first fetch is.
    ///   - cache: Where pages are kept. By default as for ``Query``. Read when the query is made.
    ///   - cacheConfig: How the cache is used. Read when the query is made.
    ///   - client: The engine.
    ///   - retry: When a failed fetch is repeated; by default as the client says, which is never.
    ///   - isLast: Whether a page is the last one. By default one without items is.
    ///   - fetcher: Brings a page. Called on any thread.
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

    /// Makes a paginated query whose fetcher is an `async` closure. The parameters are those of the other initialiser.
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
    /// Makes a paginated query of responses that cannot be appended to each other by themselves.
    ///
    /// `isLast` says whether a page is the last one, and `merge` adds a page to what is there. The other parameters are those
    /// of the other initialisers.
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
