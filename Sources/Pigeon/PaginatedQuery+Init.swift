import CombineShim
public import PigeonCore

extension PaginatedQuery where Response: RangeReplaceableCollection {
    /// Creates a query of a definition. It observes the definition's list, which is fetched as its options say.
    ///
    /// - Parameters:
    ///   - definition: The key, the pages and the options. Must be a list that is loaded page by page, as
    ///     `QueryDefinition.pages` defines it.
    ///   - client: The client.
    public convenience init(
        _ definition: QueryDefinition<Pages<Response, PageIdentifier>>, client: QueryClient = .shared
    ) where Request == Void {
        self.init(request: (), client: client) { _ in definition }
    }

    /// Creates a query of the definitions that a closure makes from requests. It observes the list of the last request,
    /// which is fetched as its options say.
    ///
    /// - Parameters:
    ///   - request: The first request.
    ///   - client: The client.
    ///   - define: Makes the definition of a request. It must define a list that is loaded page by page.
    public convenience init(
        request: Request, client: QueryClient = .shared,
        defining define: @escaping (Request) -> QueryDefinition<Pages<Response, PageIdentifier>>
    ) {
        self.init(request: request, client: client, part: { $0 }, defining: define)
    }
}

extension PaginatedQuery {
    /// Creates a query of a definition whose pages have their items in a property, for example beside the cursor of the
    /// next page. The query's responses are the items.
    ///
    /// ```swift
    /// let issues = PaginatedQuery(.openIssues, items: \.issues)
    /// print(issues.items.map(\.title))
    /// ```
    ///
    /// - Parameters:
    ///   - definition: The key, the pages and the options. Must be a list that is loaded page by page, as
    ///     `QueryDefinition.pages` defines it.
    ///   - items: The property of a page that has its items.
    ///   - client: The client.
    public convenience init<Page: Sendable, Item: Sendable>(
        _ definition: QueryDefinition<Pages<Page, PageIdentifier>>, items: any KeyPath<Page, [Item]> & Sendable,
        client: QueryClient = .shared
    ) where Request == Void, Response == [Item] {
        self.init(request: (), items: items, client: client) { _ in definition }
    }

    /// Creates a query of the definitions that a closure makes from requests, whose pages have their items in a property.
    /// It observes the list of the last request, which is fetched as its options say.
    ///
    /// - Parameters:
    ///   - request: The first request.
    ///   - items: The property of a page that has its items.
    ///   - client: The client.
    ///   - define: Makes the definition of a request. It must define a list that is loaded page by page.
    public convenience init<Page: Sendable, Item: Sendable>(
        request: Request, items: any KeyPath<Page, [Item]> & Sendable, client: QueryClient = .shared,
        defining define: @escaping (Request) -> QueryDefinition<Pages<Page, PageIdentifier>>
    ) where Response == [Item] {
        self.init(request: request, client: client, part: { $0[keyPath: items] }, defining: define)
    }
}

extension PaginatedQuery where Response: RangeReplaceableCollection {
    /// - Parameter part: Returns the response of a page.
    fileprivate convenience init<Page: Sendable>(
        request: Request, client: QueryClient, part: @escaping @Sendable (Page) -> Response,
        defining define: @escaping (Request) -> QueryDefinition<Pages<Page, PageIdentifier>>
    ) {
        let definition = define(request)
        guard let first = definition.firstPage(as: PageIdentifier.self) else {
            preconditionFailure("\(definition.key) is no list that is loaded page by page: it has no first page")
        }
        self.init(definition.key, first, client, .definitions, part: part, merge: { $0 += $1 }, define)
        observe(request)
    }
}

extension PaginatedQuery where PageIdentifier: PaginatedQueryKey, Response: Codable {
    /// Creates a query whose definitions have the same options for every request.
    fileprivate convenience init(
        _ key: QueryKey, _ firstPage: PageIdentifier, _ keyAdapter: ((QueryKey, Request) -> QueryKey)?,
        _ behavior: FetchingBehavior, _ cache: (any QueryCacheType)?, _ config: QueryCacheConfig, _ client: QueryClient,
        _ retry: RetryPolicy?, _ isLast: @escaping EndRule,
        _ merge: @escaping @Sendable (inout Response, Response) -> Void,
        _ fetchPage: @escaping @Sendable (Request, PageIdentifier) async throws -> Response
    ) {
        let cache = cache ?? client.cacheOfQueries
        let adapt = keyAdapter ?? { key, _ in key }
        self.init(key, firstPage, client, .policy(config), part: { $0 }, merge: merge) { request in
            let definition = QueryDefinition<List>.pages(
                key: adapt(key, request), first: firstPage, request: request
            ) { page, _ in
                try await fetchPage(request, page)
            } next: { response, page in
                isLast(response, page) ? nil : page.nextPage
            }
            .persisted(in: cache).staleAfter(config.invalidationPolicy.staleTime)
            .fetchesOnAttach(false).cacheConfig(config)
            return retry.map { definition.retry($0) } ?? definition
        }
        switch behavior {
        case .startImmediately(let request): refetch(request: request)
        case .startWhenRequested: if let request = () as? Request { hydrate(request) }
        }
    }
}

extension PaginatedQuery
where PageIdentifier: PaginatedQueryKey, Response: Codable & RangeReplaceableCollection {
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

extension PaginatedQuery where PageIdentifier: PaginatedQueryKey, Response: Codable {
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
