import CombineShim
import PigeonCore

/// Observes the lists of a paginated query, whatever type their pages have.
@MainActor
protocol PagedModel<Request, PageIdentifier, Response>: AnyObject {
    associatedtype Request: Sendable
    associatedtype PageIdentifier: Sendable
    associatedtype Response: Sequence & Sendable where Response.Element: Sendable

    /// Reading one of these registers with Observation.
    var state: QueryState<Response> { get }
    var snapshot: Snapshot<Pages<Response, PageIdentifier>> { get }
    var value: Response? { get }
    var hasNextPage: Bool { get }
    var nextPage: PageActivity { get }

    var items: PublishedProperty<[Response.Element]> { get }
    var currentPage: PublishedProperty<PageIdentifier> { get }
    var states: AnyPublisher<QueryState<Response>, Never> { get }
    var values: AnyPublisher<Response, Never> { get }
    var snapshots: AnyPublisher<Snapshot<Pages<Response, PageIdentifier>>, Never> { get }

    /// Makes the list of a request the current one, which the following functions concern, and returns its key.
    func follow(_ request: Request) -> QueryKey
    func observe()
    func ask(with request: Request, _ cause: Cause)
    func refetch(with request: Request) async
    func settle() async
    func startNextPage()
    func loadNextPage() async throws
    func cancel()

    /// Shows the cached pages of a request, without making its list the current one.
    func hydrate(_ request: Request)
}

/// A model of lists whose pages have a type from which the response of a page is made.
@MainActor
final class PagedModelOf<
    Page: Sendable, Request: Sendable, PageIdentifier: Sendable, Response: Sequence & Sendable
>: PagedModel where Response.Element: Sendable {
    typealias List = Pages<Page, PageIdentifier>

    let items: PublishedProperty<[Response.Element]>
    let currentPage: PublishedProperty<PageIdentifier>
    private let client: QueryClient
    private let define: (Request) -> QueryDefinition<List>
    private let model: QueryModel<List>
    private let joined: JoinedPages<Page, PageIdentifier, Response>
    private var current: QueryDefinition<List>?
    /// Makes the list of responses, once for each version of the list.
    private let selection: Selection<List, Pages<Response, PageIdentifier>>
    private(set) lazy var states = model.statePublisher { [weak self] in self?.state }
    private(set) lazy var values = model.valuePublisher { [weak self] in self.flatMap { $0.response } }

    /// - Parameter joined: Makes the responses of pages, and joins them.
    init(
        key: QueryKey, firstPage: PageIdentifier, client: QueryClient, usage: CacheUsage,
        objectWillChange: ObservableObjectPublisher, joined: JoinedPages<Page, PageIdentifier, Response>,
        define: @escaping (Request) -> QueryDefinition<List>
    ) {
        self.client = client
        self.define = define
        self.joined = joined
        selection = Selection { $0.mapPages(joined.part) }
        model = QueryModel(key: key, client: client, usage: usage, objectWillChange: objectWillChange)
        items = PublishedProperty(of: model) { joined.items(of: $0.value, version: $0.valueVersion) }
        currentPage = PublishedProperty(of: model) { $0.value?.lastID ?? firstPage }
    }

    var state: QueryState<Response> {
        model.access()
        return model.phase.state(showing: response)
    }

    var snapshot: Snapshot<Pages<Response, PageIdentifier>> {
        model.access()
        return part(of: model.snapshot)
    }

    var value: Response? {
        model.access()
        return response
    }

    var hasNextPage: Bool {
        model.access()
        return model.snapshot.value?.hasNext ?? true
    }

    var nextPage: PageActivity {
        model.access()
        return model.snapshot.nextPage
    }

    var snapshots: AnyPublisher<Snapshot<Pages<Response, PageIdentifier>>, Never> {
        model.snapshots.compactMap { [weak self] snapshot in
            MainActor.assumeIsolated { self?.part(of: snapshot) }  // the model publishes on the main actor
        }.eraseToAnyPublisher()
    }

    private var response: Response? {
        joined.response(of: model.snapshot.value, version: model.snapshot.valueVersion)
    }

    private func part(of source: Snapshot<List>) -> Snapshot<Pages<Response, PageIdentifier>> {
        if Page.self == Response.self, let same = (source as Any) as? Snapshot<Pages<Response, PageIdentifier>> {
            return same
        }
        return selection.part(of: source)
    }

    // MARK: Fetching

    func follow(_ request: Request) -> QueryKey {
        let definition = define(request)
        current = definition
        return definition.key
    }

    func observe() {
        if let current { model.observe(current) }
    }

    func ask(with request: Request, _ cause: Cause) {
        if let current { model.ask(current, with: request, cause, fromStart: true) }
    }

    func refetch(with request: Request) async {
        if let current { await model.refetch(current, with: request) }
    }

    func settle() async {
        await model.settle()
    }

    func startNextPage() {
        guard let current, hasNextPage, !model.snapshot.nextPage.isFetching else { return }
        client.startPage(.next, of: current)
        model.refresh()
    }

    func loadNextPage() async throws {
        guard let current else { return }
        try await client.fetchNextPage(of: current)
        model.refresh()
    }

    func cancel() {
        client.cancel(.key(model.snapshot.key))
        model.refresh()
    }

    func hydrate(_ request: Request) {
        model.observe(define(request).enabled(false))
    }
}
