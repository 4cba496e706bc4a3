extension QueryClient {
    /// Runs one attempt of a fetch. A fetcher that does not suspend has ended when this returns.
    func launch(_ run: FetchRun, attempt: Int) {
        guard let direction = run.direction else {
            let task = environment.launch {
                let outcome = await run.fetcher.run(run)
                run.client.client?.land(outcome, of: run)
                run.fetcher.afterLanding?(run)
            }
            return run.hold(task)
        }
        let task = environment.launch {
            let outcome = await Self.loadPage(direction, run)
            run.client.client?.land(outcome, direction, of: run)
        }
        run.hold(task)
    }

    func land(_ outcome: FetchOutcome, of run: FetchRun) {
        guard let source = run.fetcher.source else { return settle(outcome, of: run) }
        switch outcome {
        case .value(let payload): save(payload, of: run, in: source, isLast: true)
        // What it brought before is saved first.
        case .finished, .unneeded, .failure, .notModified:
            guard run.hasYielded else { return settle(outcome, of: run) }
            finish(run, in: source) { $0.settle(outcome, of: run) }
        }
    }

    private func settle(_ outcome: FetchOutcome, of run: FetchRun) {
        let slot = run.slot
        let generation = run.generation
        switch outcome {
        case .value(let payload):
            commit(
                to: slot, generation: generation, base: { _ in payload }, freshFor: run.freshFor,
                validators: run.validators
            ) { .answer(generation: generation, .value($0)) }
        case .notModified:
            let computed = state.withLock { _ in slot.extras?.freshFor }
            let freshFor = run.freshFor ?? run.previous.flatMap { computed?($0) }
            let validators = run.validators
            let isAsItWas = transact { state, work, moment in
                // What a source holds is never put back to what was shown before.
                guard slot.entry.base === run.previous || run.fetcher.source != nil else { return false }
                slot.keep(validators, from: generation)
                state.send(.answer(generation: generation, .notModified(freshFor: freshFor)), to: slot, moment, &work)
                return true
            }
            // The program wrote meanwhile: what has not changed is what the server gave before.
            if !isAsItWas, let previous = run.previous { land(.value(previous), of: run) }
        case .unneeded: send(.answer(generation: generation, .finished), to: slot)
        case .finished where run.hasYielded:
            send(.answer(generation: generation, .finished), to: slot)
        case .finished:
            fail(QueryError.noValue(key: run.key), run) { .answer(generation: generation, .failure($0, retryIn: $1)) }
        case .failure(let error) where TransientError.isCancellation(error):
            send(.answer(generation: generation, .cancelled), to: slot)
        case .failure(let error):
            fail(error, run) { .answer(generation: generation, .failure($0, retryIn: $1)) }
        }
    }

    /// A fetcher that goes on has one value more.
    package func land(yielded payload: Payload, from run: FetchRun) {
        guard !run.isStopped else { return }
        run.noteYield()
        if let source = run.fetcher.source { return save(payload, of: run, in: source, isLast: false) }
        commit(
            to: run.slot, generation: run.generation, base: { _ in payload }, freshFor: run.freshFor,
            validators: run.validators
        ) { .yield(generation: run.generation, $0) }
    }

    /// Asks the policy outside the lock, and tells the entry.
    func fail(_ error: any Error, _ run: FetchRun, _ input: (Failure, Duration?) -> EntryInput) {
        let (policy, failures) = state.withLock { _ -> (RetryPolicy, Int) in
            let entry = run.slot.entry
            let failures = run.direction.map { entry.side?[$0].failures ?? 0 } ?? entry.flight?.failures ?? 0
            return (entry.options.values.retry, failures)
        }
        let wait = policy.wait(after: error, failures: failures, random: environment.random())
        send(input(Failure(error), wait), to: run.slot)
    }

    func send(_ input: EntryInput, to slot: Slot) {
        transact { state, work, moment in state.send(input, to: slot, moment, &work) }
    }

    // MARK: Pages

    enum PageOutcome: Sendable {
        case page(any LoadedPage)
        case end
        case failure(any Error)
    }

    private static func loadPage(_ direction: PageDirection, _ run: FetchRun) async -> PageOutcome {
        guard let pager = run.fetcher.pager, let pages = run.previous else {
            return .failure(QueryError.notPaged(key: run.key))
        }
        guard pager.canLoad(direction, from: pages) else { return .end }
        do {
            return .page(try await pager.load(direction, from: pages, run: run))
        } catch {
            return .failure(error)
        }
    }

    private func land(_ outcome: PageOutcome, _ direction: PageDirection, of run: FetchRun) {
        let generation = run.generation
        switch outcome {
        case .page(let page) where run.fetcher.source != nil:
            if let source = run.fetcher.source { save(page, direction, of: run, in: source) }
        case .page(let page):
            let landed = commit(
                to: run.slot, generation: nil, base: { $0.flatMap { page.added(to: $0) } }, isAddition: true
            ) { .pageAnswer(direction, generation: generation, .page($0)) }
            if landed == nil { send(.pageAnswer(direction, generation: generation, .cancelled), to: run.slot) }
        case .end: send(.pageAnswer(direction, generation: generation, .end), to: run.slot)
        case .failure(let error) where TransientError.isCancellation(error):
            send(.pageAnswer(direction, generation: generation, .cancelled), to: run.slot)
        case .failure(let error):
            fail(error, run) { .pageAnswer(direction, generation: generation, .failure($0, retryIn: $1)) }
        }
        state.withLock { _ in
            if run.slot.run(of: direction) === run { run.slot.set(nil, of: direction) }
        }
    }

    // MARK: Committing

    /// What a landing is prepared from.
    private struct Ground {
        let base: Payload?
        let shown: Payload?
        let layers: [Layer]
        let survivors: [Layer]
        let revision: UInt64
        let costOf: (@Sendable (Payload) -> Int)?
        let freshFor: (@Sendable (Payload) -> Int64?)?

        /// Under the client's lock.
        init(_ slot: Slot, landingOf generation: UInt64?, dropping mutation: UInt64?) {
            base = slot.entry.base
            shown = slot.entry.shown
            layers = slot.entry.layers
            let needed = generation.map { slot.entry.layersSurviving(landingOf: $0) } ?? layers
            survivors = mutation == nil ? needed : needed.filter { $0.patch.mutation != mutation }
            revision = slot.entry.revision
            costOf = slot.extras?.costOf
            freshFor = slot.extras?.freshFor
        }
    }

    /// Prepares a value outside the lock (applying layers, comparing, estimating), and commits it if nothing it was
    /// prepared from has changed meanwhile; otherwise prepares it again.
    ///
    /// - Parameters:
    ///   - generation: The fetch whose answer it is: layers that it has the result of are dropped. `nil` keeps all.
    ///   - base: The new server value, from the present one. `nil` commits nothing.
    ///   - mutation: Whose layers the value has the result of.
    ///   - isRefused: Asked under the lock whether to commit nothing after all.
    ///   - validators: What the server gave with the value. They are kept or dropped with it: asking with a tag of another
    ///     value could be told that this one has not changed. `nil` leaves those that are there.
    ///   - isAddition: Whether the value is known to differ, so that comparing it would be a waste.
    ///   - input: What the entry is told.
    @discardableResult
    func commit(
        to slot: Slot, generation: UInt64?, base: (Payload?) -> Payload?, dropping mutation: UInt64? = nil,
        unless isRefused: (ClientState) -> Bool = { _ in false }, freshFor: Int64? = nil,
        validators: FetchValidators? = nil, isAddition: Bool = false, input: (Landing) -> EntryInput
    ) -> Payload? {
        while true {
            let ground = state.withLock { _ in Ground(slot, landingOf: generation, dropping: mutation) }
            guard let newBase = base(ground.base) else { return nil }
            let newShown = ground.survivors.reduce(newBase) { $1.patch.apply($0) ?? $0 }
            let isSame = !isAddition && (ground.shown.map { newShown.isEqual(to: $0) } ?? false)
            let freshFor = freshFor ?? ground.freshFor?(newBase)
            let landing = Landing(
                base: newBase, shown: newShown,
                layers: ground.survivors.count == ground.layers.count ? nil : ground.survivors, isSame: isSame,
                freshFor: freshFor)
            let cost = budget == nil ? 0 : ground.costOf?(newShown) ?? newShown.estimatedCost
            var isOver = false
            let isCommitted = transact { state, work, moment in
                isOver = isRefused(state)
                guard !isOver, slot.entry.revision == ground.revision else { return false }
                if let validators { slot.keep(validators, from: generation) }
                state.send(input(landing), to: slot, moment, &work)
                // One that was dropped costs nothing.
                if budget != nil, slot.entry.revision != ground.revision { state.charge(slot, cost, moment, &work) }
                return true
            }
            if isCommitted { return newShown }
            if isOver { return nil }
        }
    }
}
