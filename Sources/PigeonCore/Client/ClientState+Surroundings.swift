extension ClientState {
    /// Sends a change of the surroundings to every entry that it may affect.
    mutating func notifyEntries(of change: SurroundingsChange, _ moment: Moment, _ work: inout Work) {
        let concerned = slots.values
            .filter { $0.entry.isObserved || $0.entry.activity == .paused || $0.extras != nil }
            .sorted { $0.lastUsed < $1.lastUsed }
        for slot in concerned { send(.surroundings(change), to: slot, moment, &work) }
    }

    // MARK: Budget

    /// Records the cost of a value. If the total exceeds the budget, evicts unused entries, least recently used first,
    /// among those that became unused since the last eviction.
    mutating func charge(_ slot: Slot, _ cost: Int, _ moment: Moment, _ work: inout Work) {
        guard budget.limit != nil, !slot.isRemoved else { return }
        budget.charge(slot, cost)
        guard let goal = budget.evictionGoal else { return }
        while budget.isAbove(goal), let (slot, isUnused) = budget.nextCandidate() {
            work.discarded.append(slot)
            guard isUnused else {
                budget.noteIfUnused(slot, among: slots.count)
                continue
            }
            guard !slot.isRemoved, slot.isIdle, holds[slot.key] == nil else { continue }
            emit(.removed, key: slot.key, .budget, moment, &work)
            remove(slot, &work)
        }
    }

    /// Removes all unused entries, least recently used first.
    mutating func evict(_ cause: Cause, _ moment: Moment, _ work: inout Work) {
        for slot in unused(among: slots.values) {
            emit(.removed, key: slot.key, cause, moment, &work)
            remove(slot, &work)
        }
    }

    /// The idle entries that no object of the program holds, least recently used first.
    func unused(among slots: some Sequence<Slot>) -> [Slot] {
        slots.filter { $0.isIdle && holds[$0.key] == nil }.sorted { $0.lastUsed < $1.lastUsed }
    }
}
