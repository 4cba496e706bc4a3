public import Foundation
internal import PigeonBase
public import PigeonCore

extension TypedResource {
    /// The list whose first page is this resource's content. See ``Service/pages(_:of:maxPages:)``.
    ///
    /// - Parameter maxPages: The maximum number of pages to keep. Adding a page removes pages at the opposite end of
    ///   the list. `nil` for no limit.
    public func pages<Item>(maxPages: Int? = nil) -> QueryDefinition<Pages<ResourcePage<Item>, URL>>
    where T == [Item] {
        let configuration = resource.configuration
        let wrongAddress = resource.wrongAddress
        var definition = QueryDefinition.pages(
            key: resource.queryKey.appending("pages"), first: resource.url, maxPages: maxPages,
            fetch: { [weak service = resource.service] url, context in
                if let wrongAddress { throw RequestError(wrongAddress) }
                guard let service else { throw RequestError(ServiceGone(), url: url) }
                return try await service.resource(absoluteURL: url).page(for: context) as ResourcePage<Item>
            },
            next: { (page: ResourcePage<Item>, _) in page.next },
            previous: { (page: ResourcePage<Item>, _) in page.previous })
        definition.overrides = configuration.optionOverrides(fetchesOnAttach: true)
        return definition
    }
}

extension Resource {
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
        guard let entryState else { return nil }
        let named: Duration? = entryState.freshFor.map { .nanoseconds($0) }
        guard let lifetime = named ?? configuration.lifetime else { return nil }
        return lifetime - entryState.writtenAt.duration(to: client.environment.clock.now())
    }
}

/// A page of a list that a server sends page by page. See ``Service/pages(_:of:maxPages:)``.
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
