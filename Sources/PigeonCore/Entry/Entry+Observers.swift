extension Entry {
    mutating func attach(_ terms: ObserverTerms, _ moment: Moment, _ effects: inout EffectBuffer) {
        observers.set(terms)
        keep(for: terms.options.values.keepFor.clampedNanoseconds)
        noteStaleness(of: terms, moment)
        guard terms.isEnabled, hasFetcher else { return }
        guard !hasSource else { return consult(for: terms, moment, &effects) }
        fetchIfNeeded(for: terms, moment, &effects)
    }

    /// An observer's options or its enabled flag changed: fetches only if the value is stale, whatever the trigger for
    /// new observers says. (T23) The entry stays as it is: only that observer sees it in other terms.
    mutating func renew(_ terms: ObserverTerms, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let wasEnabled = observers[terms.id]?.isEnabled else { return }
        observers.set(terms)
        settleStaleness(moment)
        guard terms.isEnabled, !wasEnabled, hasFetcher, !isBusy else { return }
        let mayFetch = terms.options.values.fetchesOnAttach
        guard !hasSource else { return consult(mayFetch ? .ifStale(.observed) : .nothing, moment, &effects) }
        guard mayFetch, isStale(for: terms.options.values.staleAfter, at: moment.now) else { return }
        fetch(.observed, .join, fromStart: false, moment, &effects)
    }

    mutating func detach(_ id: UInt64, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard observers.remove(id) else { return }
        reconsiderStaleness(moment)
        abandonIfUnused(moment, &effects)
    }

    mutating func leave(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard waiters > 0 else { return }
        waiters -= 1
        abandonIfUnused(moment, &effects)
    }

    /// A first load fetches always, unless it failed before and that is not to be repeated; a value that is there is
    /// refetched as the trigger says. (T20–T22)
    private mutating func fetchIfNeeded(for terms: ObserverTerms, _ moment: Moment, _ effects: inout EffectBuffer) {
        let options = terms.options.values
        guard options.fetchesOnAttach else { return }
        guard shown != nil else {
            guard failure == nil || options.retriesOnAttach else { return }
            return fetch(.observed, .join, fromStart: false, moment, &effects)
        }
        guard wants(options.refetchOnAttach, options, moment) else { return }
        fetch(.observed, .join, fromStart: false, moment, &effects)
    }

    func wants(_ trigger: RefetchTrigger, _ options: QueryOptions, _ moment: Moment) -> Bool {
        guard options.staleAfter.kind != .fixed || shown == nil else { return false }
        return switch trigger {
        case .never: false
        case .ifStale: isStale(for: options.staleAfter, at: moment.now)
        case .always: true
        }
    }

    /// The last one interested left. A paused first load is called off (T44); one that runs ends as the definition
    /// says (A13).
    mutating func abandonIfUnused(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard !hasInterest else { return }
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
        guard !isPausedFirstLoad, options.values.whenAbandoned == .finish else {
            return cancel(.abandoned, moment, &effects)
        }
        guard !flight.isRunning, let failure = flight.lastFailure else { return }
        // The attempt that failed was the last (T38): what waits for a retry, or for the network to retry, ends as the
        // failure it is.
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
        // Last, so that a page waits for the refresh instead of being replaced by it (A24).
        resumePages(moment, &effects)
    }

    /// What is stale is known only by reading the source.
    private mutating func consult(
        _ change: SurroundingsChange, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        var wanted = SourceDemand.nothing
        for terms in observers where terms.isEnabled {
            let options = terms.options.values
            let (trigger, cause): (RefetchTrigger, Cause)
            switch change {
            case .conditions: return
            case .reconnected: (trigger, cause) = (options.reconnectTrigger, .reconnect)
            case .returned: (trigger, cause) = (options.refetchOnForeground, .foreground)
            }
            guard trigger != .never else { continue }
            wanted = wanted.joined(with: demand(of: trigger, cause))
        }
        guard wanted != .nothing else { return }
        consult(wanted, moment, &effects)
    }

    private mutating func refetchIfWanted(
        _ change: SurroundingsChange, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard hasFetcher, activity == .idle else { return }
        guard !hasSource else { return consult(change, moment, &effects) }
        let wanting = observers.contains { terms in
            guard terms.isEnabled else { return false }
            let options = terms.options.values
            switch change {
            case .conditions: return false
            case .reconnected: return wants(options.reconnectTrigger, options, moment)
            case .returned: return wants(options.refetchOnForeground, options, moment)
            }
        }
        guard wanting else { return }
        if case .returned = change {
            fetch(.foreground, .join, fromStart: false, moment, &effects)
        } else {
            fetch(.reconnect, .join, fromStart: false, moment, &effects)
        }
    }
}
