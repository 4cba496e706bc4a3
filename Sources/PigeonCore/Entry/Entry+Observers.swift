extension Entry {
    mutating func attach(_ observer: AttachedObserver, _ context: EntryContext, _ effects: inout some EntryEffects) {
        observers.set(observer)
        keep(for: observer.options.values.keepFor.clampedNanoseconds)
        noteStaleness(of: observer, context)
        if hasSource { effects.watchSource() }
        guard observer.isEnabled, hasFetcher else { return }
        meet(demandOfNewObserver(observer, context), context, &effects)
    }

    /// Fetches only if the value is stale, regardless of the trigger for new observers (T23). The entry stays unchanged:
    /// only this observer's view of it differs.
    mutating func renew(_ observer: AttachedObserver, _ context: EntryContext, _ effects: inout some EntryEffects) {
        guard let wasEnabled = observers[observer.id]?.isEnabled else { return }
        observers.set(observer)
        updateStaleness(context)
        guard observer.isEnabled, !wasEnabled, hasFetcher, !isFetchingWhole || isFetchOutdated else { return }
        let options = observer.options.values
        let cause = options.named(.observed)
        meet(options.fetchesOnAttach ? demand(.ifStale, of: observer, cause, context) : .nothing, context, &effects)
    }

    mutating func detach(_ id: UInt64, _ context: EntryContext) {
        guard observers.remove(id) else { return }
        reconsiderStaleness(context)
    }

    /// Without a value, a new observer always fetches, except after a failure that is not to be repeated. For an existing
    /// value, the trigger decides (T20–T22).
    private func demandOfNewObserver(_ observer: AttachedObserver, _ context: EntryContext) -> Demand {
        let options = observer.options.values
        guard options.fetchesOnAttach else { return .nothing }
        guard rememberedFailure(for: options.rememberFailures, at: context.now) == nil else { return .nothing }
        let cause = options.named(.observed)
        guard shown == nil else { return demand(options.refetchOnAttach, of: observer, cause, context) }
        guard failure == nil || options.retriesOnAttach else { return .nothing }
        return demand(options.refetchOnAttach == .always ? .always : .ifStale, of: observer, cause, context)
    }

    /// For a source of truth, staleness is known only after it has been read.
    private func demand(
        _ trigger: RefetchTrigger, of observer: AttachedObserver, _ cause: Cause, _ context: EntryContext
    ) -> Demand {
        let staleAfter = observer.options.values.staleAfter
        guard staleAfter.kind != .immutable || shown == nil else { return .nothing }
        return switch trigger {
        case .never: .nothing
        case .ifStale where hasSource: .ifStale(cause)
        case .ifStale: isDue(by: observer.options.values, at: context.now) ? .always(cause) : .nothing
        case .always: .always(cause)
        }
    }

    /// A source of truth is always read first.
    private mutating func meet(_ demand: Demand, _ context: EntryContext, _ effects: inout some EntryEffects) {
        guard !hasSource else { return consult(demand, context, &effects) }
        if case .always(let cause) = demand { fetch(cause, .join, fromStart: false, context, &effects) }
    }

    /// Handles the loss of the last observer or waiter. A paused first load is cancelled (T44). For a running fetch,
    /// the definition decides (A13).
    mutating func abandon(_ context: EntryContext, _ effects: inout some EntryEffects) {
        if options.values.whenAbandoned == .cancel {
            callOffDemands()
            stopPageLoads(.abandoned, &effects)
        }
        for target in pageTargets {
            if let load = self[target], load.phase != .running, let failure = load.lastFailure {
                fail(failure, load, target, context, &effects)
            }
        }
        guard let flight else { return }
        let isPausedFirstLoad = activity == .paused && shown == nil
        guard !isPausedFirstLoad, !flight.isDelayed, options.values.whenAbandoned == .finish else {
            return cancel(.abandoned, context, &effects)
        }
        guard !flight.isRunning, let failure = flight.lastFailure else { return }
        // No further attempt follows (T38): a fetch that waits to be retried ends with the error of its last attempt.
        fail(failure, flight, .whole, context, &effects)
    }

    private mutating func noteStaleness(of observer: AttachedObserver, _ context: EntryContext) {
        guard shown != nil, !isInvalidated, observer.isEnabled,
            let end = freshUntil(for: observer.options.values.staleAfter), end > context.now
        else { return }
        staleAt = staleAt.map { min($0, end) } ?? end
    }

    mutating func surroundings(
        _ change: SurroundingsChange, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        resumeIfPossible(context, &effects)
        refetchIfWanted(change, context, &effects)
        // Pages resume last, so that a page waits for the refresh instead of being replaced by it (A24).
        resumePages(context, &effects)
    }

    private mutating func refetchIfWanted(
        _ change: SurroundingsChange, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard hasFetcher, !isFetchingWhole, !isCleared else { return }
        var wanted = Demand.nothing
        for observer in observers where observer.isEnabled {
            guard let (trigger, cause) = change.refetch(by: observer.options.values) else { return }
            wanted = wanted.joined(with: demand(trigger, of: observer, cause, context))
        }
        if wanted != .nothing { meet(wanted, context, &effects) }
    }
}
