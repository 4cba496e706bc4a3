extension Entry {
    /// Applies one input, and appends the effects that the caller must carry out.
    package mutating func receive(_ input: EntryInput, at context: EntryContext, into effects: inout some EntryEffects)
    {
        var hadInterest = hasInterest
        switch input {
        case .attach(let observer): attach(observer, context, &effects)
        case .renew(let observer): renew(observer, context, &effects)
        case .detach(let observer): detach(observer, context)
        case .join(let caller, let takesAny): add(caller, takesAny: takesAny)
        case .leave(let caller, let isServed):
            callers.removeAll { $0 === caller }
            if isServed { hadInterest = false }
        case .fetch(let cause, let mode, let fromStart, let caller, let request):
            if let caller { add(caller) }
            fetch(cause, mode, fromStart: fromStart, carrying: request, context, &effects)
        case .carry(let request, let generation): carry(request, generation)
        case .cancel(let cause):
            stopPageLoads(cause, &effects)
            callOffDemands()
            cancel(cause, context, &effects)
        case .cancelFetch(let generation, let cause): cancelFetch(generation, cause, context, &effects)
        case .requested(let generation): noteRequested(generation)
        case .answer(let generation, let answer): handle(answer, of: generation, context, &effects)
        case .yield(let generation, let candidate): yield(candidate, of: generation, context, &effects)
        case .progress(let generation, let progress): note(progress, of: generation)
        case .loadPage(let direction, let caller, let isFirst):
            add(caller)
            loadPage(direction, isFirst: isFirst, context, &effects)
        case .write(let candidate, let kind, let keepsOverFetch, let cause):
            write(candidate, kind, keepsOverFetch: keepsOverFetch, cause, context, &effects)
        case .hydrate(let found, let isFinal): hydrate(found, isFinal: isFinal, context, &effects)
        case .renewRecord(let candidate, let isStale): renewRecord(candidate, isStale: isStale, context, &effects)
        case .takeItems(let candidate, let isArrival, _, let persists, let cause):
            takeItems(candidate, isArrival: isArrival, persists: persists, cause, &effects)
        case .invalidate(let cause, let refetch): invalidate(cause, refetch, context, &effects)
        case .reset(let initial, let age, let cause): reset(to: initial, age: age, cause, context, &effects)
        case .clear(let cause):
            reset(to: nil, age: .zero, cause, context, &effects)
            isCleared = true
        case .layers(let stack, let shown, let isReplaced):
            change(stack, shown: shown, isReplaced: isReplaced, context, &effects)
        case .confirm(let mutation, let confirmedValue):
            confirm(mutation, confirmedValue: confirmedValue, context, &effects)
        case .source(let input): receive(input, context, &effects)
        case .surroundings(let change): surroundings(change, context, &effects)
        case .timePassed: timePassed(context, &effects)
        }
        if hadInterest, !hasInterest { abandon(context, &effects) }
        updateDeadlines(context, &effects)
    }

    /// Marks a change that observers can see. One notification follows, however often this is called during an input.
    mutating func changed() {
        version += 1
    }

    /// A fetch in flight keeps the options that it started with (T28). The next fetch uses the new ones.
    package mutating func adopt(_ options: ResolvedOptions) {
        if !isBusy { self.options = options } else { flight?.nextOptions = options }
        keep(for: options.values.keepFor.clampedNanoseconds)
    }

    /// Keeps an unused entry for the longest time that any definition requested (T52), even if it is unused already.
    mutating func keep(for wanted: Int64) {
        guard wanted > keepFor else { return }
        if let due = collectAt { collectAt = wanted == .max ? nil : due.advanced(nanoseconds: wanted - keepFor) }
        keepFor = wanted
    }

    // MARK: Deadlines

    private mutating func updateDeadlines(_ context: EntryContext, _ effects: inout some EntryEffects) {
        updatePolling(context)
        updateCollection(context)
        var earliest = collectAt
        func consider(_ candidate: MonotonicInstant?) {
            guard let candidate else { return }
            earliest = earliest.map { min($0, candidate) } ?? candidate
        }
        if observers.shortestPoll != nil { consider(pollAt) }
        consider(staleAt)
        consider(flightDue)
        for flight in olderFlights { consider(flight.limit) }
        if let side {
            consider(side.next.flight?.due)
            consider(side.previous.flight?.due)
        }
        deadline = earliest
    }

    /// Polls at the shortest interval of the enabled observers. A shorter interval starts now. A longer one starts when
    /// the current interval started. While the observers that are left do not poll, the interval continues without
    /// polls (A64).
    private mutating func updatePolling(_ context: EntryContext) {
        guard !isFinal, !isCleared, let interval = observers.shortestPoll ?? observers.polledEvery else {
            pollAt = nil
            return
        }
        let next = context.now.advanced(nanoseconds: interval)
        let longerBy = interval - (observers.polledEvery ?? interval)
        observers.polledEvery = interval
        guard let due = pollAt else {
            pollAt = next
            return
        }
        pollAt = longerBy > 0 ? due.advanced(nanoseconds: longerBy) : min(due, next)
    }

    /// Schedules collection from the time at which the entry became idle and unused. Any use cancels it.
    private mutating func updateCollection(_ context: EntryContext) {
        guard !hasInterest, !isBusy, !isOptimistic, !hasSideWork else {
            collectAt = nil
            return
        }
        guard keepFor != .max else { return }
        if collectAt == nil { collectAt = context.now.advanced(nanoseconds: keepFor) }
    }

    /// True if a page load is in flight, or the source of truth is being read.
    package var hasSideWork: Bool {
        guard let side else { return false }
        return side.next.isFetching || side.previous.isFetching || !side.source.isIdle
    }

    /// Computes the time of staleness again after observers changed. Keeps a time that has passed: observers are not
    /// notified of it yet, and its alarm may fire after this input (T17).
    mutating func reconsiderStaleness(_ context: EntryContext) {
        if let staleAt, staleAt <= context.now { return }
        updateStaleness(context)
    }

    /// Computes when the value turns stale for the first enabled observer.
    mutating func updateStaleness(_ context: EntryContext) {
        staleAt = nil
        guard shown != nil, !isInvalidated, let end = nextEnd(after: context.now), end > context.now else { return }
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

    func isStaleForAnyObserver(at now: MonotonicInstant) -> Bool {
        guard shown != nil else { return observers.hasEnabled }
        if isInvalidated { return observers.hasAgeing }
        if let freshFor { return observers.hasAgeing && now >= writtenAt.advanced(nanoseconds: freshFor) }
        return observers.shortestStaleTime.map { now >= writtenAt.advanced(nanoseconds: $0) } ?? false
    }

    private mutating func timePassed(_ context: EntryContext, _ effects: inout some EntryEffects) {
        stopOlderFlights({ $0.limit.map { $0 <= context.now } ?? false }, .timeLimit, &effects)
        endIfTooLong(.whole, context, &effects)
        for target in pageTargets { endIfTooLong(target, context, &effects) }
        if let staleAt, staleAt <= context.now {
            updateStaleness(context)
            changed()
            effects.event(.stale, .aged)
        }
        retryIfDue(.whole, context, &effects)
        if let pollAt, pollAt <= context.now, observers.shortestPoll != nil { poll(context, &effects) }
        for target in pageTargets { retryIfDue(target, context, &effects) }
        if let collectAt, collectAt <= context.now, !hasInterest {
            effects.event(.removed, .unused)
            effects.collect()
        }
    }

    private mutating func poll(_ context: EntryContext, _ effects: inout some EntryEffects) {
        pollAt = nil  // computed again from now, so missed ticks never accumulate
        guard mayRun(context), hasFetcher else { return }
        // A fetch that was paused before the background counted is resumed instead.
        resumeIfPossible(context, &effects)
        fetch(.poll, .join, fromStart: false, context, &effects)
    }
}
