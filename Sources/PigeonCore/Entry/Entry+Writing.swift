extension Entry {
    /// Makes a landing the value. Values that compare equal change only the time: the old instance stays (A3).
    mutating func put(
        _ landing: Landing, at moment: Moment, _ effects: inout EffectBuffer, renewsAge: Bool = true,
        isEdit: Bool = false
    ) {
        if stack != nil {
            replace(Layers(landing.layers ?? layers, settled: landing.settled ?? landing.base), &effects)
        }
        let sameBase = base === landing.base
        if landing.isSame, let shown {
            effects.discard(landing.shown)
            // Without layers one object stands for both.
            if landing.base === landing.shown, stack == nil {
                if !sameBase { effects.discard(base) }
                base = shown
            } else {
                if !sameBase { effects.discard(base) }
                base = landing.base
            }
        } else {
            if !sameBase { effects.discard(base) }
            effects.discard(shown)
            base = landing.base
            shown = landing.shown
            valueVersion += 1
        }
        if renewsAge {
            writtenAt = moment.now.advanced(nanoseconds: -landing.age)
            freshFor = landing.freshFor
        }
        valueCount &+= 1
        if !isEdit { arrivalCount &+= 1 }
        revision += 1
        changed()
        endFirstPages(.value, &effects)
    }

    /// A write by the program: a success without a fetch. A fetch under way goes on (T84, A21).
    mutating func write(
        _ landing: Landing, _ kind: WriteKind, keepsOverFetch: Bool, _ cause: Cause, _ moment: Moment,
        _ effects: inout EffectBuffer
    ) {
        put(landing, at: moment, &effects, isEdit: kind == .edit)
        // An edit says only what is different.
        endFailure(leavesStale: kind == .edit, &effects)
        if kind == .value { invalidatedAt = 0 }
        if keepsOverFetch, isBusy {
            heldAt = now
            if kind == .edit { askAgain(cause) }
        }
        settleStaleness(moment)
        effects.event(.written, cause)
        effects.add(.persist)
    }

    /// A cached record was read. It counts only when nothing is known yet.
    mutating func hydrate(
        _ payload: Payload, age: Duration, isStale: Bool, freshFor: Int64?, _ moment: Moment,
        _ effects: inout EffectBuffer
    ) {
        guard shown == nil, base == nil else {
            effects.discard(payload)
            return
        }
        base = payload
        shown = payload
        writtenAt = moment.now.advanced(nanoseconds: -max(0, age.clampedNanoseconds))
        self.freshFor = freshFor
        if isStale { invalidatedAt = now }
        valueVersion += 1
        revision += 1
        settleStaleness(moment)
        changed()
        effects.event(.hydrated, .cached)
    }

    mutating func invalidate(
        _ cause: Cause, _ refetch: RefetchScope, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        // What a source holds may not be shown yet, and a failure marks the entry only.
        if hasSource || (shown != nil && !isInvalidated) { effects.add(.persistStale) }
        if !isInvalidated {
            staleAt = nil
            if shown != nil { changed() }
            effects.event(.invalidated, cause)
        }
        invalidatedAt = now
        guard wantsRefetch(refetch) else { return }
        let cause = Cause.invalidated(by: cause)
        // A first load is not taken over: its answer is from before, and another fetch follows it (A34).
        if isBusy, shown == nil { askAgain(cause) }
        fetch(cause, .restart, fromStart: false, moment, &effects)
    }

    /// The error is gone.
    ///
    /// - Parameter leavesStale: Whether what takes its place leaves the value stale, which the error may be all that said.
    mutating func endFailure(leavesStale: Bool, _ effects: inout EffectBuffer) {
        guard let ended = failure.take() else { return }
        effects.discard(ended)
        if leavesStale, !wasInvalidatedByName { invalidatedAt = now }
    }

    /// Has the answer of the fetch under way leave the value stale, and another fetch follow it while somebody observes.
    private mutating func askAgain(_ cause: Cause) {
        invalidatedAt = now
        flight?.followUp = cause
    }

    /// Whether a refetch of many keys includes this one: not when its observers are all disabled or one wants it fixed,
    /// nor when nobody observes it and it was never fetched (T80).
    package var mayRefetch: Bool {
        guard hasFetcher else { return false }
        guard isObserved else { return wasFetched }
        return isActive && !observers.contains { $0.options.values.staleAfter == .fixed }
    }

    func wantsRefetch(_ scope: RefetchScope) -> Bool {
        guard mayRefetch else { return false }
        return switch scope {
        case .none: false
        case .active: isActive
        case .inactive: !isObserved
        case .all: true
        }
    }

    mutating func reset(to initial: Payload?, _ cause: Cause, _ moment: Moment, _ effects: inout EffectBuffer) {
        // Pages first: one that waits for the refresh must not start when that is cancelled.
        forgetPageErrors(&effects)
        stopPageLoads(cause, &effects)
        cancel(cause, moment, &effects)
        beginEmptying(&effects)
        replace(nil, &effects)
        if base !== shown { effects.discard(base) }
        effects.discard(shown)
        effects.discard(failure)
        base = initial
        shown = initial
        failure = nil
        failedAt = nil
        freshFor = nil
        staleAt = nil
        invalidatedAt = 0
        heldAt = 0
        writtenAt = initial == nil ? MonotonicInstant(nanoseconds: .min) : moment.now
        valueCount = 0
        failureCount = 0
        answerCount = 0
        arrivalCount = 0
        valueVersion += 1
        revision += 1
        changed()
    }

    // MARK: Optimistic layers

    /// Puts layers on, or takes some off. `shown` is the base with the new ones applied.
    mutating func change(_ new: Layers?, shown: Payload?, _ moment: Moment, _ effects: inout EffectBuffer) {
        let added = (new?.list.count ?? 0) - layers.count
        replace(new, &effects)
        if self.shown !== shown {
            if self.shown !== base { effects.discard(self.shown) }
            self.shown = shown
            valueVersion += 1
        }
        revision += 1
        changed()
        if added != 0 { effects.event(added > 0 ? .optimistic : .rolledBack, .written) }
        reconsiderStaleness(moment)
        foldLayers(&effects)  // those under one that was taken off may all be confirmed
    }

    /// A mutation succeeded: its layer stays until a fetch asked from now on lands, and is folded into the base when
    /// no fetch is under way that could land without it (A22). It is written to the cache at once (A37).
    mutating func confirm(
        _ mutation: UInt64, settled: Payload?, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard var list = stack?.list, list.contains(where: { $0.patch.mutation == mutation }) else { return }
        if base == nil, settled != nil {  // there was nothing to age before
            writtenAt = moment.now
            settleStaleness(moment)
            changed()
        }
        revision += 1
        if mayFold(list, confirming: mutation) { return fold(&effects) }
        for index in list.indices where list[index].patch.mutation == mutation { list[index].confirmedAt = generation }
        replace(Layers(list, settled: settled), &effects)
        if settled != nil { effects.add(.persist) }
    }

    mutating func foldLayers(_ effects: inout EffectBuffer) {
        if let stack, mayFold(stack.list) { fold(&effects) }
    }

    /// Whether the server has confirmed all that is shown. A change that the base may have already stays apart, until an answer
    /// lands that has it for certain.
    private func mayFold(_ layers: [Layer], confirming mutation: UInt64? = nil) -> Bool {
        !isBusy && layers.allSatisfy { $0.isSettled(arrivals: arrivalCount, confirming: mutation) }
    }

    /// What is shown is the base from now on.
    private mutating func fold(_ effects: inout EffectBuffer) {
        replace(nil, &effects)
        if base !== shown { effects.discard(base) }
        base = shown
        revision += 1
        changed()
        if base != nil { effects.add(.persist) }
    }

    private mutating func replace(_ new: Layers?, _ effects: inout EffectBuffer) {
        effects.discard(stack)
        stack = new
    }
}
