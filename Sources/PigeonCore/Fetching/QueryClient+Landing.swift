extension QueryClient {
    /// Runs one attempt of a fetch. If the fetcher does not suspend, it has ended when this returns.
    func launch(_ run: FetchRun, attempt: Int) {
        trace(run)
        if isClosed {
            refuse(run)
        } else if let fault = fault(of: run.key) {
            disturb(run, attempt: attempt, fault)
        } else {
            begin(run, attempt: attempt)
        }
    }

    private func begin(_ run: FetchRun, attempt: Int) {
        let trace = isTraced.value > 0 ? run.trace : nil
        if let direction = run.direction {
            let task = environment.launch {
                run.noteTask()
                let outcome = await run.attempting(in: trace) { await Self.loadPage(direction, run) }
                run.client.client?.land(outcome, of: run)
            }
            return run.hold(task)
        }
        switch run.fetcher.work {
        case .begun(let begin) where !run.mayWait: begin(run, nil)
        case .begun(let begin):
            let task = environment.launch {
                do { try await run.enterUpstream() } catch { return begin(run, error) }
                begin(run, nil)
            }
            run.hold(task)
        case .awaited(let fetch):
            let origin = run.mayWait ? limited(fetch) : fetch
            let fetch = if let sharer { shared(origin, of: run.slot, by: sharer) } else { origin }
            let task = environment.launch {
                run.noteTask()
                run.end(with: await run.attempting(in: trace) { await fetch(run) })
            }
            run.hold(task)
        }
    }

    /// A fetch that first waits until it may ask its server.
    private func limited(
        _ fetch: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) -> @Sendable (FetchRun) async -> FetchOutcome {
        { run in
            do { return try await run.atUpstream { await fetch(run) } } catch { return .failure(error) }
        }
    }

    private func disturb(_ run: FetchRun, attempt: Int, _ fault: FetchFault) {
        switch fault {
        case .failure: fail(run, FetchFault.Failure())
        case .hang: break  // until the entry stops it
        case .delay(let time):
            let alarm = clock.schedule(at: clock.now().advanced(by: time)) {
                guard !run.isStopped, let client = run.client.client else { return }
                if client.isClosed { client.refuse(run) } else { client.begin(run, attempt: attempt) }
            }
            run.onStop { alarm.cancel() }
        }
    }

    private func refuse(_ run: FetchRun) {
        fail(run, QueryError.closed(name: run.key.description))
    }

    /// Ends an attempt without asking its server.
    private func fail(_ run: FetchRun, _ error: any Error) {
        if case .begun(let begin) = run.fetcher.work { return begin(run, error) }
        if run.direction != nil { land(PageOutcome.failure(error), of: run) } else { run.end(with: .failure(error)) }
    }

    func land(_ outcome: FetchOutcome, of run: FetchRun) {
        guard let source = run.fetcher.source else { return settle(outcome, of: run) }
        switch outcome {
        case .value(let payload): save(payload, of: run, in: source, isLast: true)
        // Values that the fetcher yielded are saved first.
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
            commit(to: slot, as: .answer(generation), base: { _ in payload }, said: run.said) {
                .answer(generation: generation, .value($0))
            }
        case .notModified:
            let lifetime = state.withLock { _ in Lifetime(slot) }
            let said = run.said
            let freshFor = lifetime.freshFor(run.previous, said: said.freshFor, random: environment.random)
            let isAsItWas = transact { state, work, moment in
                // The content of a source of truth stays. Otherwise the value lands again if the program has written
                // another one since, or if a change was confirmed before the request.
                guard run.fetcher.source != nil || slot.entry.isUnchanged(run.previous, for: generation) else {
                    return false
                }
                let input = EntryInput.answer(generation: generation, .notModified(freshFor: freshFor, age: said.age))
                state.send(input, to: slot, terms: said.terms, moment, &work)
                return true
            }
            // "Not modified" refers to the value that the server sent before.
            if !isAsItWas, let previous = run.previous { land(.value(previous), of: run) }
        case .unneeded: send(.answer(generation: generation, .finished), to: slot)
        case .finished where run.hasYielded:
            send(.answer(generation: generation, .finished), to: slot)
        case .finished:
            fail(QueryError.noValue(key: run.key), run)
        case .failure(let error) where TransientError.isCancellation(error):
            send(.answer(generation: generation, .cancelled), to: slot)
        case .failure(let error): fail(error, run)
        }
    }

    /// Lands a value that a fetcher yields while it continues.
    package func land(yielded payload: Payload, from run: FetchRun) {
        guard run.noteYield() else { return }
        if let source = run.fetcher.source { return save(payload, of: run, in: source, isLast: false) }
        commit(to: run.slot, as: .answer(run.generation), base: { _ in payload }, said: run.said) {
            .yield(generation: run.generation, $0)
        }
    }

    /// Evaluates the retry policy outside the lock, and sends the failure to the entry.
    func fail(_ error: any Error, _ run: FetchRun) {
        let (policy, failures) = state.withLock { _ -> (RetryPolicy, Int) in
            let entry = run.slot.entry
            return (entry.options.values.retry, entry.failures(of: run.generation))
        }
        let wait = isClosed ? nil : policy.wait(after: error, failures: failures, random: environment.random())
        send(.answer(generation: run.generation, .failure(Failure(error), retryIn: wait)), to: run.slot)
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
        do {
            let page = try await run.atUpstream { try await pager.load(direction, from: pages, run: run) }
            return page.map { .page($0) } ?? .end
        } catch {
            return .failure(error)
        }
    }

    private func land(_ outcome: PageOutcome, of run: FetchRun) {
        let (slot, generation) = (run.slot, run.generation)
        switch outcome {
        case .page(let page) where run.fetcher.source != nil:
            if let source = run.fetcher.source { save(page, of: run, in: source) }
        case .page(let page):
            let landed = commit(
                to: slot, as: .addition(), base: { $0.flatMap { page.added(to: $0) } }
            ) { .answer(generation: generation, .value($0)) }
            if landed == nil { send(.answer(generation: generation, .misplaced), to: slot) }
        case .end: send(.answer(generation: generation, .finished), to: slot)
        case .failure(let error) where TransientError.isCancellation(error):
            send(.answer(generation: generation, .cancelled), to: slot)
        case .failure(let error): fail(error, run)
        }
    }

    // MARK: Committing

    /// The state from which a landing is prepared.
    private struct Ground {
        let base: Payload?
        let shown: Payload?
        let layers: [Layer]
        let survivors: [Layer]
        let arrivals: UInt32
        let revision: UInt64
        let costOf: (@Sendable (Payload) -> Int)?
        let lifetime: Lifetime
        let isFinal: (@Sendable (Payload) -> Bool)?

        /// Called under the client's lock.
        init(_ slot: Slot, _ origin: LandingOrigin, dropping mutation: UInt64?) {
            // Reads single fields, because a local variable would copy the entry.
            layers = slot.entry.layers
            var base = slot.entry.base
            var needed = layers
            switch origin {
            case _ where layers.isEmpty: break
            case .answer(let generation): needed = slot.entry.layersSurviving(landingOf: generation)
            case .value: needed = layers.filter { !$0.isConfirmed }
            case .edit(let policy):
                // An edit applies to the value that the server has confirmed. Confirmed layers stay apart from the edit
                // if an earlier fetch may still land below it, or if the base may already include them.
                guard policy == .keep || !slot.entry.isBusy, !slot.entry.hasDoubt else { break }
                base = slot.entry.settled
                needed = layers.filter { !$0.isConfirmed }
            case .addition: break
            }
            self.base = base
            shown = slot.entry.shown
            survivors = mutation == nil ? needed : needed.filter { $0.patch.mutation != mutation }
            arrivals = slot.entry.arrivalCount
            revision = slot.entry.revision
            costOf = slot.extras?.costOf
            lifetime = Lifetime(slot)
            isFinal = slot.extras?.isFinal
        }
    }

    /// The state from which the freshness of a value is computed.
    private struct Lifetime {
        let computed: (@Sendable (Payload) -> Int64?)?
        let staleAfter: StaleTime
        let jitter: Double

        /// Called under the client's lock.
        init(_ slot: Slot) {
            computed = slot.extras?.freshFor
            staleAfter = slot.entry.options.values.staleAfter
            jitter = slot.entry.options.values.expiryJitter
        }

        /// The freshness of a value, in nanoseconds: the one that the server said or that the definition computes, made
        /// shorter by a random part. `nil` if the stale times of the observers apply. Calls user code.
        func freshFor(_ value: Payload?, said: Int64?, random: () -> UInt64) -> Int64? {
            let own = said ?? value.flatMap { computed?($0) }
            guard jitter > 0 else { return own }
            let whole: Int64
            switch (own, staleAfter.kind) {
            case (let own?, _): whole = own
            case (nil, .after(let nanoseconds)): whole = nanoseconds
            case (nil, .never), (nil, .immutable): return nil
            }
            return whole - Int64(Double(whole) * jitter * random().fraction)
        }
    }

    /// A value that was prepared outside the lock, and the state from which it was prepared.
    private struct Prepared {
        let slot: Slot
        let landing: Landing
        let cost: Int
        let revision: UInt64
        let terms: AnswerTerms?

        /// Called under the client's lock.
        var isCurrent: Bool { slot.entry.revision == revision }
    }

    /// Prepares a value: applies layers, compares, estimates its cost. Calls user code, so it must not be called under
    /// a lock.
    private func prepare(
        _ base: (Payload?) -> Payload?, for slot: Slot, as origin: LandingOrigin, dropping mutation: UInt64?,
        said: FetchRun.Answer? = nil
    ) -> Prepared? {
        let ground = state.withLock { _ in Ground(slot, origin, dropping: mutation) }
        guard let newBase = base(ground.base) else { return nil }
        let newShown = Layers.show(ground.survivors, on: newBase) ?? newBase
        let isSame = !origin.isAddition && (ground.shown.map { newShown.isEqual(to: $0) } ?? false)
        var landing = Landing(
            base: newBase, shown: newShown,
            layers: ground.survivors.count == ground.layers.count ? nil : ground.survivors,
            settled: origin.isEdit
                ? Layers.settle(ground.survivors, on: newBase, showing: newShown, arrivals: ground.arrivals) : nil,
            isSame: isSame,
            freshFor: ground.lifetime.freshFor(newBase, said: said?.freshFor, random: environment.random),
            isFinal: ground.isFinal?(newBase) ?? false)
        if let said { landing.age = said.age }
        let cost = cost(of: newShown, by: ground.costOf)
        return Prepared(slot: slot, landing: landing, cost: cost, revision: ground.revision, terms: said?.terms)
    }

    /// Prepares a value outside the lock, and commits it under the lock. If the entry has changed in the meantime,
    /// prepares the value again.
    ///
    /// - Parameters:
    ///   - origin: The origin of the value, which decides which layers it already includes. Those layers are dropped.
    ///   - base: Computes the new server value from the current one. `nil` commits nothing.
    ///   - mutation: A mutation whose result the value includes. Its layers are dropped.
    ///   - isRefused: Called under the lock. If it returns true, nothing is committed.
    ///   - said: The server's words about the value, which the entry takes with it.
    ///   - input: Creates the input for the entry.
    @discardableResult
    func commit(
        to slot: Slot, as origin: LandingOrigin, base: (Payload?) -> Payload?, dropping mutation: UInt64? = nil,
        unless isRefused: (ClientState) -> Bool = { _ in false }, said: FetchRun.Answer? = nil,
        input: (Landing) -> EntryInput
    ) -> Payload? {
        while let value = prepare(base, for: slot, as: origin, dropping: mutation, said: said) {
            var isOver = false
            let isCommitted = transact { state, work, moment in
                isOver = isRefused(state)
                guard !isOver, value.isCurrent else { return false }
                send(value, as: input, &state, moment, &work)
                return true
            }
            if isCommitted { return value.landing.shown }
            if isOver { return nil }
        }
        return nil
    }

    /// Prepares values for several entries outside the lock, and commits them in one transaction. If one of the entries
    /// has changed in the meantime, prepares the values again.
    ///
    /// - Parameter base: Computes the new server value of an entry from the current one. `nil` leaves the entry alone.
    /// - Returns: Number of entries that received a value.
    func commit(
        to slots: [Slot], as origin: LandingOrigin, base: (Payload?) -> Payload?, dropping mutation: UInt64?,
        input: (Landing) -> EntryInput
    ) -> Int {
        while true {
            let values = slots.compactMap { prepare(base, for: $0, as: origin, dropping: mutation) }
            let count = transact { state, work, moment -> Int? in
                if state.isCleared(mutation ?? .max) { return 0 }
                let values = values.filter { !$0.slot.isRemoved }
                guard values.allSatisfy(\.isCurrent) else { return nil }
                for value in values { send(value, as: input, &state, moment, &work) }
                return values.count
            }
            if let count { return count }
        }
    }

    private func send(
        _ value: Prepared, as input: (Landing) -> EntryInput, _ state: inout ClientState, _ moment: Moment,
        _ work: inout Work
    ) {
        state.send(input(value.landing), to: value.slot, terms: value.terms, moment, &work)
        // The record in the cache is older than this value, so there is no need to read it.
        if value.slot.needsHydration, state.missingEdits(of: value.slot).isEmpty {
            value.slot.extras?.isHydrated = true
        }
        // A value that the entry dropped has no cost.
        if budget != nil, !value.isCurrent { state.charge(value.slot, value.cost, moment, &work) }
    }
}

/// The origin of a value that is about to land, which decides which optimistic layers it already includes.
enum LandingOrigin {
    /// The answer of a fetch. Includes the changes that were confirmed before its request.
    case answer(UInt64)
    /// A complete value from the program. Includes all confirmed changes.
    case value
    /// An edit of the existing value by the program.
    case edit(WritePolicy)
    /// A page, or the content of a source of truth. Includes no layers. A page always differs, so it is not compared.
    case addition(isCompared: Bool = false)

    fileprivate var isEdit: Bool {
        if case .edit = self { true } else { false }
    }

    fileprivate var isAddition: Bool {
        if case .addition(isCompared: false) = self { true } else { false }
    }
}

extension Layers {
    /// Applies layers to a base. Calls user code, so it must not be called under a lock.
    static func show(_ layers: [Layer], on base: Payload?) -> Payload? {
        layers.reduce(base) { $1.patch.apply($0) ?? $0 }
    }

    /// Applies the settled layers to a base. Calls user code, so it must not be called under a lock.
    ///
    /// - Parameters:
    ///   - shown: The base with all layers applied, which is reused if possible.
    ///   - mutation: A mutation that has just succeeded.
    static func settle(
        _ layers: [Layer], on base: Payload?, showing shown: Payload?, arrivals: UInt32,
        confirming mutation: UInt64? = nil
    ) -> Payload? {
        func isSettled(_ layer: Layer) -> Bool { layer.isSettled(arrivals: arrivals, confirming: mutation) }
        return layers.allSatisfy(isSettled) ? shown : show(layers.filter(isSettled), on: base)
    }
}
