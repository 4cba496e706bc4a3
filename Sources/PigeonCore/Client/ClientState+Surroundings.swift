internal import HeapModule

extension ClientState {
    /// Sends a change of the surroundings to every entry that it may affect.
    mutating func tell(_ change: SurroundingsChange, _ moment: Moment, _ work: inout Work) {
        let concerned = slots.values
            .filter { $0.entry.isObserved || $0.entry.activity == .paused || $0.extras != nil }
            .sorted { $0.lastUsed < $1.lastUsed }
        for slot in concerned { send(.surroundings(change), to: slot, moment, &work) }
    }

    // MARK: Budget

    /// Records the cost of a value, and evicts unused entries if the total exceeds the budget.
    mutating func charge(_ slot: Slot, _ newCost: Int, _ moment: Moment, _ work: inout Work) {
        guard let budget, !slot.isRemoved else { return }
        let extras = slot.makeExtras()
        cost += newCost - extras.cost
        extras.cost = newCost
        guard cost > budget else { return }
        // Evicts down to nine tenths, so that the next value does not start another eviction.
        evictUnused(downTo: budget / 10 * 9, moment, &work)
    }

    /// Adds a slot to the eviction queue if it is unused. Called after every change that may have ended its use.
    mutating func noteIfEvictable(_ slot: Slot) {
        guard budget != nil, !slot.isEvictable, !slot.isRemoved, slot.isIdle else { return }
        slot.isEvictable = true
        if evictable.count > 2 * slots.count + 64 {
            evictable = Heap(evictable.unordered.filter { !$0.slot.isRemoved })
        }
        evictable.insert(EvictableSlot(lastUsed: slot.lastUsed, slot: slot))
    }

    /// Evicts entries until their cost is within `limit`, least recently used first. Visits only slots that became
    /// unused since they were last visited.
    private mutating func evictUnused(downTo limit: Int, _ moment: Moment, _ work: inout Work) {
        while cost > limit, let (lastUsed, slot) = evictable.popMin().map({ ($0.lastUsed, $0.slot) }) {
            work.discarded.append(slot)
            slot.isEvictable = false
            guard slot.lastUsed == lastUsed else {
                noteIfEvictable(slot)
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

/// A slot and the time at which its use ended.
struct EvictableSlot: Comparable {
    let lastUsed: UInt64
    let slot: Slot

    static func < (one: EvictableSlot, other: EvictableSlot) -> Bool { one.lastUsed < other.lastUsed }
    static func == (one: EvictableSlot, other: EvictableSlot) -> Bool { one.lastUsed == other.lastUsed }
}
