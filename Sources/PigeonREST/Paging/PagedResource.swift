public import Foundation
public import PigeonCore

/// A list of which a server sends one page at a time, each with a `Link` header that says where the next one is (RFC 8288).
///
/// ```swift
/// let repositories = api.resource("/users/ann/repos").typed([Repository].self).pages()
/// let first = try await repositories.loadedIfNeeded()
/// try await repositories.loadNextPage()
/// show(repositories.items, more: repositories.hasNextPage)
/// ```
///
/// Each page is a resource too, with its own ETag: a reload asks for every page that is there, and is told of most that they
/// are as they were. Watch the list by its ``definition``.
public struct PagedResource<Item: Sendable>: Sendable {
    /// The resource of the first page.
    public let resource: Resource

    /// The most pages to keep. `nil` for all.
    public let maxPages: Int?

    private var client: QueryClient { resource.client }

    /// The list as the client fetches and watches it.
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

    /// The pages that are there. `nil` before the first.
    public var pages: Pages<ResourcePage<Item>, URL>? { client.value(of: definition) }

    /// The items of the pages that are there, in order.
    public var items: [Item] { pages?.flatMap(\.items) ?? [] }

    /// Whether the server has more.
    public var hasNextPage: Bool { pages?.hasNext ?? false }

    /// How the list stands now.
    public var snapshot: Snapshot<Pages<ResourcePage<Item>, URL>> { client.snapshot(of: definition) }

    /// How the list stands: now, and after each change. The first page is loaded if it is needed.
    public var snapshots: AsyncStream<Snapshot<Pages<ResourcePage<Item>, URL>>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observer = client.observe(definition) { continuation.yield($0) }
            continuation.yield(observer.snapshot)
            continuation.onTermination = { _ in observer.cancel() }
        }
    }

    /// The items: those that are there while they are up to date, else what a load brings.
    ///
    /// - Throws: ``RequestError``.
    @discardableResult
    public func loadedIfNeeded() async throws(RequestError) -> [Item] {
        try await named { try await client.fetch(definition) }.flatMap(\.items)
    }

    /// Loads again the pages that are there.
    ///
    /// - Throws: ``RequestError``: what was there still is.
    @discardableResult
    public func reload() async throws(RequestError) -> [Item] {
        try await named { try await client.refetch(definition) }.flatMap(\.items)
    }

    /// Loads the next page, and adds it. Does nothing where there is none; joins a load that is under way.
    ///
    /// - Throws: ``RequestError``: what was there still is.
    /// - Returns: All items that are there then.
    @discardableResult
    public func loadNextPage() async throws(RequestError) -> [Item] {
        _ = try await named { try await client.fetchNextPage(of: definition) }
        return items
    }

    /// Loads the page before the first that is there, and adds it, where there is one.
    ///
    /// - Throws: ``RequestError``: what was there still is.
    /// - Returns: All items that are there then.
    @discardableResult
    public func loadPreviousPage() async throws(RequestError) -> [Item] {
        _ = try await named { try await client.fetchPreviousPage(of: definition) }
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
    /// The list that begins with this resource's content, page by page.
    public func pages<Item>() -> PagedResource<Item> where T == [Item] {
        pages(maxPages: nil)
    }

    /// The list that begins with this resource's content, page by page.
    ///
    /// - Parameter maxPages: The most pages to keep; the first ones go.
    public func pages<Item>(maxPages: Int?) -> PagedResource<Item> where T == [Item] {
        PagedResource(resource: resource, maxPages: maxPages)
    }
}

extension Resource {
    /// The resource as one page of a list.
    fileprivate func page<Item>(
        for context: FetchContext<Pages<ResourcePage<Item>, URL>>
    ) async throws -> ResourcePage<Item> {
        // A page that was asked for before and is fresh will do, unless the list is asked for anew.
        let mayBeKnown = context.run.direction != nil || context.cause.origin == .observed
        let entity = mayBeKnown ? try await loadedIfNeeded() : try await loaded()
        let items: [Item] = try entity.content(at: url)
        let links = LinkHeader(entity.header(forKey: "Link") ?? "", at: url)
        return ResourcePage(items: items, next: links["next"], previous: links["prev"] ?? links["previous"])
    }
}

extension PagedResource {
    /// Cancels what is being loaded of the list, if nobody observes it or waits for it: the whole, or one more page.
    ///
    /// A page that is observed as a resource goes on.
    public func cancelLoadIfUnobserved() {
        let list = definition
        guard !resource.client.isUsed(list.key, besides: nil) else { return }
        let pages = resource.client.value(of: list)
        resource.client.cancel(.key(list.key))
        let addresses = [resource.url] + (pages?.ids ?? []) + [pages?.nextID, pages?.previousID].compactMap { $0 }
        for address in Set(addresses) { resource.service.resource(absoluteURL: address).cancelLoadIfUnobserved() }
    }
}

/// One page of a list.
public struct ResourcePage<Item: Sendable>: Sendable {
    /// What is on it.
    public var items: [Item]

    /// Where the next page is. `nil` at the end of the list.
    public var next: URL?

    /// Where the page before is. `nil` at the start of the list.
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

    /// How many items there are.
    public var endIndex: Int { items.count }

    /// An item.
    public subscript(position: Int) -> Item { items[position] }
}
