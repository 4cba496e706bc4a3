extension QueryClient {
    /// Changes the content of the source by a job in its queue, and shows the result.
    ///
    /// Cancels a fetch that was requested earlier, because its answer predates the change.
    ///
    /// - Parameter change: Changes the source.
    package func change<Value>(
        _ definition: QueryDefinition<Value>, _ change: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let source = definition.fetcher?.source else { return }
        let waiter = try withSlot(for: definition) { state, work, moment, slot in
            state.touch(slot, moment, &work)
            let (generation, key) = (slot.entry.askForChange(), slot.key)
            work.sourceSteps.append(.run(source.queue))
            // Added under the lock, so that a later entry of the key adds its jobs after this one.
            return addTurn(of: source) { reference in
                do {
                    try await change()
                    guard let payload = try await source.read() else {
                        reference.client?.send(.source(.change(nil, asked: generation)), to: slot)
                        return
                    }
                    reference.client?.show(payload, at: slot) { .source(.change($0, asked: generation)) }
                } catch {
                    // A part of the change may have been made.
                    reference.client?.send(.source(.consult(.nothing)), to: slot)
                    reference.client?.report("the source could not be changed", error, at: key)
                    throw error
                }
            }
        }
        try await outcome(ofTurn: waiter)
    }

    /// Empties a source by a job in its queue. Answers to earlier requests cannot land afterwards, and later readings
    /// see the emptied source. Continues if the caller is cancelled.
    ///
    /// - Throws: The error of emptying the source. The remaining content is shown again.
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
