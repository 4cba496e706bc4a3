/// Why a page of a source is not loaded.
package enum PageRefusal: Sendable {
    /// There is nothing yet that it could follow.
    case nothingThere
    /// The whole is being loaded.
    case loading
    /// The whole could not be loaded.
    case failed(any Error)
    /// The page could not be loaded before, and is not to be tried again.
    case failedBefore(any Error)
    /// There is none.
    case end
}

extension QueryClient {
    private enum PageStep {
        case mustRead
        case loads
        case refused(PageRefusal)
    }

    /// Loads a page and adds it to what the source holds. A load that is running is joined.
    ///
    /// - Parameter repeatsFailed: Whether a page that could not be loaded before is tried again.
    /// - Returns: Why nothing was loaded. `nil` when the page is there.
    /// - Throws: The error of loading or saving the page; the pages that were there stay. `CancellationError` if the caller
    ///   is cancelled, while the load continues, or if the source was emptied meanwhile.
    package func requestPage<Value>(
        _ direction: PageDirection, of definition: QueryDefinition<Value>, repeatsFailed: Bool
    ) async throws -> PageRefusal? {
        var wasRead = false
        while true {
            let waiter = Waiter()
            let (slot, step) = try withSlot(for: definition) { state, work, moment, slot -> (Slot, PageStep) in
                let source = slot.entry.sourceWork
                // What nobody observes may have changed unseen.
                if !source.isIdle || !source.wasRead || (slot.observers.isEmpty && !wasRead) {
                    slot.makeExtras().readers.append(waiter)
                    if source.isIdle { state.send(.source(.consult(.nothing)), to: slot, moment, &work) }
                    return (slot, .mustRead)
                }
                if let refusal = slot.refusal(of: direction, repeatsFailed: repeatsFailed) {
                    state.touch(slot, moment, &work)
                    return (slot, .refused(refusal))
                }
                slot.makeExtras().pageWaiters.append((direction, waiter))
                state.send(.loadPage(direction), to: slot, moment, &work)
                return (slot, .loads)
            }
            switch step {
            case .mustRead: try await waiter.value { waiter.resume(.failure(CancellationError())) }
            case .refused(let refusal): return refusal
            case .loads:
                _ = try await outcome(of: waiter, direction, at: slot)
                return nil
            }
            wasRead = true
        }
    }
}

extension QueryClient {
    /// Puts the refusal of a page on the event stream.
    package func report(_ error: any Error, refusing direction: PageDirection, at key: QueryKey) {
        let kind = QueryEvent.Kind.pageFailed(direction, TransientError.label(error))
        transact { state, work, moment in state.emit(kind, key: key, direction.cause, moment, &work) }
    }
}

extension Slot {
    fileprivate func refusal(of direction: PageDirection, repeatsFailed: Bool) -> PageRefusal? {
        if entry.isBusy { return .loading }
        if let failure = entry.failure { return .failed(failure.error) }
        guard let shown = entry.shown else { return .nothingThere }
        guard let pager = fetcher?.pager, pager.canLoad(direction, from: shown) else { return .end }
        if !repeatsFailed, let failure = entry.side?[direction].error { return .failedBefore(failure.error) }
        return nil
    }
}
