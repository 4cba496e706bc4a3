extension Entry {
    /// Applies one input, and appends the effects that the caller must carry out.
    package mutating func receive(_ input: EntryInput, at moment: Moment, into effects: inout EffectBuffer) {
        let before = version
        var hadInterest = hasInterest
        switch input {
        case .attach(let terms): attach(terms, moment, &effects)
        case .renew(let terms): renew(terms, moment, &effects)
        case .detach(let observer): detach(observer, moment)
        case .join: waiters += 1
        case .leave(let isServed):
            leave()
            if isServed { hadInterest = false }
        case .fetch(let cause, let mode, let fromStart, let isAwaited):
            if isAwaited { waiters += 1 }
            fetch(cause, mode, fromStart: fromStart, moment, &effects)
        case .cancel(let cause):
            stopPageLoads(cause, &effects)
            callOffDemands()
            cancel(cause, moment, &effects)
        case .cancelFetch(let generation, let cause): cancelFetch(generation, cause, moment, &effects)
        case .asked(let generation): noteAsked(generation)
        case .answer(let generation, let answer): land(answer, of: generation, moment, &effects)
        case .yield(let generation, let landing): yield(landing, of: generation, moment, &effects)
        case .progress(let generation, let progress): note(progress, of: generation)
        case .loadPage(let direction, let isFirst): loadPage(direction, isFirst: isFirst, moment, &effects)
        case .leavePage(let direction): leavePage(direction)
        case .write(let landing, let kind, let keepsOverFetch, let cause):
            write(landing, kind, keepsOverFetch: keepsOverFetch, cause, moment, &effects)
        case .hydrate(let payload, let age, let isStale, let freshFor, let isFinal):
            hydrate(payload, age: age, isStale: isStale, freshFor: freshFor, isFinal: isFinal, moment, &effects)
        case .renewRecord(let landing, let isStale): renewRecord(landing, isStale: isStale, moment, &effects)
        case .invalidate(let cause, let refetch): invalidate(cause, refetch, moment, &effects)
        case .reset(let initial, let age, let cause): reset(to: initial, age: age, cause, moment, &effects)
        case .clear(let cause):
            reset(to: nil, age: .zero, cause, moment, &effects)
            isCleared = true
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

    /// Marks a change that observers can see. One notification follows, however often this is called during an input.
    mutating func changed() {
        version += 1
    }

    /// Applies the options of a definition that is used with the entry. A fetch in flight keeps the options that it
    /// started with (T28). The next fetch uses the new ones.
    package mutating func adopt(_ options: ResolvedOptions) {
        if !isBusy { self.options = options } else { flight?.nextOptions = options }
        keep(for: options.values.keepFor.clampedNanoseconds)
    }

    /// Keeps an unused entry for the longest time that any definition asked for (T52), even if it is unused already.
    mutating func keep(for wanted: Int64) {
        guard wanted > keepFor else { return }
        if let due = collectAt { collectAt = wanted == .max ? nil : due.advanced(nanoseconds: wanted - keepFor) }
        keepFor = wanted
    }

    // MARK: Deadlines

    /// Updates the deadlines after an input.
    private mutating func settleDeadlines(_ moment: Moment, _ effects: inout EffectBuffer) {
        settlePolling(moment)
        settleCollection(moment)
        var earliest = collectAt
        func consider(_ candidate: MonotonicInstant?) {
            guard let candidate else { return }
            earliest = earliest.map { min($0, candidate) } ?? candidate
        }
        if observers.shortestPoll != nil { consider(pollAt) }
        consider(staleAt)
        consider(flightDue)
        for flight in overtaken { consider(flight.limit) }
        if let side {
            consider(side.next.flight?.due)
            consider(side.previous.flight?.due)
        }
        deadline = earliest
    }

    /// Polls at the shortest interval of the enabled observers. A shorter interval starts now. A longer one starts when
    /// the current interval started. While the observers that are left do not poll, the interval goes on without polls
    /// (A64).
    private mutating func settlePolling(_ moment: Moment) {
        guard !isFinal, !isCleared, let interval = observers.shortestPoll ?? observers.polledEvery else {
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

    /// Schedules collection from the time at which the entry became idle and unused. Any use cancels it.
    private mutating func settleCollection(_ moment: Moment) {
        guard !hasInterest, !isBusy, !isOptimistic, !hasSideWork else {
            collectAt = nil
            return
        }
        guard keepFor != .max else { return }
        if collectAt == nil { collectAt = moment.now.advanced(nanoseconds: keepFor) }
    }

    /// True if a page load is in flight, or the source of truth is being read.
    package var hasSideWork: Bool {
        guard let side else { return false }
        return side.next.isFetching || side.previous.isFetching || !side.source.isIdle
    }

    /// Computes the time of staleness again after observers changed. Keeps a time that has passed: observers are not
    /// notified of it yet, and its alarm may fire after this input (T17).
    mutating func reconsiderStaleness(_ moment: Moment) {
        if let staleAt, staleAt <= moment.now { return }
        settleStaleness(moment)
    }

    /// Computes when the value turns stale for the first enabled observer.
    mutating func settleStaleness(_ moment: Moment) {
        staleAt = nil
        guard shown != nil, !isInvalidated, let end = nextEnd(after: moment.now), end > moment.now else { return }
        staleAt = end
    }

    /// Returns the earliest time at which the value turns stale for an enabled observer that considers it fresh at
    /// `now`.
    private func nextEnd(after now: MonotonicInstant) -> MonotonicInstant? {
        if let freshFor { return observers.hasAgeing ? writtenAt.advanced(nanoseconds: freshFor) : nil }
        let (age, overflow) = now.nanoseconds.subtractingReportingOverflow(writtenAt.nanoseconds)
        guard !overflow else { return nil }
        return observers.shortestStaleTime(above: age).map { writtenAt.advanced(nanoseconds: $0) }
    }

    /// True if the value is stale for any enabled observer.
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
        if let pollAt, pollAt <= moment.now, observers.shortestPoll != nil { poll(moment, &effects) }
        for target in pageTargets { retryIfDue(target, moment, &effects) }
        if let collectAt, collectAt <= moment.now, !hasInterest {
            effects.event(.removed, .unused)
            effects.add(.collect)
        }
    }

    private mutating func poll(_ moment: Moment, _ effects: inout EffectBuffer) {
        pollAt = nil  // settled again from now, so missed ticks never accumulate
        guard mayRun(moment), hasFetcher else { return }
        // A fetch that was paused before the background counted goes on instead.
        resumeIfPossible(moment, &effects)
        fetch(.poll, .join, fromStart: false, moment, &effects)
    }
}
