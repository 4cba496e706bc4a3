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
    /// fails, the old pages stay. Each page is requested with its own validators, which the fetcher finds in its
    /// ``PageContext``.
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
        maxPages: Int? = nil, fetch: @escaping @Sendable (PageID, PageContext<Page>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?,
        previous: @escaping @Sendable (Page, PageID) -> PageID? = { _, _ in nil }
    ) -> QueryDefinition where Value == Pages<Page, PageID> {
        pages(
            key: QueryKey(first: first, rest: rest), first: firstPage, maxPages: maxPages, fetch: fetch, next: next,
            previous: previous)
    }

    /// Defines a list that is loaded page by page, by its key.
    public static func pages<Page, PageID>(
        _ key: QueryKey, first firstPage: PageID, maxPages: Int? = nil,
        fetch: @escaping @Sendable (PageID, PageContext<Page>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?,
        previous: @escaping @Sendable (Page, PageID) -> PageID? = { _, _ in nil }
    ) -> QueryDefinition where Value == Pages<Page, PageID> {
        pages(key: key, first: firstPage, maxPages: maxPages, fetch: fetch, next: next, previous: previous)
    }

    /// - Parameter request: The request of the query. See ``AnyFetcher/request``.
    package static func pages<Page, PageID>(
        key: QueryKey, first firstPage: PageID, maxPages: Int? = nil, request: (any Sendable)? = nil,
        fetch: @escaping @Sendable (PageID, PageContext<Page>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?,
        previous: @escaping @Sendable (Page, PageID) -> PageID? = { _, _ in nil }
    ) -> QueryDefinition where Value == Pages<Page, PageID> {
        let pager = PageLoader(
            firstPage: firstPage, maxPages: maxPages.map { max(1, $0) }, fetch: fetch, next: next, previous: previous)
        return QueryDefinition(
            key: key,
            fetcher: AnyFetcher(pager: pager, request: request) { run in
                do {
                    return try await pager.refresh(run)
                } catch {
                    return .failure(error)
                }
            })
    }
}

extension QueryDefinition {
    /// Defines a list in which each page has the cursor of the next one.
    ///
    /// ```swift
    /// let feed = QueryDefinition<Pages<PostPage, String?>>.pages("feed") { cursor, _ in
    ///     try await api.posts(after: cursor)
    /// } next: { page in
    ///     page.next
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - first: The first component of the key. A literal that stands alone is the whole key: `"users/42/posts"`.
    ///   - rest: The other components.
    ///   - maxPages: The maximum number of pages to keep. Adding a page removes pages at the start. `nil` for no limit.
    ///   - fetch: Loads the page at a cursor. The cursor of the first page is `nil`.
    ///   - next: Returns the cursor of the page after a page, or `nil` at the end.
    @_disfavoredOverload
    public static func pages<Page: Sendable, Cursor: Sendable>(
        _ first: any QueryKeyComponent, _ rest: any QueryKeyComponent..., maxPages: Int? = nil,
        fetch: @escaping @Sendable (Cursor?, PageContext<Page>) async throws -> Page,
        next: @escaping @Sendable (Page) -> Cursor?
    ) -> QueryDefinition where Value == Pages<Page, Cursor?> {
        pages(QueryKey(first: first, rest: rest), maxPages: maxPages, fetch: fetch, next: next)
    }

    /// Defines a list in which each page has the cursor of the next one, by its key.
    public static func pages<Page: Sendable, Cursor: Sendable>(
        _ key: QueryKey, maxPages: Int? = nil,
        fetch: @escaping @Sendable (Cursor?, PageContext<Page>) async throws -> Page,
        next: @escaping @Sendable (Page) -> Cursor?
    ) -> QueryDefinition where Value == Pages<Page, Cursor?> {
        pages(key: key, first: Cursor?.none, maxPages: maxPages, fetch: fetch) { page, _ in
            next(page).map(Optional.some)
        }
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
