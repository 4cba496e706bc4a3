extension QueryDefinition {
    /// Defines a list that is loaded page by page.
    ///
    /// ```swift
    /// let posts = QueryDefinition.pages("posts", first: 1) { page, _ in
    ///     try await api.posts(page: page)
    /// } next: { last, page in
    ///     last.isEmpty ? nil : page + 1
    /// }
    /// try await client.fetchNextPage(of: posts)
    /// ```
    ///
    /// A fetch of the list refreshes all loaded pages, one after the other, and shows them together at the end. If one
    /// fails, the old pages stay.
    ///
    /// - Parameters:
    ///   - first: The first component of the key. A literal that stands alone is the whole key: `"users/42/posts"`.
    ///   - rest: The other components.
    ///   - firstPage: The identifier of the first page.
    ///   - maxPages: The maximum number of pages to keep. Adding a page removes pages at the far end. `nil` for no
    ///     limit.
    ///   - fetch: Loads a page.
    ///   - next: Returns the identifier of the page after a page, or `nil` at the end.
    ///   - previous: Returns the identifier of the page before a page, or `nil` at the start. By default there is none.
    @_disfavoredOverload
    public static func pages<Page, PageID>(
        _ first: any QueryKeyComponent, _ rest: any QueryKeyComponent..., first firstPage: PageID,
        maxPages: Int? = nil, fetch: @escaping @Sendable (PageID, FetchContext<Value>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?,
        previous: @escaping @Sendable (Page, PageID) -> PageID? = { _, _ in nil }
    ) -> QueryDefinition where Value == Pages<Page, PageID> {
        pages(
            key: QueryKey(first: first, rest: rest), first: firstPage, maxPages: maxPages, fetch: fetch, next: next,
            previous: previous)
    }

    /// Defines a list that is loaded page by page, by its key. Same as `pages(key:first:)`.
    public static func pages<Page, PageID>(
        _ key: QueryKey, first firstPage: PageID, maxPages: Int? = nil,
        fetch: @escaping @Sendable (PageID, FetchContext<Value>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?,
        previous: @escaping @Sendable (Page, PageID) -> PageID? = { _, _ in nil }
    ) -> QueryDefinition where Value == Pages<Page, PageID> {
        pages(key: key, first: firstPage, maxPages: maxPages, fetch: fetch, next: next, previous: previous)
    }

    /// Defines a list that is loaded page by page, by its key.
    public static func pages<Page, PageID>(
        key: QueryKey, first firstPage: PageID, maxPages: Int? = nil,
        fetch: @escaping @Sendable (PageID, FetchContext<Value>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?,
        previous: @escaping @Sendable (Page, PageID) -> PageID? = { _, _ in nil }
    ) -> QueryDefinition where Value == Pages<Page, PageID> {
        pages(
            key: key, first: firstPage, maxPages: maxPages, request: nil, fetch: fetch, next: next, previous: previous)
    }

    /// - Parameter request: The request of the query. See ``AnyFetcher/request``.
    package static func pages<Page, PageID>(
        key: QueryKey, first firstPage: PageID, maxPages: Int? = nil, request: (any Sendable)?,
        fetch: @escaping @Sendable (PageID, FetchContext<Value>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?,
        previous: @escaping @Sendable (Page, PageID) -> PageID? = { _, _ in nil }
    ) -> QueryDefinition where Value == Pages<Page, PageID> {
        let pager = PageLoader(
            firstPage: firstPage, maxPages: maxPages.map { max(1, $0) }, fetch: fetch, next: next, previous: previous)
        return QueryDefinition(
            key: key,
            fetcher: AnyFetcher(pager: pager, request: request) { run in
                do {
                    return .value(PayloadOf(try await pager.refresh(run)))
                } catch {
                    return .failure(error)
                }
            })
    }
}

extension QueryDefinition {
    /// The first page of a list that is loaded page by page. `nil` for another query.
    package func firstPage<Page: Sendable, PageID: Sendable>(
        as type: PageID.Type
    ) -> PageID? where Value == Pages<Page, PageID> {
        (fetcher?.pager as? PageLoader<Page, PageID>)?.firstPage
    }
}

/// Loads the pages of one list.
final class PageLoader<Page: Sendable, PageID: Sendable>: Pager {
    typealias List = Pages<Page, PageID>

    let firstPage: PageID
    let maxPages: Int?
    let fetch: @Sendable (PageID, FetchContext<List>) async throws -> Page
    let next: @Sendable (Page, PageID) -> PageID?
    let previous: @Sendable (Page, PageID) -> PageID?

    init(
        firstPage: PageID, maxPages: Int?, fetch: @escaping @Sendable (PageID, FetchContext<List>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?, previous: @escaping @Sendable (Page, PageID) -> PageID?
    ) {
        self.firstPage = firstPage
        self.maxPages = maxPages
        self.fetch = fetch
        self.next = next
        self.previous = previous
    }

    /// Reloads the loaded pages, starting with the first one. The identifier of each page comes from the reloaded page
    /// before it, so the list may shrink (T105). A retry continues at the page that failed (T107).
    func refresh(_ run: FetchRun) async throws -> List {
        let old = run.fromStart ? nil : (run.previous as? PayloadOf<List>)?.value
        let wanted = max(1, old?.count ?? 1)
        var list = run.scratch as? List ?? List()
        var id: PageID? = list.isEmpty ? old?.firstID ?? firstPage : list.nextID
        while let asked = id, list.count < wanted {
            try Task.checkCancellation()
            run.validators = FetchValidators()  // they belong to another page
            let page = try await fetch(asked, FetchContext(run: run))
            if list.isEmpty { list.previousID = previous(page, asked) }
            list.append(List.Loaded(id: asked, page: page))
            list.nextID = next(page, asked)
            run.scratch = list
            id = list.nextID
        }
        return list
    }

    func canLoad(_ direction: PageDirection, from pages: Payload) -> Bool {
        guard let pages = (pages as? PayloadOf<List>)?.value else { return false }
        return direction == .next ? pages.hasNext : pages.hasPrevious
    }

    func load(_ direction: PageDirection, from pages: Payload, run: FetchRun) async throws -> (any LoadedPage)? {
        guard let pages = (pages as? PayloadOf<List>)?.value else { throw QueryError.notPaged(key: run.key) }
        guard let id = direction == .next ? pages.nextID : pages.previousID else { return nil }
        let page = try await fetch(id, FetchContext(run: run))
        return Addition(
            loader: self, direction: direction, loaded: List.Loaded(id: id, page: page),
            onward: direction == .next ? next(page, id) : previous(page, id), end: pages.end(in: direction))
    }

    struct Addition: LoadedPage {
        let loader: PageLoader
        let direction: PageDirection
        let loaded: List.Loaded
        let onward: PageID?
        /// The end of the list for which the page was requested.
        let end: UInt64

        func added(to pages: Payload) -> Payload? {
            guard var list = (pages as? PayloadOf<List>)?.value, list.end(in: direction) == end else { return nil }
            if direction == .next {
                list.append(loaded)
                list.nextID = onward
            } else {
                list.prepend(loaded)
                list.previousID = onward
            }
            if let limit = loader.maxPages {
                list.trim(to: limit, addedIn: direction, previous: loader.previous, next: loader.next)
            }
            return PayloadOf(list)
        }
    }
}
