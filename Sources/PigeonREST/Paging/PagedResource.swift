public import Foundation
internal import PigeonBase
public import PigeonCore

/// A list that a server sends page by page, with a `Link` header that contains the URL of the next page (RFC 8288).
///
/// ```swift
/// let repositories = api.resource("/users/ann/repos").typed([Repository].self).pages()
/// let first = try await repositories.loadedIfNeeded()
/// try await repositories.loadNextPage()
/// show(repositories.items, more: repositories.hasNextPage)
/// ```
///
/// Each page is also a resource with its own ETag. A reload requests every loaded page, and the server responds to most
/// of these requests with "not modified". To observe the list, or to load the page before the first one, pass the list's
/// ``definition`` to the service's client.
public struct PagedResource<Item: Sendable>: Sendable {
    /// The resource of the first page.
    public let resource: Resource

    /// The maximum number of pages to keep. `nil` for no limit.
    public let maxPages: Int?

    private var client: QueryClient { resource.client }

    /// The query with which the client fetches and observes the list.
    public var definition: QueryDefinition<Pages<ResourcePage<Item>, URL>> {
        let configuration = resource.configuration
        var definition = QueryDefinition.pages(
            key: resource.queryKey.appending("pages"), first: resource.url, maxPages: maxPages,
            fetch: { [weak service = resource.service] url, context in
                guard let service else { throw RequestError(ServiceGone(), url: url) }
                return try await service.resource(absoluteURL: url).page(for: context) as ResourcePage<Item>
            },
            next: { (page: ResourcePage<Item>, _) in page.next },
            previous: { (page: ResourcePage<Item>, _) in page.previous })
        definition.changes = configuration.optionChanges(fetchesOnAttach: true)
        return definition
    }

    /// The loaded pages. `nil` before the first page is loaded.
    public var pages: Pages<ResourcePage<Item>, URL>? { client.value(of: definition) }

    /// The items of the loaded pages, in order.
    public var items: [Item] { pages?.flatMap(\.items) ?? [] }

    /// True if there is a next page.
    public var hasNextPage: Bool { pages?.hasNext ?? false }

    /// The current snapshot of the list.
    public var snapshot: Snapshot<Pages<ResourcePage<Item>, URL>> { client.snapshot(of: definition) }

    /// Returns the loaded items if they are up to date. Otherwise loads the list.
    ///
    /// - Throws: ``RequestError``.
    @discardableResult
    public func loadedIfNeeded() async throws(RequestError) -> [Item] {
        try await named { try await client.fetch(definition) }.flatMap(\.items)
    }

    /// Reloads the loaded pages.
    ///
    /// - Throws: ``RequestError``. The existing items remain.
    @discardableResult
    public func reload() async throws(RequestError) -> [Item] {
        try await named { try await client.refetch(definition) }.flatMap(\.items)
    }

    /// Loads the next page, and appends it to the list. Does nothing at the end of the list. Joins a load in flight.
    ///
    /// - Throws: ``RequestError``. The existing items remain.
    /// - Returns: All items of the list after the load.
    @discardableResult
    public func loadNextPage() async throws(RequestError) -> [Item] {
        _ = try await named { try await client.fetchNextPage(of: definition) }
        return items
    }

    private func named<Value>(_ body: () async throws -> Value) async throws(RequestError) -> Value {
        do {
            return try await body()
        } catch {
            throw RequestError(error, url: resource.url)
        }
    }
}

extension TypedResource {
    /// Returns the list whose first page is this resource's content.
    ///
    /// - Parameter maxPages: The maximum number of pages to keep. Adding a page removes pages at the opposite end of
    ///   the list. `nil` for no limit.
    public func pages<Item>(maxPages: Int? = nil) -> PagedResource<Item> where T == [Item] {
        PagedResource(resource: resource, maxPages: maxPages)
    }
}

extension Resource {
    /// Loads the resource as a page of a list.
    fileprivate func page<Item>(for context: PageContext<ResourcePage<Item>>) async throws -> ResourcePage<Item> {
        // Uses a fresh page that is already loaded, unless the caller has requested a new fetch of the list. Loads a
        // page again that has just failed, because the program has requested it, or the list is retried.
        let mayBeKnown = context.run.direction != nil || context.cause.origin == .observed
        let entity = mayBeKnown ? try await loadedIfStale() : try await loaded()
        if let time = remainingFreshness { context.isFresh(for: time) }
        let items: [Item] = try entity.content(at: url)
        let links = LinkHeader(entity.header(forKey: "Link") ?? "", at: url)
        return ResourcePage(items: items, next: links["next"], previous: links["prev"] ?? links["previous"])
    }

    /// The time for which the content is still fresh, negative if it no longer is. `nil` if its age does not matter.
    private var remainingFreshness: Duration? {
        guard let picture else { return nil }
        let named: Duration? = picture.freshFor.map { .nanoseconds($0) }
        guard let lifetime = named ?? configuration.lifetime else { return nil }
        return lifetime - picture.writtenAt.duration(to: client.environment.clock.now())
    }
}

extension PagedResource {
    /// Cancels the loads of the list and of its pages, if the list has no observers and no waiting callers.
    ///
    /// If a page is also observed as a resource, its load continues.
    public func cancelLoadIfUnobserved() {
        let list = definition
        guard !resource.client.isUsed(list.key, besides: nil) else { return }
        let pages = resource.client.value(of: list)
        resource.client.cancel(.key(list.key))
        let addresses = [resource.url] + (pages?.ids ?? []) + [pages?.nextID, pages?.previousID].compactMap { $0 }
        for address in Set(addresses) { resource.service.resource(absoluteURL: address).cancelLoadIfUnobserved() }
    }
}

/// A page of a list.
public struct ResourcePage<Item: Sendable>: Sendable {
    /// The items of the page.
    public var items: [Item]

    /// The URL of the next page. `nil` at the end of the list.
    public var next: URL?

    /// The URL of the previous page. `nil` at the start of the list.
    public var previous: URL?

    /// Creates a page.
    public init(items: [Item], next: URL? = nil, previous: URL? = nil) {
        self.items = items
        self.next = next
        self.previous = previous
    }
}

extension ResourcePage: Equatable where Item: Equatable {}

extension ResourcePage: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }

    /// The number of items.
    public var endIndex: Int { items.count }

    /// The item at a position. The position must be a valid index.
    public subscript(position: Int) -> Item { items[position] }
}
