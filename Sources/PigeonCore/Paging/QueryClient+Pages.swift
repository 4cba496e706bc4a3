extension QueryClient {
    /// Loads the next page of a list, and adds it. With no page there yet, loads the first; at the end, does nothing.
    ///
    /// A load that is running is joined; a refresh that is running ends first. Refreshes that come by themselves join the load;
    /// one that is asked for meanwhile, or a list that the program writes, has the page asked for again from the list as it is
    /// then.
    ///
    /// - Returns: The list with the page; at its end, the list as it is.
    /// - Throws: What the fetcher threw: the pages stay, and asking again asks for the same page. `CancellationError` when the
    ///   load was cancelled, or the list emptied: there is never success without the page.
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

    /// Loads the first page again and forgets the others.
    @discardableResult
    public func restart<Page, PageID>(
        _ definition: QueryDefinition<Pages<Page, PageID>>
    ) async throws -> Pages<Page, PageID> {
        let waiter = Waiter()
        let slot = try withSlot(for: definition) { state, work, moment, slot in
            guard slot.entry.hasFetcher else { throw QueryError.noFetcher(key: slot.key) }
            try state.add(waiter, to: slot, moment, &work)
            state.send(.fetch(.requested, mode: .restart, fromStart: true), to: slot, moment, &work)
            return slot
        }
        return try unwrap(try await outcome(of: waiter, at: slot))
    }

    /// Asks for the next page, and does not wait for it.
    package func startNextPage<Page, PageID>(of definition: QueryDefinition<Pages<Page, PageID>>) {
        try? withSlot(for: definition) { state, work, moment, slot in
            guard slot.fetcher?.pager != nil else { return }
            state.send(.loadPage(.next), to: slot, moment, &work)
        }
    }

    /// Has the first pages of a list ready, as far as there are so many, and waits for them. Failures stay in the entry.
    public func prefetch<Page, PageID>(_ definition: QueryDefinition<Pages<Page, PageID>>, pages count: Int) async {
        await prefetch(definition)
        while let list = value(of: definition), list.count < count, list.hasNext {
            guard let longer = try? await fetchNextPage(of: definition), longer.count > list.count else { return }
        }
    }

    private func fetchPage<Page, PageID>(
        _ direction: PageDirection, of definition: QueryDefinition<Pages<Page, PageID>>
    ) async throws -> Pages<Page, PageID> {
        let waiter = Waiter()
        let slot = try withSlot(for: definition) { state, work, moment, slot -> Slot in
            guard slot.fetcher?.pager != nil else {
                state.touch(slot, moment, &work)
                throw QueryError.notPaged(key: slot.key)
            }
            guard !state.isOwnFetch(of: slot, moment, &work) else { throw QueryError.awaitsItself(key: slot.key) }
            slot.makeExtras().pageWaiters.append((direction, waiter))
            state.send(.loadPage(direction), to: slot, moment, &work)
            return slot
        }
        return try unwrap(try await outcome(of: waiter, direction, at: slot))
    }

    /// Waits for a page; a cancelled caller leaves, and the load goes on.
    func outcome(of waiter: Waiter, _ direction: PageDirection, at slot: Slot) async throws -> Payload {
        if let result = waiter.result { return try result.get() }
        return try await waiter.value { [reference] in
            reference.client?.transact { state, work, moment in
                guard let index = slot.extras?.pageWaiters.firstIndex(where: { $0.waiter === waiter }) else { return }
                slot.extras?.pageWaiters.remove(at: index)
                work.resumptions.append((waiter, .failure(CancellationError())))
                state.send(.leavePage(direction), to: slot, moment, &work)
            }
        }
    }
}
