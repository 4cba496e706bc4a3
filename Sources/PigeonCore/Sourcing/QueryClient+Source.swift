extension QueryClient {
    /// Carries out what a transaction left for sources of truth. To listen comes before to read, so that no change is missed.
    func perform(_ steps: [SourceStep]) {
        for step in steps {
            switch step {
            case .watch(let slot): watch(slot)
            case .read(let slot): read(slot)
            case .run(let lane): lane.run(environment.launch)
            }
        }
    }

    // MARK: Reading

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
            state.send(.readingBegan, to: slot, moment, &work)
            return true
        }
        guard isAsked else { return }
        switch source.readNow() {
        case .content(let payload, let isStale):
            show(payload, at: slot) { .reading(.content($0, isStale: isStale)) }
        case .nothing: send(.reading(.nothing), to: slot)
        }
    }

    /// Reads the source of a slot when its turn comes, and tells the entry. A source that hangs does not keep the client.
    static func read(_ slot: Slot, _ source: any SourceOfTruth, for reference: ClientReference) async {
        let demand = reference.client?.transact { state, work, moment in
            state.send(.readingBegan, to: slot, moment, &work)
            return slot.entry.sourceWork.running
        }
        guard let demand = demand ?? nil else { return }
        do {
            guard let payload = try await source.read() else {
                reference.client?.send(.reading(.nothing), to: slot)
                return
            }
            let judges = if case .ifStale = demand { true } else { false }
            let isStale = judges ? await Self.isStale(payload, in: source, of: slot, for: reference) : false
            reference.client?.show(payload, at: slot) { .reading(.content($0, isStale: isStale)) }
        } catch {
            reference.client?.send(.reading(.failure(Failure(error))), to: slot)
        }
    }

    /// A source that cannot tell has it fetched again: what is there is shown meanwhile.
    private static func isStale(
        _ payload: Payload, in source: any SourceOfTruth, of slot: Slot, for reference: ClientReference
    ) async -> Bool {
        do {
            return try await source.isStale(payload)
        } catch {
            reference.client?.report(slot, "the source could not tell whether it is stale", error)
            return true
        }
    }

    /// What a source holds now, and whether it is stale. A fetch under way is waited for; none is begun.
    ///
    /// - Throws: What reading threw; `CancellationError` when the caller is cancelled.
    package func look<Value>(at definition: QueryDefinition<Value>) async throws -> (value: Value, isStale: Bool)? {
        let waiter = Waiter()
        let slot = try withSlot(for: definition) { state, work, moment, slot in
            if slot.entry.flight != nil {
                slot.waiters.append(waiter)
                state.send(.join, to: slot, moment, &work)
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
    package func consult<Value>(_ definition: QueryDefinition<Value>, _ demand: SourceDemand) async throws -> Value {
        let waiter = Waiter()
        let slot = try withSlot(for: definition) { state, work, moment, slot in
            slot.waiters.append(waiter)
            state.send(.join, to: slot, moment, &work)
            state.send(.consult(demand), to: slot, moment, &work)
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

    // MARK: Writing

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
            let generation = slot.entry.askedGeneration
            work.sourceSteps.append(.run(source.lane))
            // Under the lock: whatever entry the key has later asks its source after this.
            return addTurn(of: source) { reference in
                do {
                    try await change()
                    guard let payload = try await source.read() else {
                        reference.client?.send(.writeSource(nil, asked: generation), to: slot)
                        return
                    }
                    reference.client?.show(payload, at: slot) { .writeSource($0, asked: generation) }
                } catch {
                    // Some of it may have been done.
                    reference.client?.send(.consult(.nothing), to: slot)
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
        let emptied = Waiter()
        let slot = try withSlot(for: definition) { state, work, moment, slot in
            state.clearSource(of: slot, &work, then: emptied)
            state.send(.reset(initial: nil, .written), to: slot, moment, &work)
            state.emit(.cleared, key: slot.key, .written, moment, &work)
            return slot
        }
        do {
            try await emptied.value { emptied.resume(.failure(CancellationError())) }
        } catch {
            send(.consult(.nothing), to: slot)
            throw error
        }
    }

    /// Adds a job to the lane of a source, which is to be run then.
    private func addTurn<Result: Sendable>(
        of source: any SourceOfTruth, _ body: @escaping @Sendable (ClientReference) async throws -> Result
    ) -> Waiter {
        let (waiter, reference) = (Waiter(), reference)
        source.lane.add {
            do {
                waiter.resume(.success(PayloadOf(try await body(reference))))
            } catch {
                waiter.resume(.failure(error))
            }
        }
        return waiter
    }

    /// Waits for the end of a turn. It goes on when the caller is cancelled: a change that has begun is carried through,
    /// and nobody else's waits for a caller that has gone.
    @discardableResult
    private func outcome(ofTurn waiter: Waiter) async throws -> Payload {
        try await waiter.value { waiter.resume(.failure(CancellationError())) }
    }

    // MARK: Saving answers

    /// Saves the answer of a fetch in its turn, if it still counts then, and shows what the source makes of it.
    func save(_ payload: Payload, of run: FetchRun, in source: any SourceOfTruth, isLast: Bool) {
        let (slot, generation, reference) = (run.slot, run.generation, reference)
        source.lane.add {
            guard let takes = reference.client?.takes(generation, at: slot) else { return }
            guard takes else {
                let late = Landing(base: payload, shown: payload)
                reference.client?.send(.answer(generation: generation, .value(late)), to: slot)
                return
            }
            do {
                try await source.save(payload)
                let saved = await Self.readBack(from: source, of: slot, for: reference) ?? payload
                reference.client?.show(saved, at: slot) { landing in
                    guard slot.entry.takesAnswer(of: generation) else { return .consult(.nothing) }
                    return isLast
                        ? .answer(generation: generation, .value(landing))
                        : .yield(generation: generation, landing)
                }
            } catch {
                // Some of it may have been saved.
                reference.client?.send(.consult(.nothing), to: slot)
                guard !isLast else {
                    reference.client?.fail(error, run) { .answer(generation: generation, .failure($0, retryIn: $1)) }
                    return
                }
                // The fetcher goes on: it is stopped, and not tried again beside itself.
                run.stop()
                reference.client?.send(
                    .answer(generation: generation, .failure(Failure(error), retryIn: nil)), to: slot)
            }
        }
        source.lane.run(environment.launch)
    }

    /// What a source makes of what it has saved. `nil` when it cannot be read: what was fetched is known all the same.
    private static func readBack(
        from source: any SourceOfTruth, of slot: Slot, for reference: ClientReference
    ) async -> Payload? {
        do {
            return try await source.read()
        } catch {
            reference.client?.report(slot, "the source could not be read after it was saved", error)
            return nil
        }
    }

    private func report(_ slot: Slot, _ problem: String, _ error: any Error) {
        report([QueryCacheProblem(key: slot.key, description: "\(problem): \(TransientError.label(error))")])
    }

    /// Tells the entry that a fetch ended whose values are being saved.
    func finish(_ run: FetchRun, in source: any SourceOfTruth, _ end: @escaping @Sendable (QueryClient) -> Void) {
        let reference = reference
        source.lane.add { if let client = reference.client { end(client) } }
        source.lane.run(environment.launch)
    }

    /// Saves a page in its turn, if it still follows then, and shows what the source makes of it.
    func save(_ page: any LoadedPage, _ direction: PageDirection, of run: FetchRun, in source: any SourceOfTruth) {
        let (slot, generation, reference) = (run.slot, run.generation, reference)
        source.lane.add {
            guard let takes = reference.client?.takesPage(direction, generation, at: slot) else { return }
            guard takes else {
                reference.client?.send(.pageAnswer(direction, generation: generation, .cancelled), to: slot)
                return
            }
            do {
                guard try await source.add(page, direction), let saved = try await source.read() else {
                    reference.client?.send(.pageAnswer(direction, generation: generation, .cancelled), to: slot)
                    // It holds something else than is shown.
                    reference.client?.send(.consult(.nothing), to: slot)
                    return
                }
                reference.client?.show(saved, at: slot, isAddition: true) { landing in
                    slot.entry.takesPage(direction, of: generation)
                        ? .pageAnswer(direction, generation: generation, .page(landing)) : .consult(.nothing)
                }
            } catch {
                reference.client?.send(.consult(.nothing), to: slot)
                reference.client?.fail(error, run) {
                    .pageAnswer(direction, generation: generation, .failure($0, retryIn: $1))
                }
            }
        }
        source.lane.run(environment.launch)
    }

    private func takes(_ generation: UInt64, at slot: Slot) -> Bool {
        state.withLock { _ in slot.entry.takesAnswer(of: generation) }
    }

    private func takesPage(_ direction: PageDirection, _ generation: UInt64, at slot: Slot) -> Bool {
        state.withLock { _ in slot.entry.takesPage(direction, of: generation) }
    }

    private func show(
        _ payload: Payload, at slot: Slot, isAddition: Bool = false, _ input: (Landing) -> EntryInput
    ) {
        commit(to: slot, generation: nil, base: { _ in payload }, isAddition: isAddition, input: input)
    }

    // MARK: Watching

    /// Listens to a source for as long as somebody observes the entry.
    func watch(_ slot: Slot) {
        guard let source = state.withLock({ _ in slot.fetcher?.source }) else { return }
        let reference = reference
        let subscription = source.onChange { [weak slot] in
            guard let slot else { return }
            reference.client?.send(.consult(.nothing), to: slot)
        }
        guard let subscription else { return }
        let spare = state.withLock { _ -> QuerySubscription? in
            guard !slot.observers.isEmpty, slot.extras?.watch == nil else { return subscription }
            slot.makeExtras().watch = subscription
            return nil
        }
        spare?.cancel()
    }
}

extension ClientState {
    /// Empties the source of a slot in its turn, which is before that of whatever is asked for from now on.
    func clearSource(of slot: Slot, _ work: inout Work, then done: Waiter? = nil) {
        guard let source = slot.fetcher?.source else {
            if let done { work.resumptions.append((done, .success(.nothing))) }
            return
        }
        let client = client
        let key = slot.key
        source.lane.add {
            do {
                try await source.clear()
                client.client?.send(.sourceEmptied, to: slot)
                done?.resume(.success(.nothing))
            } catch {
                client.client?.send(.sourceEmptied, to: slot)
                client.client?.report([
                    QueryCacheProblem(
                        key: key, description: "the source could not be emptied: \(TransientError.label(error))")
                ])
                done?.resume(.failure(error))
            }
        }
        work.sourceSteps.append(.run(source.lane))
    }

    /// Notes in the source of a slot that what it holds is to be fetched again.
    func markSource(of slot: Slot, _ work: inout Work) {
        guard let source = slot.fetcher?.source else { return }
        let client = client
        let key = slot.key
        source.lane.add {
            do {
                try await source.markStale()
            } catch {
                client.client?.report([
                    QueryCacheProblem(
                        key: key, description: "the source could not be marked stale: \(TransientError.label(error))")
                ])
            }
        }
        work.sourceSteps.append(.run(source.lane))
    }
}
