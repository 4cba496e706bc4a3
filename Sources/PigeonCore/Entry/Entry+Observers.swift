extension Entry {
    mutating func attach(_ terms: ObserverTerms, _ moment: Moment, _ effects: inout EffectBuffer) {
        observers.set(terms)
        keep(for: terms.options.values.keepFor.clampedNanoseconds)
        noteStaleness(of: terms, moment)
        if hasSource { effects.add(.watchSource) }
        guard terms.isEnabled, hasFetcher else { return }
        meet(demandOfNewcomer(terms, moment), moment, &effects)
    }

    /// Updates the options or the enabled flag of an observer. Fetches only if the value is stale, regardless of the
    /// trigger for new observers (T23). The entry stays unchanged: only this observer's view of it differs.
    mutating func renew(_ terms: ObserverTerms, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let wasEnabled = observers[terms.id]?.isEnabled else { return }
        observers.set(terms)
        settleStaleness(moment)
        guard terms.isEnabled, !wasEnabled, hasFetcher, !isBusy || isFetchOutdated else { return }
        let options = terms.options.values
        let cause = options.named(.observed)
        meet(options.fetchesOnAttach ? demand(.ifStale, of: terms, cause, moment) : .nothing, moment, &effects)
    }

    mutating func detach(_ id: UInt64, _ moment: Moment) {
        guard observers.remove(id) else { return }
        reconsiderStaleness(moment)
    }

    mutating func leave() {
        guard waiters > 0 else { return }
        waiters -= 1
    }

    /// Returns the demand of a new observer. Without a value it always fetches, except after a failure that is not to
    /// be repeated. For an existing value, the trigger decides (T20–T22).
    private func demandOfNewcomer(_ terms: ObserverTerms, _ moment: Moment) -> Demand {
        let options = terms.options.values
        guard options.fetchesOnAttach else { return .nothing }
        guard rememberedFailure(for: options.rememberFailures, at: moment.now) == nil else { return .nothing }
        let cause = options.named(.observed)
        guard shown == nil else { return demand(options.refetchOnAttach, of: terms, cause, moment) }
        guard failure == nil || options.retriesOnAttach else { return .nothing }
        return demand(options.refetchOnAttach == .always ? .always : .ifStale, of: terms, cause, moment)
    }

    /// Returns the demand of an observer. For a source of truth, staleness is known only after it has been read.
    private func demand(
        _ trigger: RefetchTrigger, of terms: ObserverTerms, _ cause: Cause, _ moment: Moment
    ) -> Demand {
        let staleAfter = terms.options.values.staleAfter
        guard staleAfter.kind != .immutable || shown == nil else { return .nothing }
        return switch trigger {
        case .never: .nothing
        case .ifStale where hasSource: .ifStale(cause)
        case .ifStale: isDue(by: terms.options.values, at: moment.now) ? .always(cause) : .nothing
        case .always: .always(cause)
        }
    }

    /// Starts the fetch that observers demand. A source of truth is always read first.
    private mutating func meet(_ demand: Demand, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard !hasSource else { return consult(demand, moment, &effects) }
        if case .always(let cause) = demand { fetch(cause, .join, fromStart: false, moment, &effects) }
    }

    /// Handles the loss of the last observer or waiter. A paused first load is cancelled (T44). For a running fetch,
    /// the definition decides (A13).
    mutating func abandon(_ moment: Moment, _ effects: inout EffectBuffer) {
        if options.values.whenAbandoned == .cancel {
            callOffDemands()
            stopPageLoads(.abandoned, &effects)
        }
        for target in pageTargets {
            if let load = self[target], load.phase != .running, let failure = load.lastFailure {
                fail(failure, load, target, moment, &effects)
            }
        }
        guard let flight else { return }
        let isPausedFirstLoad = activity == .paused && shown == nil
        guard !isPausedFirstLoad, !flight.isDelayed, options.values.whenAbandoned == .finish else {
            return cancel(.abandoned, moment, &effects)
        }
        guard !flight.isRunning, let failure = flight.lastFailure else { return }
        // No further attempt follows (T38): a fetch that waits to be retried ends with the error of its last attempt.
        fail(failure, flight, .whole, moment, &effects)
    }

    private mutating func noteStaleness(of terms: ObserverTerms, _ moment: Moment) {
        guard shown != nil, !isInvalidated, terms.isEnabled,
            let end = freshUntil(for: terms.options.values.staleAfter), end > moment.now
        else { return }
        staleAt = staleAt.map { min($0, end) } ?? end
    }

    mutating func surroundings(_ change: SurroundingsChange, _ moment: Moment, _ effects: inout EffectBuffer) {
        resumeIfPossible(moment, &effects)
        refetchIfWanted(change, moment, &effects)
        // Pages resume last, so that a page waits for the refresh instead of being replaced by it (A24).
        resumePages(moment, &effects)
    }

    private mutating func refetchIfWanted(
        _ change: SurroundingsChange, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard hasFetcher, activity == .idle, !isCleared else { return }
        var wanted = Demand.nothing
        for terms in observers where terms.isEnabled {
            guard let (trigger, cause) = change.refetch(by: terms.options.values) else { return }
            wanted = wanted.joined(with: demand(trigger, of: terms, cause, moment))
        }
        if wanted != .nothing { meet(wanted, moment, &effects) }
    }
}
