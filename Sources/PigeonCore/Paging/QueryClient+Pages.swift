extension QueryClient {
    /// Loads the next page of a list, and adds it. Loads the first page if there is none yet. Does nothing at the end
    /// of the list.
    ///
    /// Joins a running load of the page, and waits for a running refresh. An automatic refresh joins the load. After an
    /// explicit refresh, or a write of the list by the program, the page is requested again, based on the new list.
    ///
    /// - Returns: The list with the new page, or the unchanged list if it is at its end.
    /// - Throws: The fetcher's error. The pages stay, and the next call requests the same page again.
    ///   `CancellationError` if the load was cancelled or the list was emptied: the call never succeeds without the
    ///   page.
    @discardableResult
    public func fetchNextPage<Page, PageID>(
        of definition: QueryDefinition<Pages<Page, PageID>>
    ) async throws -> Pages<Page, PageID> {
        try await fetchPage(.next, of: definition)
    }

    /// Loads the previous page of a list, and adds it. See ``fetchNextPage(of:)``.
    @discardableResult
    public func fetchPreviousPage<Page, PageID>(
        of definition: QueryDefinition<Pages<Page, PageID>>
    ) async throws -> Pages<Page, PageID> {
        try await fetchPage(.previous, of: definition)
    }

    /// Loads the first page again, and removes the others.
    @discardableResult
    public func restart<Page, PageID>(
        _ definition: QueryDefinition<Pages<Page, PageID>>
    ) async throws -> Pages<Page, PageID> {
        let waiter = WaitingCaller()
        let slot = try withSlot(for: definition) { state, slot in
            guard slot.entry.hasFetcher else { throw QueryError.noFetcher(key: slot.key) }
            try state.requestFetch(slot, waiter, .requested, .restart, fromStart: true)
            return slot
        }
        return try unwrap(try await outcome(of: waiter, at: slot))
    }

    /// Starts to load a page, and does not wait for it.
    package func startPage<Page, PageID>(
        _ direction: PageDirection, of definition: QueryDefinition<Pages<Page, PageID>>
    ) {
        try? withSlot(for: definition) { state, slot in
            guard slot.fetcher?.pager != nil, slot.listAtEnd(in: direction) == nil, !slot.entry.mayHaveUnreadContent
            else { return }
            let nobody = WaitingCaller(for: .page(direction))
            state.send(.loadPage(direction, for: nobody, isFirst: slot.hasNoPages), to: slot)
        }
    }

    /// Loads pages until the list has `count` pages or ends, and waits for them. Does not throw: the entry records a
    /// failure.
    public func prefetch<Page, PageID>(_ definition: QueryDefinition<Pages<Page, PageID>>, pages count: Int) async {
        await prefetch(definition)
        while let list = value(of: definition), list.count < count, list.hasNext || list.isEmpty {
            guard let longer = try? await fetchNextPage(of: definition), longer.count > list.count else { return }
        }
    }

    private func fetchPage<Page, PageID>(
        _ direction: PageDirection, of definition: QueryDefinition<Pages<Page, PageID>>
    ) async throws -> Pages<Page, PageID> {
        try await readSource(of: definition)
        let waiter = WaitingCaller(for: .page(direction))
        let slot = try withSlot(for: definition) { state, slot -> Slot in
            guard slot.fetcher?.pager != nil else {
                state.touch(slot)
                throw QueryError.notPaged(key: slot.key)
            }
            try state.checkIsOther(slot, for: waiter)
            if let list = slot.listAtEnd(in: direction) {
                state.touch(slot)
                state.work.resumptions.append((waiter, .success(list)))
                return slot
            }
            state.send(.loadPage(direction, for: waiter, isFirst: slot.hasNoPages), to: slot)
            return slot
        }
        return try unwrap(try await outcome(of: waiter, at: slot))
    }
}

extension Slot {
    /// The list, if it has no page in a direction and no load runs that could change that. Known without the server.
    fileprivate func listAtEnd(in direction: PageDirection) -> Payload? {
        guard !entry.isBusy, entry[.page(direction)] == nil, let base = entry.base, let pager = fetcher?.pager,
            !pager.canLoad(direction, from: base), !hasNoPages
        else { return nil }
        return entry.shown
    }

    /// True if there is a list without pages, as the program can write it (T103).
    var hasNoPages: Bool {
        guard let base = entry.base, let pager = fetcher?.pager else { return false }
        return pager.hasNoPages(base)
    }
}
