public import CombineShim
public import Observation
public import PigeonCore

/// A list that is fetched page by page.
///
/// ```swift
/// let posts = PaginatedQuery(.posts)                            // pages that are arrays
/// let issues = PaginatedQuery(.openIssues, items: \.issues)     // pages with a cursor beside their items
/// print(posts.items)
/// posts.fetchNextPage()
/// ```
///
/// Pages are loaded in order, one at a time. While the next page loads, ``state`` stays `succeed` with the pages so
/// far. If a page fails, ``nextPageError`` is set, and the next attempt loads the same page. A refetch starts again at
/// the first page. Pages of the old list are never added to the new one. Pages are cached one by one, and restored
/// after a restart.
@MainActor
public final class PaginatedQuery<
    Request: Sendable, PageIdentifier: Sendable, Response: Sequence & Sendable
>: nonisolated ObservableObject, QueryType where Response.Element: Sendable {
    /// The time of the first fetch.
    public enum FetchingBehavior {
        /// Fetches when ``PaginatedQuery/refetch(request:)`` is called.
        case startWhenRequested
        /// Fetches when the query is created.
        case startImmediately(Request)
    }

    /// The type of the state.
    public typealias State = QueryState<Response>

    /// A fetcher of a page that is a publisher.
    public typealias QueryFetcher = @Sendable (Request, PageIdentifier) -> AnyPublisher<Response, any Error>

    /// Returns `true` for the last page.
    public typealias EndRule = @Sendable (Response, PageIdentifier) -> Bool

    typealias List = Pages<Response, PageIdentifier>

    /// Sends a value before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    /// The base key.
    public let key: QueryKey

    /// The page at which a refetch starts.
    public let firstPage: PageIdentifier

    /// The request of the last call of ``refetch(request:)``. `nil` before the first call.
    public private(set) var lastRequest: Request?

    private let client: QueryClient
    private let list: any PagedModel<Request, PageIdentifier, Response>
    private lazy var invalidations = KeyInvalidations<Request>(of: key, client: client) { [weak self] request, cause in
        self?.refetch(request: request, cause)
    }

    /// - Parameters:
    ///   - part: Returns the response of a page.
    ///   - merge: Appends the response of a page to those of the previous pages.
    init<Page: Sendable>(
        _ key: QueryKey, _ firstPage: PageIdentifier, _ client: QueryClient, _ usage: CacheUsage,
        part: @escaping @Sendable (Page) -> Response, merge: @escaping @Sendable (inout Response, Response) -> Void,
        _ define: @escaping (Request) -> QueryDefinition<Pages<Page, PageIdentifier>>
    ) {
        self.key = key
        self.firstPage = firstPage
        self.client = client
        let joined = JoinedPages<Page, PageIdentifier, Response>(part: part, merge: merge)
        let list = PagedModelOf<Page, Request, PageIdentifier, Response>(
            key: key, firstPage: firstPage, client: client, usage: usage, objectWillChange: objectWillChange,
            joined: joined
        ) { request in
            define(request).readable(as: Response.self) { joined.response(of: $0, version: $1) }
        }
        self.list = list
        _items = list.items
        _currentPage = list.currentPage
        invalidations.listen(to: key)
    }

    // MARK: State

    /// The current state. Its value is all pages, joined.
    public var state: State { list.state }

    /// The current snapshot, with separate pages.
    public var snapshot: Snapshot<Pages<Response, PageIdentifier>> { list.snapshot }

    /// The current snapshot, and then each newer one that looks different, until the query is released. A slow reader
    /// skips snapshots, but never the last one.
    public var snapshots: AsyncStream<Snapshot<Pages<Response, PageIdentifier>>> { list.snapshots.newestOutputs }

    /// All pages, joined, also during a refetch and after a failure.
    public var value: Response? { list.value }

    /// The items of all pages, in order. `$items` publishes them after each page.
    @PublishedProperty public var items: [Response.Element]

    /// The last loaded page, or the first page before any is loaded. `$currentPage` publishes it after each page.
    @PublishedProperty public var currentPage: PageIdentifier

    /// True if there may be another page, as before the first load.
    public var hasNextPage: Bool { list.hasNextPage }

    /// True while the next page loads, or waits: for the network, or for a refetch to end.
    public var isFetchingNextPage: Bool { list.nextPage.isFetching }

    /// True while the next page waits for the network or the foreground. ``isFetchingNextPage`` is then true, too.
    public var isNextPagePaused: Bool { list.nextPage.isPaused }

    /// The error of the next page. `nil` once a page is loaded.
    public var nextPageError: (any Error)? { list.nextPage.error }

    /// Publishes the current state, then every change, on the main actor. Completes when the query is released.
    public var statePublisher: AnyPublisher<State, Never> { list.states }

    /// Publishes the value of the current state, if it has one, and then every new value, on the main actor. Sends
    /// nothing for a load whose value equals the previous one.
    public var valuePublisher: AnyPublisher<Response, Never> { list.values }

    // MARK: Fetching

    /// Fetches the first page, which then replaces all other pages, or shows the cached pages, according to the usage
    /// policy.
    public func refetch(request: Request) {
        refetch(request: request, .requested)
    }

    /// Fetches the first page. Same as ``refetch(request:)``.
    public func refetch(_ request: Request) {
        refetch(request: request)
    }

    /// Refetches the loaded pages with the query's own last request, and waits until the fetch has succeeded or failed.
    /// Suits pull to refresh.
    ///
    /// Before the first request, fetches if the request is `Void`, and otherwise does nothing.
    public func refresh() async {
        if let lastRequest {
            follow(lastRequest)
            return await list.refetch(with: lastRequest)
        }
        guard let request = () as? Request else { return }
        refetch(request: request)
        await list.settle()
    }

    /// Loads and appends the next page. Does nothing at the end of the list, before the first ``refetch(request:)``,
    /// and while a page loads.
    ///
    /// Returns at once, as a button or a list needs it; ``nextPage()`` waits for the page, and throws if it fails.
    public func fetchNextPage() {
        list.startNextPage()
    }

    /// Loads and appends the next page, and waits for it. ``fetchNextPage()`` does the same without waiting.
    ///
    /// The two have different names because Swift prefers an `async` function where the caller is `async` itself, so
    /// that a call without `await`, as it was in Pigeon 0.1, would no longer compile there.
    ///
    /// - Returns: All pages, joined. `nil` before the first ``refetch(request:)``.
    /// - Throws: The error of the fetcher. The pages stay.
    @discardableResult
    public func nextPage() async throws -> Response? {
        guard lastRequest != nil else { return nil }
        try await list.loadNextPage()
        return value
    }

    /// Cancels the fetch in flight, and restores the state from before it.
    public func cancel() {
        list.cancel()
    }

    private func refetch(request: Request, _ cause: Cause) {
        follow(request)
        list.ask(with: request, cause)
    }

    /// Observes the definition of a request, which fetches as its options say.
    func observe(_ request: Request) {
        follow(request)
        list.observe()
    }

    private func follow(_ request: Request) {
        lastRequest = request
        invalidations.listen(to: list.follow(request))
    }

    /// Shows the cached pages of a request, without making it the last one.
    func hydrate(_ request: Request) {
        list.hydrate(request)
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension PaginatedQuery: nonisolated Observable {}

extension PaginatedQuery: nonisolated QueryInvalidationListener {}
