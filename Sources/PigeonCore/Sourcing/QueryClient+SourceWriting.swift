extension QueryClient {
    /// Changes what the source holds, in its turn, and shows what is there then.
    ///
    /// A fetch that was asked before is cancelled: its answer is older than the change.
    ///
    /// - Parameter change: Changes the source.
    package func change<Value>(
        _ definition: QueryDefinition<Value>, _ change: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let source = definition.fetcher?.source else { return }
        let waiter = try withSlot(for: definition) { state, work, moment, slot in
            state.touch(slot, moment, &work)
            let (generation, key) = (slot.entry.askForChange(), slot.key)
            work.sourceSteps.append(.run(source.lane))
            // Under the lock: whatever entry the key has later asks its source after this.
            return addTurn(of: source) { reference in
                do {
                    try await change()
                    guard let payload = try await source.read() else {
                        reference.client?.send(.source(.change(nil, asked: generation)), to: slot)
                        return
                    }
                    reference.client?.show(payload, at: slot) { .source(.change($0, asked: generation)) }
                } catch {
                    // Some of it may have been done.
                    reference.client?.send(.source(.consult(.nothing)), to: slot)
                    reference.client?.report("the source could not be changed", error, at: key)
                    throw error
                }
            }
        }
        try await outcome(ofTurn: waiter)
    }

    /// Empties a source, in its turn. Nothing that was asked for before lands after; whoever asks from now on sees what is
    /// there then. It goes on when the caller is cancelled.
    ///
    /// - Throws: What emptying threw: what is there still is shown again.
    package func clear<Value>(_ definition: QueryDefinition<Value>) async throws {
        guard definition.fetcher?.source != nil else { return }
        let (slot, emptied) = try withSlot(for: definition) { state, work, moment, slot in
            let emptied = state.clearSource(of: slot, &work)
            state.send(.reset(initial: nil, .written), to: slot, moment, &work)
            state.emit(.cleared, key: slot.key, .written, moment, &work)
            return (slot, emptied)
        }
        do {
            try await emptied?.value { emptied?.resume(.failure(CancellationError())) }
        } catch {
            send(.source(.consult(.nothing)), to: slot)
            throw error
        }
    }
}
