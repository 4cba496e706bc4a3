extension ClientState {
    /// Tells every entry what changed around it.
    mutating func tell(_ change: SurroundingsChange, _ moment: Moment, _ work: inout Work) {
        let concerned = slots.values
            .filter { $0.entry.isObserved || $0.entry.activity == .paused || $0.extras != nil }
            .sorted { $0.lastUsed < $1.lastUsed }
        for slot in concerned.sorted(by: { $0.lastUsed < $1.lastUsed }) {
            send(.surroundings(change), to: slot, moment, &work)
        }
    }

    // MARK: Budget

    /// Books what a value costs, and evicts what nobody observes when all cost too much.
    mutating func charge(_ slot: Slot, _ newCost: Int, _ moment: Moment, _ work: inout Work) {
        guard let budget, !slot.isRemoved else { return }
        let extras = slot.makeExtras()
        cost += newCost - extras.cost
        extras.cost = newCost
        guard cost > budget else { return }
        // Down to nine tenths, so that the sort is paid once for many values.
        evict(downTo: budget / 10 * 9, .budget, moment, &work)
    }

    /// Removes entries that nobody uses, least recently used first.
    mutating func evict(downTo limit: Int, _ cause: Cause, _ moment: Moment, _ work: inout Work) {
        for slot in unused(among: slots.values) {
            guard cost > limit || limit < 0 else { return }
            emit(.removed, key: slot.key, cause, moment, &work)
            remove(slot, &work)
        }
    }

    /// The entries that are idle and that no object of the program holds, least recently used first.
    func unused(among slots: some Sequence<Slot>) -> [Slot] {
        slots.filter { $0.isIdle && holds[$0.key] == nil }.sorted { $0.lastUsed < $1.lastUsed }
    }
}
