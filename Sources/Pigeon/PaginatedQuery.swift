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
/// Pages land in order, one load at a time. Loading the next page leaves ``state`` at `succeed` with what is there; one that
/// fails shows in ``nextPageError``, and asking again asks for the same page. A refetch goes back to the first page; pages
/// of the old list never land in the new one. The list is cached page by page, and is there after a restart.
@MainActor
public final class PaginatedQuery<
    Request: Sendable, PageIdentifier: PaginatedQueryKey, Response: Codable & Sequence & Sendable
>: nonisolated ObservableObject, QueryType where Response.Element: Sendable {
    /// When a query fetches for the first time.
    public enum FetchingBehavior {
        /// When ``PaginatedQuery/refetch(request:)`` is called.
        case startWhenRequested
        /// When the query is made.
        case startImmediately(Request)
    }

    /// The state's type.
    public typealias State = QueryState<Response>

    /// What brings a page, as a publisher.
    public typealias QueryFetcher = @Sendable (Request, PageIdentifier) -> AnyPublisher<Response, any Error>

    /// Whether a page is the last one.
    public typealias EndRule = @Sendable (Response, PageIdentifier) -> Bool

    typealias List = Pages<Response, PageIdentifier>

    /// Sends before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    /// The key as given.
    public let key: QueryKey

    /// The page that a refetch begins with.
    public let firstPage: PageIdentifier

    /// The request of the last ``refetch(request:)``. `nil` before the first.
    public private(set) var lastRequest: Request?

    private let keyAdapter: (QueryKey, Request) -> QueryKey
    private let cache: any QueryCacheType
    private let config: QueryCacheConfig
    private let isLast: EndRule
    private let retry: RetryPolicy?
    private let fetchPage: @Sendable (Request, PageIdentifier) async throws -> Response
    private let joined: JoinedPages<Response, PageIdentifier>
    private let model: QueryModel<List>
    private lazy var states = model.statePublisher { [weak self] in self?.state }
    private lazy var values = model.valuePublisher { [weak self] in self?.response }
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

    /// The present state. Its value is all pages joined.
    public var state: State {
        model.access()
        return model.phase.state(showing: response)
    }

    /// All that is known at this moment, with the pages apart.
    public var snapshot: Snapshot<Pages<Response, PageIdentifier>> {
        model.access()
        return model.snapshot
    }

    /// All pages joined, also while they are refetched and after a fetch failed.
    public var value: Response? {
        model.access()
        return response
    }

    /// The items of all pages, in order. `$items` publishes them, and again after each page.
    @PublishedProperty public var items: [Response.Element]

    /// The last page that is there; the first page to come when none is. `$currentPage` publishes it, and again after each
    /// page.
    @PublishedProperty public var currentPage: PageIdentifier

    /// Whether the list goes on. `true` before anything was loaded.
    public var hasNextPage: Bool {
        model.access()
        return model.snapshot.value?.hasNext ?? true
    }

    /// Whether the next page is being loaded, or waits for a refetch to end.
    public var isFetchingNextPage: Bool { snapshot.nextPage.isFetching }

    /// Why loading the next page failed. `nil` once one is loaded.
    public var nextPageError: (any Error)? { snapshot.nextPage.error }

    /// The present state, then every change, on the main actor. Finishes when the query is let go.
    public var statePublisher: AnyPublisher<State, Never> {
        states
    }

    /// The value of the present state, if it shows one, then every new one, on the main actor. A value that comes again
    /// after a load, equal to the one before, is not new.
    public var valuePublisher: AnyPublisher<Response, Never> {
        values
    }

    private var response: Response? {
        joined.response(of: model.snapshot.value, version: model.snapshot.valueVersion)
    }

    // MARK: Fetching

    /// Fetches the first page, and forgets the others once it is there; or shows what is cached, as the usage policy says.
    public func refetch(request: Request) {
        refetch(request: request, .requested)
    }

    /// Fetches the first page. The same as ``refetch(request:)``.
    public func refetch(_ request: Request) {
        refetch(request: request)
    }

    /// Fetches again the pages that are there, with the last request, and waits until that has ended, well or not: what pulling to
    /// refresh does.
    ///
    /// Before the first request, asks for the first time if the request is `Void`, and else does nothing.
    public func refresh() async {
        if lastRequest != nil { return await model.refetch() }
        guard let request = () as? Request else { return }
        refetch(request: request)
        await model.settle()
    }

    /// Loads the next page, and adds it. Does nothing at the end of the list, before the first ``refetch(request:)``, and
    /// while a page is being loaded.
    public func fetchNextPage() {
        guard let current, hasNextPage, !isFetchingNextPage else { return }
        client.startNextPage(of: current)
        model.refresh()
    }

    /// Loads the next page, and waits for it.
    ///
    /// - Returns: All pages joined.
    /// - Throws: What the fetcher threw. The pages stay.
    @discardableResult
    public func nextPage() async throws -> Response? {
        guard let current else { return nil }
        try await client.fetchNextPage(of: current)
        model.refresh()
        return response
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
