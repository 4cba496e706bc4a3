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

    /// Loads one page of a list again. The other pages keep their content, and the list its age.
    ///
    /// ```swift
    /// try await client.refetch(posts, page: 3)
    /// ```
    ///
    /// If the definition says what the pages contain, no item stands twice in the list afterwards, and none is missing, because
    /// it has moved to another page since: the pages beside are then reloaded too, for as long as items have moved between them.
    /// So are those after it if they have other identifiers now. An item that has moved further than to the page beside is found
    /// by a refetch of the whole list.
    ///
    /// Waits for a running fetch of the list, and then requests the page. Loads the first page if there is no list yet. Does
    /// nothing if the list has no such page.
    ///
    /// - Parameters:
    ///   - definition: The list.
    ///   - id: The identifier of the page, as in ``Pages/ids``.
    /// - Returns: The list with the new page.
    /// - Throws: The fetcher's error. The list stays as it is.
    @discardableResult
    public func refetch<Page, PageID: Equatable>(
        _ definition: QueryDefinition<Pages<Page, PageID>>, page id: PageID
    ) async throws -> Pages<Page, PageID> {
        try await readSource(of: definition)
        while true {
            let (slot, list, shown, flight) = try withSlot(for: definition) { _, slot in
                (slot, slot.entry.base, slot.entry.shown, slot.entry.flight)
            }
            // Code of the program compares identifiers, so it is called outside the lock.
            let hasList = list.map { !(slot.fetcher?.pager?.hasNoPages($0) ?? true) } ?? false
            if hasList, let pages = (list as? PayloadOf<Pages<Page, PageID>>)?.value, !pages.ids.contains(id),
                let shown
            {
                return try unwrap(shown)
            }
            let isSame = (flight?.request as? OnePage).map { areEqual($0.id as? PageID, id) } ?? false
            let waits = hasList && flight != nil && !isSame
            let waiter = WaitingCaller()
            let hasBegun = try transact { state -> Bool in
                guard !slot.isRemoved, slot.entry.flight?.generation == flight?.generation else { return false }
                guard slot.fetcher?.pager != nil else {
                    state.touch(slot)
                    throw QueryError.notPaged(key: slot.key)
                }
                if waits {
                    try state.awaitOutcome(waiter, at: slot, takesAny: true)
                } else {
                    try state.checkIsOther(slot, for: waiter)
                    let page = hasList ? OnePage(id) : nil
                    let mode: FetchMode = isSame ? .restart : .join
                    state.send(.fetch(.requested, mode: mode, fromStart: false, for: waiter, carrying: page), to: slot)
                }
                return true
            }
            guard hasBegun else { continue }
            do {
                let list = try await outcome(of: waiter, at: slot)
                if !waits { return try unwrap(list) }
            } catch is EntryMoved {
            } catch  where waits && !(error is CancellationError) {
                // The failure of another fetch is of no concern.
            }
            try Task.checkCancellation()
        }
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
