extension QueryClient {
    /// Loads a page and adds it to the source, unless the entry gives a reason not to. Joins a running load.
    ///
    /// - Parameter refusal: Returns the reason why no page is to be loaded. `nil` to load it. Called once the source has been
    ///   read, under the client's lock, so it must call no user code.
    /// - Returns: The reason why no page was loaded. `nil` if the page was added.
    /// - Throws: The error of loading or saving the page. Existing pages stay. `CancellationError` if the caller is
    ///   cancelled, in which case the load continues, or if the source was emptied in the meantime.
    package func requestPage<Value, Refusal>(
        _ direction: PageDirection, of definition: QueryDefinition<Value>, unless refusal: (Entry) -> Refusal?
    ) async throws -> Refusal? {
        var wasRead = false
        while true {
            let waiter = WaitingCaller(for: .page(direction))
            var reader: WaitingCaller?
            var reason: Refusal?
            let slot = try withSlot(for: definition) { state, slot -> Slot in
                let source = slot.entry.sourceWork
                // The source of an unobserved entry may have changed without a notification.
                if !source.isIdle || !source.wasRead || (slot.observers.isEmpty && !wasRead) {
                    reader = state.awaitReading(of: slot)
                    return slot
                }
                reason = refusal(slot.entry)
                if reason == nil { state.send(.loadPage(direction, for: waiter), to: slot) } else { state.touch(slot) }
                return slot
            }
            guard let reader else {
                if reason == nil { _ = try await outcome(of: waiter, at: slot) }
                return reason
            }
            try await reader.outcome.value(onCancel: .resolves)
            wasRead = true
        }
    }
}
