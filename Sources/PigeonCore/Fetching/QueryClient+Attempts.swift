extension QueryClient {
    /// Runs one attempt of a fetch. A fetcher that does not suspend has usually ended when this returns: see
    /// ``QueryEnvironment/launch``.
    func launch(_ run: FetchRun) {
        trace(run)
        if isClosed {
            refuse(run)
        } else if let fault = fault(of: run.key) {
            disturb(run, fault)
        } else {
            callFetcher(of: run)
        }
    }

    private func callFetcher(of run: FetchRun) {
        switch (run.direction, run.fetcher.work) {
        case (nil, .callback(let begin)): start(run, by: begin)
        case (nil, .awaited(let fetch)):
            let fetch = run.mayWait ? limited(fetch) : fetch
            // Others share whole values.
            if let sharer, !run.isPartial {
                start(run, by: shared(fetch, of: run.slot, by: sharer))
            } else {
                start(run, by: fetch)
            }
        case (_?, _): start(run, by: run.mayWait ? limited(Self.loadPage) : Self.loadPage)
        }
    }

    private func start(_ run: FetchRun, by fetch: @escaping @Sendable (FetchRun) async -> FetchOutcome) {
        let trace = isTraced.value > 0 ? run.trace : nil
        let task = environment.launch {
            run.noteTask()
            let outcome = await run.attempting(in: trace) { await fetch(run) }
            run.client.client?.finish(run, with: outcome)
        }
        run.hold(task)
    }

    /// Starts an attempt whose answer arrives outside of its task.
    private func start(_ run: FetchRun, by begin: @escaping @Sendable (FetchRun, (any Error)?) -> Void) {
        guard run.mayWait else { return begin(run, nil) }
        let task = environment.launch {
            do { try await run.enterUpstream() } catch { return begin(run, error) }
            begin(run, nil)
        }
        run.hold(task)
    }

    /// Makes a fetch wait until it may call its server.
    private func limited(
        _ fetch: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) -> @Sendable (FetchRun) async -> FetchOutcome {
        { run in
            do { return try await run.atUpstream { await fetch(run) } } catch { return .failure(error) }
        }
    }

    private func disturb(_ run: FetchRun, _ fault: FetchFault) {
        switch fault {
        case .failure: refuse(run, with: FetchFault.Failure())
        case .hang: break  // until the entry stops it
        case .delay(let time):
            let alarm = clock.schedule(at: clock.now().advanced(by: time)) {
                guard !run.isStopped, let client = run.client.client else { return }
                if client.isClosed { client.refuse(run) } else { client.callFetcher(of: run) }
            }
            run.onStop { alarm.cancel() }
        }
    }

    private func refuse(_ run: FetchRun) {
        refuse(run, with: QueryError.closed(name: run.key.description))
    }

    /// Ends an attempt without calling its server.
    private func refuse(_ run: FetchRun, with error: any Error) {
        if run.direction == nil, case .callback(let begin) = run.fetcher.work { return begin(run, error) }
        finish(run, with: .failure(error))
    }

    /// Takes the outcome of an attempt. If the value has a source of truth, it is saved there first.
    func finish(_ run: FetchRun, with outcome: FetchOutcome) {
        guard let source = run.fetcher.source else { return take(outcome, of: run) }
        switch outcome {
        case .value(let payload): save(payload, of: run, in: source, isLast: true)
        case .page(let page): save(page, of: run, in: source)
        // Values that the fetcher yielded are saved first.
        case .finished, .unneeded, .failure, .notModified:
            guard run.hasYielded else { return take(outcome, of: run) }
            finish(run, in: source) { $0.take(outcome, of: run) }
        }
    }

    private func take(_ outcome: FetchOutcome, of run: FetchRun) {
        let (slot, generation) = (run.slot, run.generation)
        switch outcome {
        case .value(let payload):
            commit(to: slot, as: .answer(generation), base: { _ in payload }, answerDetails: run.answerDetails) {
                .answer(generation: generation, .value($0))
            }
        case .page(let page):
            let list = commit(to: slot, as: .addition(), base: { $0.flatMap { page.added(to: $0) } }) {
                .answer(generation: generation, .value($0))
            }
            if list == nil { send(.answer(generation: generation, .misplaced), to: slot) }
        case .notModified: commitNotModified(run)
        case .unneeded: send(.answer(generation: generation, .finished), to: slot)
        case .finished where run.hasYielded || run.direction != nil:
            send(.answer(generation: generation, .finished), to: slot)
        case .finished: fail(QueryError.noValue(key: run.key), run)
        case .failure(let error) where TransientError.isCancellation(error):
            send(.answer(generation: generation, .cancelled), to: slot)
        case .failure(let error): fail(error, run)
        }
    }

    /// Commits the answer "not modified", which says that the value of an earlier request is still right.
    private func commitNotModified(_ run: FetchRun) {
        let (slot, generation, answerDetails) = (run.slot, run.generation, run.answerDetails)
        let lifetime = state.withLock { _ in Lifetime(slot) }
        let freshFor = lifetime.freshFor(run.previous, named: answerDetails.freshFor, random: environment.random)
        let isAsItWas = transact { state in
            // The content of a source of truth stays. Otherwise the value is committed again if the program has written
            // another one since, or if a change was confirmed before the request.
            guard run.fetcher.source != nil || slot.entry.isUnchanged(run.previous, for: generation) else {
                return false
            }
            let input = EntryInput.answer(
                generation: generation, .notModified(freshFor: freshFor, age: answerDetails.age))
            state.send(input, to: slot, metadata: answerDetails.metadata)
            return true
        }
        // "Not modified" refers to the value that the server sent before.
        if !isAsItWas, let previous = run.previous { finish(run, with: .value(previous)) }
    }

    /// Commits a value that a fetcher yields while it continues.
    package func commit(yielded payload: Payload, from run: FetchRun) {
        guard run.noteYield() else { return }
        if let source = run.fetcher.source { return save(payload, of: run, in: source, isLast: false) }
        commit(to: run.slot, as: .answer(run.generation), base: { _ in payload }, answerDetails: run.answerDetails) {
            .yield(generation: run.generation, $0)
        }
    }

    /// Evaluates the retry policy outside the lock, and sends the failure to the entry.
    func fail(_ error: any Error, _ run: FetchRun) {
        // Reads single fields, because a local variable would copy the entry.
        let (policy, failures) = state.withLock { _ in
            (run.slot.entry.options.values.retry, run.slot.entry.failures(of: run.generation))
        }
        let wait = isClosed ? nil : policy.wait(after: error, failures: failures, random: environment.random())
        send(.answer(generation: run.generation, .failure(Failure(error), retryIn: wait)), to: run.slot)
    }

    func send(_ input: EntryInput, to slot: Slot) {
        transact { state in state.send(input, to: slot) }
    }

    @Sendable private static func loadPage(_ run: FetchRun) async -> FetchOutcome {
        guard let direction = run.direction, let pager = run.fetcher.pager, let pages = run.previous else {
            return .failure(QueryError.notPaged(key: run.key))
        }
        do {
            return try await pager.load(direction, from: pages, run: run).map { .page($0) } ?? .finished
        } catch {
            return .failure(error)
        }
    }
}
