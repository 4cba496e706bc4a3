extension QueryClient {
    /// Reads the source of a slot. Reads at once if the source supports that and its queue is free. Otherwise adds a
    /// job.
    func read(_ slot: Slot) {
        guard let source = state.withLock({ _ in slot.fetcher?.source }) else { return }
        if source.readsAtOnce, source.queue.enter() {
            readNow(slot, source)
            return source.queue.leave(environment.launch)
        }
        let reference = reference
        source.queue.add { await Self.read(slot, source, for: reference) }
        source.queue.run(environment.launch)
    }

    private func readNow(_ slot: Slot, _ source: any AnySource) {
        let (isRequested, shown) = state.withLock { state in (state.beginReading(slot), slot.entry.shown) }
        guard isRequested else { return }
        guard let content = source.readNow() else { return send(.source(.reading(.nothing)), to: slot) }
        func input(_ candidate: CommitCandidate) -> EntryInput { .source(.reading(content.answer(candidate))) }
        if !content.isDated, content.payload === shown, commitUnchanged(content.payload, at: slot, input) { return }
        show(content, at: slot, input)
    }

    /// Commits content that the entry already shows. Nothing has to be prepared for it.
    ///
    /// - Returns: False if the entry shows something else.
    private func commitUnchanged(_ payload: Payload, at slot: Slot, _ input: (CommitCandidate) -> EntryInput) -> Bool {
        transact { state in
            guard slot.entry.isShowing(payload) else { return false }
            state.send(input(CommitCandidate(base: payload, shown: payload, isSame: true)), to: slot)
            return true
        }
    }

    /// Reads the source of a slot, and sends the result to the entry. Called by a job in the source's queue. A source
    /// that hangs does not retain the client.
    static func read(_ slot: Slot, _ source: any AnySource, for reference: ClientReference) async {
        let begun = reference.client?.transact { state in
            state.send(.source(.readingBegan), to: slot)
            return slot.entry.sourceWork.running.map { (demand: $0.demand, key: slot.key) }
        }
        guard let (demand, key) = begun ?? nil else { return }
        do {
            guard var content = try await source.read() else {
                reference.client?.send(.source(.reading(.nothing)), to: slot)
                return
            }
            if case .toBeAsked = content.freshness, case .ifStale = demand {
                let isStale = await isStale(content.payload, in: source, at: key, for: reference)
                content.freshness = .known(isStale: isStale)
            }
            reference.client?.show(content, at: slot) { [content] in .source(.reading(content.answer($0))) }
        } catch {
            reference.client?.send(.source(.reading(.failure(Failure(error)))), to: slot)
        }
    }

    /// Returns true if the content is stale. If the source cannot determine that, the content counts as stale: it is
    /// shown, and fetched again.
    private static func isStale(
        _ payload: Payload, in source: any AnySource, at key: QueryKey, for reference: ClientReference
    ) async -> Bool {
        do {
            return try await source.isStale(payload)
        } catch {
            reference.client?.report("the source could not tell whether it is stale", error, at: key)
            return true
        }
    }

    /// Reads the source of a definition, unless its entry certainly shows the content.
    ///
    /// - Throws: `CancellationError` if the caller is cancelled.
    func readSource<Value>(of definition: QueryDefinition<Value>) async throws {
        guard definition.fetcher?.source != nil else { return }
        let reader = try withSlot(for: definition) { state, slot in
            state.reader(of: slot)
        }
        try await reader?.outcome.value(onCancel: .resolves)
    }

    /// Waits for the end of a fetch in flight, whatever its outcome. Starts none.
    ///
    /// - Throws: ``QueryError/awaitsItself(key:)``, or `CancellationError` if the caller is cancelled.
    package func awaitFetch<Value>(of definition: QueryDefinition<Value>) async throws {
        let waiter = WaitingCaller()
        let slot = try withSlot(for: definition) { state, slot -> Slot? in
            guard slot.entry.isBusy else {
                state.touch(slot)
                return nil
            }
            try state.awaitOutcome(waiter, at: slot, takesAny: true)
            return slot
        }
        if let slot { _ = try? await outcome(of: waiter, at: slot) }
        try Task.checkCancellation()
    }

    /// Reads the source, fetches as demanded, and waits for both.
    ///
    /// - Throws: The error of the fetch, or `CancellationError` if the caller is cancelled or there is no value in the
    ///   end.
    @discardableResult
    package func consult<Value>(_ definition: QueryDefinition<Value>, _ demand: Demand) async throws -> Value {
        let waiter = WaitingCaller()
        let slot = try withSlot(for: definition) { state, slot in
            try state.awaitOutcome(waiter, at: slot)
            state.send(.source(.consult(demand)), to: slot)
            return slot
        }
        return try unwrap(try await outcome(of: waiter, at: slot))
    }

    /// Reads a source that can be read at once, and returns its content if the entry shows it already and it needs no
    /// fetch. Does what ``consult(_:_:)`` would do with the demand `.ifStale`, without a caller who waits.
    ///
    /// - Returns: `nil` if there is more to do.
    package func valueAtOnce<Value>(of definition: QueryDefinition<Value>) throws -> Value? {
        guard let fetcher = definition.fetcher, let source = fetcher.source, source.readsAtOnce,
            let (slot, shown) = state.withLock({ state in
                state.entries[definition.key].flatMap { slot in slot.entry.shown.map { (slot, $0) } }
            }), source.queue.enter()
        else { return nil }
        defer { source.queue.leave(environment.launch) }
        guard let content = source.readNow(), case .known(isStale: false) = content.freshness, content.payload === shown
        else { return nil }
        let payload = content.payload
        let value: Value = try unwrap(payload)
        func use(_ state: inout ClientState, _ slot: Slot) -> Bool {
            guard slot.entry.useAgain(payload) else { return false }
            state.touch(slot)
            return true
        }
        // Usually, the entry has the fetcher and the options of this definition already.
        let options = options.resolve(definition)
        let isUsed = transact { state in
            guard !slot.isRemoved, slot.fetcher === fetcher, slot.entry.options === options,
                state.missingEdits(of: slot).isEmpty
            else { return false }
            state.catchUp(slot)
            state.entries.use(slot)
            return use(&state, slot)
        }
        return try isUsed || withSlot(for: definition, with: options, use) ? value : nil
    }
}

extension ClientState {
    /// Requests a reading of a source of truth, unless the entry has none, certainly shows its content, or is being
    /// fetched.
    ///
    /// - Returns: A waiter for the end of the reading. `nil` if none is needed.
    mutating func reader(of slot: Slot) -> WaitingCaller? {
        guard slot.entry.hasSource, !slot.entry.isBusy else { return nil }
        let source = slot.entry.sourceWork
        // Without a subscription, the content may have changed.
        guard !source.isIdle || !source.wasRead || slot.extras?.watch == nil else { return nil }
        return awaitReading(of: slot)
    }

    /// Requests a reading of a source of truth, unless there is one already.
    ///
    /// - Returns: A waiter for the end of all readings.
    mutating func awaitReading(of slot: Slot) -> WaitingCaller {
        let reader = WaitingCaller()
        slot.makeExtras().readers.append(reader)
        if slot.entry.sourceWork.isIdle { send(.source(.consult(.nothing)), to: slot) }
        return reader
    }
}

extension SourceContent {
    fileprivate var isDated: Bool {
        switch freshness {
        case .dated, .outdated: true
        case .toBeAsked, .known: false
        }
    }

    fileprivate func answer(_ candidate: CommitCandidate) -> SourceAnswer {
        switch freshness {
        case .toBeAsked: .content(candidate, isStale: false)
        case .known(let isStale): .content(candidate, isStale: isStale)
        case .dated: .content(candidate, isStale: false, isDated: true)
        case .outdated: .content(candidate, isStale: true, isDated: true)
        }
    }
}
