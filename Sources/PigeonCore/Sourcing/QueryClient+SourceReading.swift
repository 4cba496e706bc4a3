extension QueryClient {
    /// Reads the source of a slot: now, if it is its turn and the source can say at once what it holds; else when its turn
    /// comes.
    func read(_ slot: Slot) {
        guard let source = state.withLock({ _ in slot.fetcher?.source }) else { return }
        if source.readsAtOnce, source.lane.enter() {
            readNow(slot, source)
            return source.lane.leave(environment.launch)
        }
        let reference = reference
        source.lane.add { await Self.read(slot, source, for: reference) }
        source.lane.run(environment.launch)
    }

    private func readNow(_ slot: Slot, _ source: any SourceOfTruth) {
        let isAsked = transact { state, work, moment in
            guard slot.entry.sourceWork.asked != nil else { return false }
            state.send(.source(.readingBegan), to: slot, moment, &work)
            return true
        }
        guard isAsked else { return }
        switch source.readNow() {
        case .content(let payload, let isStale):
            show(payload, at: slot) { .source(.reading(.content($0, isStale: isStale))) }
        case .nothing: send(.source(.reading(.nothing)), to: slot)
        }
    }

    /// Reads the source of a slot when its turn comes, and tells the entry. A source that hangs does not keep the client.
    static func read(_ slot: Slot, _ source: any SourceOfTruth, for reference: ClientReference) async {
        let begun = reference.client?.transact { state, work, moment in
            state.send(.source(.readingBegan), to: slot, moment, &work)
            return slot.entry.sourceWork.running.map { (demand: $0.demand, key: slot.key) }
        }
        guard let (demand, key) = begun ?? nil else { return }
        do {
            guard let payload = try await source.read() else {
                reference.client?.send(.source(.reading(.nothing)), to: slot)
                return
            }
            let judges = if case .ifStale = demand { true } else { false }
            let isStale = judges ? await isStale(payload, in: source, at: key, for: reference) : false
            reference.client?.show(payload, at: slot) { .source(.reading(.content($0, isStale: isStale))) }
        } catch {
            reference.client?.send(.source(.reading(.failure(Failure(error)))), to: slot)
        }
    }

    /// A source that cannot tell has it fetched again: what is there is shown meanwhile.
    private static func isStale(
        _ payload: Payload, in source: any SourceOfTruth, at key: QueryKey, for reference: ClientReference
    ) async -> Bool {
        do {
            return try await source.isStale(payload)
        } catch {
            reference.client?.report("the source could not tell whether it is stale", error, at: key)
            return true
        }
    }

    /// What a source holds now, and whether it is stale. A fetch under way is waited for; none is begun.
    ///
    /// - Throws: What reading threw; `CancellationError` when the caller is cancelled.
    package func look<Value>(at definition: QueryDefinition<Value>) async throws -> (value: Value, isStale: Bool)? {
        let waiter = Waiter()
        let slot = try withSlot(for: definition) { state, work, moment, slot in
            if slot.entry.isBusy {
                try state.add(waiter, to: slot, moment, &work)
            } else {
                state.touch(slot, moment, &work)
                work.resumptions.append((waiter, .success(.nothing)))
            }
            return slot
        }
        _ = try? await outcome(of: waiter, at: slot)
        try Task.checkCancellation()
        guard let source = definition.fetcher?.source else { return nil }
        let turn = addTurn(of: source) { reference -> (value: Value, isStale: Bool)? in
            guard let payload = try await source.read() else { return nil }
            let isStale = try await source.isStale(payload)
            return try reference.client.map { (try $0.unwrap(payload), isStale) }
        }
        source.lane.run(environment.launch)
        return try unwrap(try await outcome(ofTurn: turn))
    }

    /// Has the source read, and what is there fetched as demanded, and waits for the end of both.
    ///
    /// - Throws: What the fetch threw; `CancellationError` when the caller is cancelled, or there is nothing in the end.
    @discardableResult
    package func consult<Value>(_ definition: QueryDefinition<Value>, _ demand: Demand) async throws -> Value {
        let waiter = Waiter()
        let slot = try withSlot(for: definition) { state, work, moment, slot in
            try state.add(waiter, to: slot, moment, &work)
            state.send(.source(.consult(demand)), to: slot, moment, &work)
            return slot
        }
        return try unwrap(try await outcome(of: waiter, at: slot))
    }

    /// Calls `handler` once the source is read of what an observer watches: at once, unless it is being read.
    package func onceRead(_ core: ObserverCore, _ handler: @escaping @Sendable () -> Void) {
        let reader = state.withLock { _ -> Waiter? in
            guard let slot = core.slot, let source = slot.entry.side?.source, !source.isIdle else { return nil }
            let reader = Waiter()
            slot.makeExtras().readers.append(reader)
            return reader
        }
        guard let reader else { return handler() }
        _ = environment.launch {
            _ = try? await reader.value {}
            handler()
        }
    }
}
