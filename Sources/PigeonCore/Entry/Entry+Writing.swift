extension Entry {
    /// Commits a value to the entry. A value equal to the old one changes only the time: the old instance stays
    /// (A3).
    mutating func put(
        _ candidate: CommitCandidate, at context: EntryContext, _ effects: inout some EntryEffects,
        renewsAge: Bool = true,
        isEdit: Bool = false
    ) {
        replaceValue(by: candidate, isArrival: !isEdit, &effects)
        if renewsAge {
            writtenAt = context.now.advanced(nanoseconds: -candidate.age)
            freshFor = candidate.freshFor
        }
        isCleared = false
        valueCount &+= 1
        endFirstPages(.value, &effects)
    }

    @inline(__always)  // a call would copy the candidate
    private mutating func replaceValue(
        by candidate: CommitCandidate, isArrival: Bool, _ effects: inout some EntryEffects
    ) {
        if stack != nil {
            let confirmedValue = candidate.confirmedValue ?? candidate.base
            effects.replace(&stack, by: Layers(candidate.layers ?? layers, confirmedValue: confirmedValue))
        }
        if candidate.isSame, let shown {
            // Without layers, one object is both values.
            let isOne = candidate.base === candidate.shown && stack == nil
            effects.replace(&base, by: isOne ? shown : candidate.base)
        } else {
            effects.replace(&base, by: candidate.base)
            effects.replace(&shown, by: candidate.shown)
            valueVersion += 1
        }
        isFinal = candidate.isFinal
        if isArrival { arrivalCount &+= 1 }
        revision += 1
        changed()
    }

    /// Handles a write by the program, which counts as a success. A fetch in flight continues (T84, A21).
    mutating func write(
        _ candidate: CommitCandidate, _ kind: WriteKind, keepsOverFetch: Bool, _ cause: Cause, _ context: EntryContext,
        _ effects: inout some EntryEffects
    ) {
        put(candidate, at: context, &effects, isEdit: kind == .edit)
        // An edit does not confirm the rest of the value.
        endFailure(leavesStale: kind == .edit, &effects)
        if kind == .value { (invalidatedBefore, isDisproved) = (0, false) }
        // A part is put into what the program writes.
        if keepsOverFetch, isFetchingWhole {
            heldBefore = nextRequest
            if kind == .edit { requestFollowUp(cause) }
        }
        updateStaleness(context)
        effects.event(.written, cause)
        effects.persist()
    }

    /// Takes a value that was found only if the entry has none yet.
    mutating func hydrate(
        _ found: FoundValue, isFinal: Bool, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard shown == nil, base == nil else { return }
        base = found.payload
        shown = found.payload
        writtenAt = context.received(age: found.age)
        freshFor = found.freshFor
        self.isFinal = isFinal
        // A fetch in flight was requested after the value was.
        if found.isStale { invalidatedBefore = max(invalidatedBefore, flight?.requestNumber ?? nextRequest) }
        valueVersion += 1
        revision += 1
        updateStaleness(context)
        changed()
        effects.event(.hydrated, .cached)
    }

    /// Takes a record that others have written to the cache since this value was read or written. It is not written
    /// again.
    mutating func renewRecord(
        _ candidate: CommitCandidate, isStale: Bool, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        // A cleared entry takes a value of another process only after the program has requested it.
        guard !isCleared else { return }
        put(candidate, at: context, &effects)
        endFailure(leavesStale: false, &effects)
        invalidatedBefore = isStale ? nextRequest : 0
        isDisproved = false
        updateStaleness(context)
        effects.event(.hydrated, .otherProcess)
    }

    /// Takes newer items, which other entries have. The rest of the value is as old, as fresh and as right as before.
    mutating func takeItems(
        _ candidate: CommitCandidate, isArrival: Bool, persists: Bool, _ cause: Cause,
        _ effects: inout some EntryEffects
    ) {
        replaceValue(by: candidate, isArrival: isArrival, &effects)
        effects.event(.written, cause)
        if persists { effects.persist() }
    }

    mutating func invalidate(
        _ cause: Cause, _ refetch: RefetchScope, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        // A source's content may not be shown yet, and a failure marks only the entry, not the record.
        if hasSource || (shown != nil && !isInvalidated) { effects.persistStale() }
        if !isInvalidated {
            staleAt = nil
            if shown != nil { changed() }
            effects.event(.invalidated, cause)
        }
        invalidatedBefore = nextRequest
        guard wantsRefetch(refetch, by: cause) else { return }
        let cause = Cause.invalidated(by: cause)
        // A first load is not replaced. Its answer predates the invalidation, so another fetch follows it (A34).
        if isBusy, shown == nil { requestFollowUp(cause) }
        fetch(cause, .restart, fromStart: false, context, &effects)
    }

    /// - Parameter leavesStale: True if the value stays stale. Once the error is cleared, nothing else may mark it so.
    mutating func endFailure(leavesStale: Bool, _ effects: inout some EntryEffects) {
        guard failure != nil else { return }
        effects.replace(&failure, by: nil)
        if leavesStale, !wasInvalidatedByName { invalidatedBefore = nextRequest }
    }

    /// Makes the answer of the fetch in flight leave the value stale. Another fetch follows it if the entry is
    /// observed.
    private mutating func requestFollowUp(_ cause: Cause) {
        invalidatedBefore = nextRequest
        flight?.followUp = cause
    }

    /// True if a refetch of many keys includes this one. It does not if all observers are disabled, if one has a fixed
    /// stale time, or if the entry is not observed and was never fetched (T80).
    package var mayRefetch: Bool {
        guard hasFetcher else { return false }
        guard isObserved else { return wasFetched }
        return isActive && !observers.contains { $0.options.values.staleAfter == .immutable }
    }

    func wantsRefetch(_ scope: RefetchScope, by cause: Cause) -> Bool {
        guard mayRefetch, !isCleared || cause.isExplicit else { return false }
        return switch scope {
        case .none: false
        case .active: isActive
        case .inactive: !isObserved
        case .all: true
        }
    }

    mutating func reset(
        to initial: Payload?, age: Duration, _ cause: Cause, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        // Page loads stop first: one that waits for the refresh must not start when the refresh is cancelled.
        forgetPageErrors(&effects)
        stopPageLoads(cause, &effects)
        effects.replace(&stack, by: nil)
        effects.replace(&base, by: initial)
        effects.replace(&shown, by: initial)
        effects.replace(&failure, by: nil)
        failedAt = nil
        freshFor = nil
        isFinal = false
        (isCleared, isDisproved) = (false, false)
        // Those who wait receive the initial value.
        cancel(cause, context, &effects)
        beginEmptying(&effects)
        invalidatedBefore = 0
        heldBefore = 0
        writtenAt = initial == nil ? MonotonicInstant(nanoseconds: .min) : context.received(age: age)
        updateStaleness(context)
        valueCount = 0
        failureCount = 0
        answerCount = 0
        arrivalCount = 0
        valueVersion += 1
        revision += 1
        changed()
    }

    // MARK: Optimistic layers

    /// Replaces the layers. `shown` is the base with the new layers applied.
    mutating func change(
        _ new: Layers?, shown: Payload?, isReplaced: Bool, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        let (old, list) = (layers, new?.list ?? [])
        let added = list.count - old.count
        effects.replace(&stack, by: new)
        if self.shown !== shown {
            effects.replace(&self.shown, by: shown)
            valueVersion += 1
        }
        revision += 1
        changed()
        if added > 0 { effects.event(.optimistic, .written, mutation: list.last?.patch.mutation) }
        if added < 0, !isReplaced {
            let removed = { old.first { layer in !list.contains { $0.patch.mutation == layer.patch.mutation } } }
            effects.event(.rolledBack, .written, mutation: removed()?.patch.mutation)
        }
        reconsiderStaleness(context)
        foldLayers(&effects)  // all layers below a removed one may be confirmed
    }

    /// Handles the success of a mutation. Its layer is folded into the base at once, unless a fetch in flight could
    /// overwrite it. Then it stays until the answer to a later request is stored (A22). The change is written to the cache at once (A37).
    mutating func confirm(
        _ mutation: UInt64, confirmedValue: Payload?, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard var list = stack?.list, list.contains(where: { $0.patch.mutation == mutation }) else { return }
        if base == nil, confirmedValue != nil {  // there was nothing to age before
            writtenAt = context.now
            isCleared = false
            updateStaleness(context)
            changed()
        }
        revision += 1
        if mayFold(list, confirming: mutation) { return fold(&effects) }
        for index in list.indices where list[index].patch.mutation == mutation {
            list[index].confirmedAfter = generation
        }
        effects.replace(&stack, by: Layers(list, confirmedValue: confirmedValue))
        if confirmedValue != nil { effects.persist() }
    }

    mutating func foldLayers(_ effects: inout some EntryEffects) {
        if let stack, mayFold(stack.list) { fold(&effects) }
    }

    /// True if the server has confirmed everything that is shown. A change that the base may already include stays a
    /// layer until an answer is stored that certainly includes it.
    private func mayFold(_ layers: [Layer], confirming mutation: UInt64? = nil) -> Bool {
        !isBusy && layers.allSatisfy { $0.isMergeable(arrivals: arrivalCount, confirming: mutation) }
    }

    /// Makes the shown value the base.
    private mutating func fold(_ effects: inout some EntryEffects) {
        effects.replace(&stack, by: nil)
        effects.replace(&base, by: shown)
        revision += 1
        changed()
        if base != nil { effects.persist() }
    }
}
