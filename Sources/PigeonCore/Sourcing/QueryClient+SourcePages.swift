/// The reason why a page of a source is not loaded.
package enum PageRefusal: Sendable {
    /// The source is empty, so there is nothing that a page could follow.
    case nothingThere
    /// The whole value is being loaded.
    case loading
    /// The whole value could not be loaded.
    case failed(any Error)
    /// The page failed to load before, and is not to be tried again.
    case failedBefore(any Error)
    /// There are no more pages.
    case end
}

extension QueryClient {
    private enum PageStep {
        case mustRead
        case loads
        case refused(PageRefusal)
    }

    /// Loads a page and adds it to the source. Joins a running load.
    ///
    /// - Parameter repeatsFailed: True if a page that failed to load before is tried again.
    /// - Returns: The reason why no page was loaded. `nil` if the page was added.
    /// - Throws: The error of loading or saving the page. Existing pages stay. `CancellationError` if the caller is
    ///   cancelled, in which case the load continues, or if the source was emptied in the meantime.
    package func requestPage<Value>(
        _ direction: PageDirection, of definition: QueryDefinition<Value>, repeatsFailed: Bool
    ) async throws -> PageRefusal? {
        var wasRead = false
        while true {
            let waiter = WaitingCaller(for: .page(direction))
            let (slot, step) = try withSlot(for: definition) { state, slot -> (Slot, PageStep) in
                let source = slot.entry.sourceWork
                // The source of an unobserved entry may have changed without a notification.
                if !source.isIdle || !source.wasRead || (slot.observers.isEmpty && !wasRead) {
                    slot.makeExtras().readers.append(waiter)
                    if source.isIdle { state.send(.source(.consult(.nothing)), to: slot) }
                    return (slot, .mustRead)
                }
                if let refusal = slot.refusal(of: direction, repeatsFailed: repeatsFailed) {
                    state.touch(slot)
                    return (slot, .refused(refusal))
                }
                state.send(.loadPage(direction, for: waiter), to: slot)
                return (slot, .loads)
            }
            switch step {
            case .mustRead: try await waiter.outcome.value(onCancel: .resolves)
            case .refused(let refusal): return refusal
            case .loads:
                _ = try await outcome(of: waiter, at: slot)
                return nil
            }
            wasRead = true
        }
    }

    /// Sends the refusal of a page to the event stream.
    package func report(_ error: any Error, refusing direction: PageDirection, at key: QueryKey) {
        let kind = QueryEvent.Kind.pageFailed(direction, TransientError.label(error))
        transact { state in state.emit(kind, key: key, direction.cause) }
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
