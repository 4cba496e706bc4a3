extension Entry {
    /// Takes one input, changes by it, and says what must be done.
    package mutating func receive(_ input: EntryInput, at moment: Moment, into effects: inout EffectBuffer) {
        let (before, hadInterest) = (version, hasInterest)
        switch input {
        case .attach(let terms): attach(terms, moment, &effects)
        case .renew(let terms): renew(terms, moment, &effects)
        case .detach(let observer): detach(observer, moment)
        case .join: waiters += 1
        case .leave: leave()
        case .fetch(let cause, let mode, let fromStart):
            fetch(cause, mode, fromStart: fromStart, moment, &effects)
        case .cancel(let cause):
            stopPageLoads(cause, &effects)
            callOffDemands()
            cancel(cause, moment, &effects)
        case .cancelFetch(let generation, let cause): cancelFetch(generation, cause, moment, &effects)
        case .answer(let generation, let answer): land(answer, of: generation, moment, &effects)
        case .yield(let generation, let landing): yield(landing, of: generation, moment, &effects)
        case .progress(let generation, let progress): note(progress, of: generation)
        case .loadPage(let direction): loadPage(direction, moment, &effects)
        case .leavePage(let direction): leavePage(direction)
        case .write(let landing, let kind, let keepsOverFetch, let cause):
            write(landing, kind, keepsOverFetch: keepsOverFetch, cause, moment, &effects)
        case .hydrate(let payload, let age, let isStale, let freshFor):
            hydrate(payload, age: age, isStale: isStale, freshFor: freshFor, moment, &effects)
        case .invalidate(let cause, let refetch): invalidate(cause, refetch, moment, &effects)
        case .reset(let initial, let cause): reset(to: initial, cause, moment, &effects)
        case .layers(let stack, let shown): change(stack, shown: shown, moment, &effects)
        case .confirm(let mutation, let settled): confirm(mutation, settled: settled, moment, &effects)
        case .source(let input): receive(input, moment, &effects)
        case .surroundings(let change): surroundings(change, moment, &effects)
        case .timePassed: timePassed(moment, &effects)
        }
        if hadInterest, !hasInterest { abandon(moment, &effects) }
        settleDeadlines(moment, &effects)
        if version != before { effects.add(.notify) }
    }

    /// Marks that observers have something to see. One notification follows, however often it is called.
    mutating func changed() {
        version += 1
    }

    /// Gives the entry options from a definition that is used with it. A fetch under way keeps those it began with
    /// (T28), the next one takes these.
    package mutating func adopt(_ options: ResolvedOptions) {
        if !isBusy { self.options = options } else { flight?.nextOptions = options }
        keep(for: options.values.keepFor.clampedNanoseconds)
    }

    /// Keeps the entry for the longest time that anyone asked for (T52), also when it is already unused.
    mutating func keep(for wanted: Int64) {
        guard wanted > keepFor else { return }
        if let due = collectAt { collectAt = wanted == .max ? nil : due.advanced(nanoseconds: wanted - keepFor) }
        keepFor = wanted
    }

    // MARK: Deadlines

    /// Keeps the deadlines in step with what the input left behind.
    private mutating func settleDeadlines(_ moment: Moment, _ effects: inout EffectBuffer) {
        settlePolling(moment)
        settleCollection(moment)
        var earliest = collectAt
        func consider(_ candidate: MonotonicInstant?) {
            guard let candidate else { return }
            earliest = earliest.map { min($0, candidate) } ?? candidate
        }
        consider(pollAt)
        consider(staleAt)
        consider(flightDue)
        for flight in overtaken { consider(flight.limit) }
        if let side {
            consider(side.next.flight?.due)
            consider(side.previous.flight?.due)
        }
        deadline = earliest
    }

    /// Polls at the shortest interval that an enabled observer asks for. A shorter one counts from now, a longer one from
    /// where the present one began.
    private mutating func settlePolling(_ moment: Moment) {
        guard let interval = observers.shortestPoll else {
            pollAt = nil
            return
        }
        let next = moment.now.advanced(nanoseconds: interval)
        let longerBy = interval - (observers.polledEvery ?? interval)
        observers.polledEvery = interval
        guard let due = pollAt else {
            pollAt = next
            return
        }
        pollAt = longerBy > 0 ? due.advanced(nanoseconds: longerBy) : min(due, next)
    }

    /// Collection counts from when the entry became idle and unused; use of any kind calls it off.
    private mutating func settleCollection(_ moment: Moment) {
        guard !hasInterest, !isBusy, !isOptimistic, !hasSideWork else {
            collectAt = nil
            return
        }
        guard keepFor != .max else { return }
        if collectAt == nil { collectAt = moment.now.advanced(nanoseconds: keepFor) }
    }

    /// Whether a page is being loaded, or the source of truth read.
    package var hasSideWork: Bool {
        guard let side else { return false }
        return side.next.isFetching || side.previous.isFetching || !side.source.isIdle
    }

    /// Finds the moment again after observers changed. One that has passed untold is kept: it is still to be told, and
    /// the alarm for it may come after this input (T17).
    mutating func reconsiderStaleness(_ moment: Moment) {
        if let staleAt, staleAt <= moment.now { return }
        settleStaleness(moment)
    }

    /// Finds when the value will turn stale for the first observer that cares.
    mutating func settleStaleness(_ moment: Moment) {
        staleAt = nil
        guard shown != nil, !isInvalidated, let end = nextEnd(after: moment.now), end > moment.now else { return }
        staleAt = end
    }

    /// When the value turns stale by time for an enabled observer for whom it is fresh at a moment.
    private func nextEnd(after now: MonotonicInstant) -> MonotonicInstant? {
        if let freshFor { return observers.hasAgeing ? writtenAt.advanced(nanoseconds: freshFor) : nil }
        let (age, overflow) = now.nanoseconds.subtractingReportingOverflow(writtenAt.nanoseconds)
        guard !overflow else { return nil }
        return observers.shortestStaleTime(above: age).map { writtenAt.advanced(nanoseconds: $0) }
    }

    /// Whether any enabled observer would call the value stale.
    func isStaleForAnyObserver(at now: MonotonicInstant) -> Bool {
        guard shown != nil else { return observers.hasEnabled }
        if isInvalidated { return observers.hasAgeing }
        if let freshFor { return observers.hasAgeing && now >= writtenAt.advanced(nanoseconds: freshFor) }
        return observers.shortestStaleTime.map { now >= writtenAt.advanced(nanoseconds: $0) } ?? false
    }

    private mutating func timePassed(_ moment: Moment, _ effects: inout EffectBuffer) {
        stopOvertaken({ $0.limit.map { $0 <= moment.now } ?? false }, .timeLimit, &effects)
        endIfTooLong(.whole, moment, &effects)
        for target in pageTargets { endIfTooLong(target, moment, &effects) }
        if let staleAt, staleAt <= moment.now {
            settleStaleness(moment)
            changed()
            effects.event(.stale, .aged)
        }
        retryIfDue(.whole, moment, &effects)
        if let pollAt, pollAt <= moment.now { poll(moment, &effects) }
        for target in pageTargets { retryIfDue(target, moment, &effects) }
        if let collectAt, collectAt <= moment.now, !hasInterest {
            effects.event(.removed, .unused)
            effects.add(.collect)
        }
    }

    private mutating func poll(_ moment: Moment, _ effects: inout EffectBuffer) {
        pollAt = nil  // settled again from now, so ticks never pile up
        let mayRun = moment.isActive || observers.pollsInBackground
        guard mayRun, hasFetcher else { return }
        fetch(.poll, .join, fromStart: false, moment, &effects)
    }
}
