public import CombineShim
public import Observation
public import PigeonCore

/// A list that is fetched page by page.
///
/// ```swift
/// let posts = PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>(
///     key: "posts", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(())
/// ) { _, page in try await api.posts(page: page.current) }
/// print(posts.items)
/// posts.fetchNextPage()
/// ```
///
/// Pages are loaded in order, one at a time. While the next page loads, ``state`` stays `succeed` with the existing
/// pages. If the load fails, ``nextPageError`` has the error, and the next call requests the same page again. A refetch
/// starts again at the first page, and pages of the old list never appear in the new one. The list is cached page by
/// page, and is available after a restart.
@MainActor
public final class PaginatedQuery<
    Request: Sendable, PageIdentifier: PaginatedQueryKey, Response: Codable & Sequence & Sendable
>: nonisolated ObservableObject, QueryType where Response.Element: Sendable {
    /// The time at which a query fetches for the first time.
    public enum FetchingBehavior {
        /// The query fetches when ``PaginatedQuery/refetch(request:)`` is called.
        case startWhenRequested
        /// The query fetches when it is created.
        case startImmediately(Request)
    }

    /// The type of the state.
    public typealias State = QueryState<Response>

    /// Loads a page with a publisher.
    public typealias QueryFetcher = @Sendable (Request, PageIdentifier) -> AnyPublisher<Response, any Error>

    /// Returns true if a page is the last one.
    public typealias EndRule = @Sendable (Response, PageIdentifier) -> Bool

    typealias List = Pages<Response, PageIdentifier>

    /// Sends a value before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    /// The key that was passed to the initializer.
    public let key: QueryKey

    /// The first page that a refetch loads.
    public let firstPage: PageIdentifier

    /// The request of the last call of ``refetch(request:)``. `nil` before the first call.
    public private(set) var lastRequest: Request?

    private let keyAdapter: (QueryKey, Request) -> QueryKey
    private let cache: any QueryCacheType
    private let config: QueryCacheConfig
    private let isLast: EndRule
    private let retry: RetryPolicy?
    private let fetchPage: @Sendable (Request, PageIdentifier) async throws -> Response
    private let joined: JoinedPages<Response, PageIdentifier>
    private let model: QueryModel<List>
    private lazy var invalidations = KeyInvalidations<Request>(of: key, client: client) { [weak self] request, cause in
        self?.refetch(request: request, cause)
    }
    private var current: QueryDefinition<List>?
    private let client: QueryClient

    init(
        _ key: QueryKey, _ firstPage: PageIdentifier, _ keyAdapter: ((QueryKey, Request) -> QueryKey)?,
        _ behavior: FetchingBehavior, _ cache: (any QueryCacheType)?, _ config: QueryCacheConfig, _ client: QueryClient,
        _ retry: RetryPolicy?, _ isLast: @escaping EndRule,
        _ merge: @escaping @Sendable (inout Response, Response) -> Void,
        _ fetchPage: @escaping @Sendable (Request, PageIdentifier) async throws -> Response
    ) {
        self.key = key
        self.firstPage = firstPage
        self.keyAdapter = keyAdapter ?? { key, _ in key }
        self.cache = cache ?? client.cacheOfQueries
        self.config = config
        self.client = client
        self.retry = retry
        self.isLast = isLast
        self.fetchPage = fetchPage
        let joined = JoinedPages<Response, PageIdentifier>(merge: merge)
        self.joined = joined
        model = QueryModel(key: key, client: client, config: config, objectWillChange: objectWillChange)
        _items = PublishedProperty(of: model) { joined.items(of: $0.value, version: $0.valueVersion) }
        _currentPage = PublishedProperty(of: model) { $0.value?.lastID ?? firstPage }
        invalidations.listen(to: key)
        switch behavior {
        case .startImmediately(let request): refetch(request: request)
        case .startWhenRequested:
            if let request = () as? Request { model.observe(definition(for: request).enabled(false)) }
        }
    }

    // MARK: State

    /// The current state. Its value is all pages joined.
    public var state: State {
        model.access()
        return model.phase.state(showing: response)
    }

    /// The current snapshot, with separate pages.
    public var snapshot: Snapshot<Pages<Response, PageIdentifier>> {
        model.access()
        return model.snapshot
    }

    /// All pages joined, also during a refetch and after a failed fetch. `nil` if none is loaded.
    public var value: Response? {
        model.access()
        return response
    }

    /// The items of all pages, in order. `$items` publishes them, and again after each page.
    @PublishedProperty public var items: [Response.Element]

    /// The last loaded page, or the first page to load if there is none. `$currentPage` publishes it, and again after
    /// each page.
    @PublishedProperty public var currentPage: PageIdentifier

    /// True if there is a next page. Also true before the first page is loaded.
    public var hasNextPage: Bool {
        model.access()
        return model.snapshot.value?.hasNext ?? true
    }

    /// True if the next page is being loaded, or waits for a refetch to end.
    public var isFetchingNextPage: Bool { snapshot.nextPage.isFetching }

    /// The error of loading the next page. `nil` after a page is loaded.
    public var nextPageError: (any Error)? { snapshot.nextPage.error }

    /// Publishes the current state, and then every change, on the main actor. Finishes when the query is released.
    public var statePublisher: AnyPublisher<State, Never> {
        model.statePublisher { [weak self] in self?.state }
    }

    /// Publishes the value of the current state, if it has one, and then every new value, on the main actor. Does not
    /// publish a loaded value that equals the previous one.
    public var valuePublisher: AnyPublisher<Response, Never> {
        model.valuePublisher { [weak self] in self?.response }
    }

    private var response: Response? {
        joined.response(of: model.snapshot.value, version: model.snapshot.valueVersion)
    }

    // MARK: Fetching

    /// Fetches the first page, and removes the others once it is loaded. Depending on the usage policy, shows the
    /// cached pages instead.
    public func refetch(request: Request) {
        refetch(request: request, .requested)
    }

    /// Fetches the first page. Same as ``refetch(request:)``.
    public func refetch(_ request: Request) {
        refetch(request: request)
    }

    /// Refetches the loaded pages with the last request, and waits until the fetch has succeeded or failed. Use it for
    /// pull to refresh.
    ///
    /// Before the first request, makes the first request if its type is `Void`, and otherwise does nothing.
    public func refresh() async {
        if lastRequest != nil { return await model.refetch() }
        guard let request = () as? Request else { return }
        refetch(request: request)
        await model.settle()
    }

    /// Loads the next page, and adds it. Does nothing at the end of the list, before the first ``refetch(request:)``,
    /// and while a page is being loaded.
    public func fetchNextPage() {
        guard let current, hasNextPage, !isFetchingNextPage else { return }
        client.startNextPage(of: current)
        model.refresh()
    }

    /// Loads the next page, and waits for it.
    ///
    /// - Returns: All pages joined.
    /// - Throws: The fetcher's error. The pages stay.
    @discardableResult
    public func nextPage() async throws -> Response? {
        guard let current else { return nil }
        try await client.fetchNextPage(of: current)
        model.refresh()
        return response
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
        current = definition
        model.ask(definition, with: request, cause, fromStart: true)
    }

    private func definition(for request: Request) -> QueryDefinition<List> {
        let (fetchPage, isLast) = (fetchPage, isLast)
        var definition = QueryDefinition<List>.pages(
            key: keyAdapter(key, request), first: firstPage, request: request
        ) { page, _ in
            try await fetchPage(request, page)
        } next: { response, page in
            isLast(response, page) ? nil : page.nextPage
        }
        let joined = joined
        definition = definition.readable(as: Response.self) { joined.response(of: $0, version: $1) }
            .persisted(in: cache).staleAfter(config.invalidationPolicy.staleTime)
            .fetchesOnAttach(false).cacheConfig(config)
        if let retry { definition = definition.retry(retry) }
        return definition
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension PaginatedQuery: nonisolated Observable {}

extension PaginatedQuery: nonisolated QueryInvalidationListener {}
