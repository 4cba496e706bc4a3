public import Foundation
internal import PigeonBase
public import PigeonCore

extension Service {
    /// Returns the resource of a path as a query: with the service's configuration, pipeline, freshness and validators.
    ///
    /// ```swift
    /// library.configure("/books/*", decoding: Book.self)
    ///
    /// extension QueryDefinition where Value == Book {
    ///     static func book(_ id: Book.ID) -> Self { library.definition("/books/\(id)") }
    /// }
    /// let book = Query(.book(42), client: library.client)
    /// ```
    ///
    /// The resource stays the place of the content. What is loaded, overridden or wiped through the resource is shown by
    /// the query, and what a query or a mutation writes replaces the content of the resource. An invalidation of one
    /// reaches the other.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, as for ``resource(_:)``.
    ///   - type: The type of the content, which the pipeline must produce. Content of another type fails with
    ///     ``RequestError/Cause/WrongContentType``.
    /// - Returns: A definition with the freshness of the address, and with the options of ``Configuration/query(_:)``
    ///   except for retries, which are the resource's. Its errors are ``RequestError``. The definition does not retain the
    ///   service.
    public final func definition<Value: Sendable>(
        _ path: String, as type: Value.Type = Value.self
    ) -> QueryDefinition<Value> {
        resource(path).typed(type).definition
    }

    /// Returns a list as a query, whose pages each contain the URL of the next page in a `Link` header (RFC 8288).
    ///
    /// ```swift
    /// library.configure("/authors/*/books", decoding: [Book].self)
    ///
    /// let list = library.pages("/authors/1/books", of: Book.self)
    /// let first = try await library.client.fetch(list)
    /// let both = try await library.client.fetchNextPage(of: list)
    /// let titles = both.flatMap(\.items).map(\.title)
    /// ```
    ///
    /// On a screen, a `PaginatedQuery` shows the items:
    ///
    /// ```swift
    /// let books = PaginatedQuery(list, items: \.items, client: library.client)
    /// ```
    ///
    /// Each page is also a resource with its own ETag, and the first page is the resource of the path.
    /// `client.refetch(list)` requests every loaded page, and the server responds to most of these requests with "not
    /// modified". `client.fetchPreviousPage(of: list)` loads the page before the first one, if the header has it. An edit
    /// of the list does not change the resources of its pages.
    ///
    /// - Parameters:
    ///   - path: The path of the first page below the base URL, as for ``resource(_:)``.
    ///   - type: The type of the items. The pipeline must produce an array of them. Content of another type fails with
    ///     ``RequestError/Cause/WrongContentType``.
    ///   - maxPages: The maximum number of pages to keep. Adding a page removes pages at the opposite end of the list.
    ///     `nil` for no limit.
    /// - Returns: A definition with the freshness of the address, and with the options of ``Configuration/query(_:)``. Its
    ///   errors are ``RequestError``, and the loaded pages remain beside them. The definition does not retain the service.
    public final func pages<Item: Sendable>(
        _ path: String, of type: Item.Type = Item.self, maxPages: Int? = nil
    ) -> QueryDefinition<Pages<ResourcePage<Item>, URL>> {
        resource(path).typed([Item].self).pages(maxPages: maxPages)
    }
}

extension TypedResource {
    /// The resource as a query. See ``Service/definition(_:as:)``.
    public var definition: QueryDefinition<T> {
        let configuration = resource.configuration
        let (staleAfter, changes) = (configuration.staleAfter, configuration.queryChanges)
        let source = ResourceSource<T>(resource)
        var definition = QueryDefinition<T>(
            key: resource.contentKey,
            fetcher: AnyFetcher(source: source) { run in
                do {
                    return .value(try await source.fetch(showing: run.previous))
                } catch {
                    return .failure(error)
                }
            })
        definition.overrides = OptionOverrides { options in
            for change in changes { change(&options) }
            options.retry = .never
            options.staleAfter = staleAfter
        }
        return definition
    }
}

/// The content of a resource, as the source of truth of a typed query. Retains neither the resource nor the service,
/// because the client retains it.
private final class ResourceSource<Value: Sendable>: AnySource,
    @unchecked Sendable  // set once; weak loads are atomic
{
    private weak var service: Service?
    private weak var held: Resource?
    private let url: URL?
    private let keyQueue = KeyQueue()
    /// The load that the last reading found in flight, and the value that the query showed then.
    private let awaited = Locked<Awaited?>(nil)

    /// The load for which the next fetch waits, also if it has ended by then, instead of sending a request of its own.
    private struct Awaited: @unchecked Sendable {  // guarded by the lock of `awaited`
        weak var shown: Payload?
        let isFirst: Bool

        func isSeen(showing payload: Payload?) -> Bool {
            isFirst ? payload == nil : payload != nil && shown === payload
        }
    }

    init(_ resource: Resource) {
        service = resource.service
        held = resource
        url = resource.wrongAddress == nil ? resource.url : nil
    }

    private var resource: Resource? { held ?? url.flatMap { service?.resource(absoluteURL: $0) } }

    private func wanted() throws -> Resource {
        guard let resource else { throw RequestError(ServiceGone(), url: url) }
        return resource
    }

    var queue: JobQueue { keyQueue.queue }

    func use(_ queue: @autoclosure () -> JobQueue) { keyQueue.use(queue) }

    // MARK: The content

    let readsAtOnce = true

    func readNow() -> SourceContent? {
        // Reads the content and the loading state from one entry state, since the load can end at any time.
        guard let resource, let entryState = resource.entryState else { return nil }
        let content = content(of: resource, in: entryState)
        if entryState.isAwaited(by: resource) {
            awaited.withLock { $0 = Awaited(shown: content?.payload, isFirst: content == nil) }
        }
        return content
    }

    private func content(of resource: Resource, in entryState: EntryState) -> SourceContent? {
        guard let entity = entryState.entity, let payload = entryState.payload,
            let content = resource.content(payload, as: Value.self)
        else { return nil }
        guard !entryState.wasInvalidatedByName else { return SourceContent(content, .outdated) }
        let date = Date(timeIntervalSinceReferenceDate: entity.timestamp)
        return SourceContent(content, .dated(date, freshFor: entryState.freshFor))
    }

    func read() async throws -> SourceContent? {
        _ = try wanted()
        return readNow()
    }

    /// Loads the resource, or waits for a load in flight if its content is not up to date.
    ///
    /// - Parameter shown: The value that the query showed when it requested the fetch. `nil` if there was none.
    func fetch(showing shown: Payload?) async throws -> Payload {
        let resource = try wanted()
        // Runs after the jobs of earlier calls to the resource, such as an invalidation or a wipe.
        await queue.perform(resource.client.environment.launch) {}
        if let wrongAddress = resource.wrongAddress { throw RequestError(wrongAddress) }
        let isAwaited = awaited.withLock { awaited in
            defer { awaited = nil }
            return awaited?.isSeen(showing: shown) ?? false
        }
        let policy: FetchPolicy =
            isAwaited || resource.entryState?.isAwaited(by: resource) ?? false ? .fresh : .networkOnly
        let entity: Entity<any Sendable>
        do {
            entity = try await resource.client.fetch(resource.definition, policy)
        } catch {
            throw TransientError.isCancellation(error) ? error : RequestError(error, url: resource.url)
        }
        let content: Value = try entity.content(at: resource.url)
        return shownContent(of: resource) ?? PayloadOf(content)
    }

    /// The content of a resource, in the box that queries show. `nil` if it has none of this type.
    private func shownContent(of resource: Resource) -> Payload? {
        resource.entryState?.payload.flatMap { resource.content($0, as: Value.self) }
    }

    func save(_ payload: Payload, at date: Date) async throws {
        guard let written = (payload as? PayloadOf<Value>)?.value else { return }
        let resource = try wanted()
        // The resource already has content that it has loaded itself.
        guard shownContent(of: resource) !== payload else { return }
        resource.overrideLocalContent(with: written)
    }

    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool { false }

    func clear() async throws { resource?.wipe() }

    func markStale() async throws { resource?.invalidate() }

    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
        guard let resource else { return nil }
        let watched = QueryDefinition<Entity<any Sendable>>.value(resource.queryKey).enabled(false)
        let observer = resource.client.observe(watched) { _ in handler() }
        // The resource is observed, so it stays.
        return QuerySubscription { withExtendedLifetime(resource) { observer.cancel() } }
    }
}

extension EntryState {
    /// True if a load is in flight and the content is not up to date.
    fileprivate func isAwaited(by resource: Resource) -> Bool {
        isLoading && !updateStatus(by: resource.freshnessOptions).isUpToDate
    }
}

extension Resource {
    /// The key of the resource's typed query. Not below the key of the resource: removing the query's entry wipes the
    /// resource, so a wipe would start another.
    var contentKey: QueryKey { service.queryKey.appending("content").appending(url.absoluteString) }

    /// The content of an entity as a type, in the same box for as long as a query shows it. `nil` if it has another type.
    fileprivate func content<Value: Sendable>(_ payload: Payload, as type: Value.Type) -> Payload? {
        let address = url.absoluteString
        let known = service.state.withLock { $0.typedContents.content(of: payload, at: address) }
        if let known = known as? PayloadOf<Value> { return known }
        guard let entity = (payload as? PayloadOf<Entity<any Sendable>>)?.value,
            let content: Value = ContentCast.cast(entity.content)
        else { return nil }
        let made = PayloadOf(content)
        service.state.withLock { $0.typedContents.keep(made, of: payload, at: address) }
        return made
    }
}

/// The contents of entities that typed queries show, each in one box. A query of the same content, whose type may not be
/// `Equatable`, is then not notified of a change.
struct TypedContents: @unchecked Sendable {  // guarded by the service's lock
    private struct Item {
        weak var origin: Payload?
        weak var content: Payload?
    }

    private var items: [String: Item] = [:]
    private var limit = 64

    func content(of origin: Payload, at address: String) -> Payload? {
        guard let item = items[address], item.origin === origin else { return nil }
        return item.content
    }

    mutating func keep(_ content: Payload, of origin: Payload, at address: String) {
        if items.count >= limit {
            items = items.filter { $0.value.content != nil }
            limit = max(64, 2 * items.count)
        }
        items[address] = Item(origin: origin, content: content)
    }
}
