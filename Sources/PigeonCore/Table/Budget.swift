internal import Foundation

/// The cost of all values in memory, and the slots that can be evicted to reduce it.
struct Budget {
    /// The maximum total cost, in bytes. `nil` for no limit.
    let limit: Int?
    /// The sum of the costs, each of which a program may have chosen freely.
    private(set) var cost: Int64 = 0
    /// Slots that were unused when they were added, least recently used first. Some may be in use again.
    private var queue = _Heap<Candidate>()

    init(limit: Int?) {
        self.limit = limit
    }

    /// A slot and the time at which its use ended.
    private struct Candidate: Comparable {
        let lastUsed: UInt64
        let slot: Slot

        static func < (one: Candidate, other: Candidate) -> Bool { one.lastUsed < other.lastUsed }
        static func == (one: Candidate, other: Candidate) -> Bool { one.lastUsed == other.lastUsed }
    }

    var candidateCount: Int { queue.count }

    mutating func charge(_ slot: Slot, _ newCost: Int) {
        cost += Int64(newCost) - Int64(slot.cost)
        slot.cost = newCost
    }

    /// The cost down to which slots must be evicted: nine tenths of the limit, so that the next value does not start
    /// another eviction. `nil` if the limit is not exceeded.
    var evictionGoal: Int64? { limit.map { Int64($0) }.flatMap { cost > $0 ? $0 / 10 * 9 : nil } }

    func isAbove(_ goal: Int64) -> Bool { cost > goal }

    /// Adds a slot to the queue. Called after every change that may have ended its use.
    ///
    /// - Parameter slotCount: Number of slots of the client, which bounds the queue.
    mutating func noteIfUnused(_ slot: Slot, among slotCount: Int) {
        guard limit != nil, !slot.isEvictable, !slot.isRemoved, slot.isIdle else { return }
        slot.isEvictable = true
        if queue.count > 2 * slotCount + 64 {
            queue = _Heap(queue.unordered.filter { !$0.slot.isRemoved })
        }
        queue.insert(Candidate(lastUsed: slot.lastUsed, slot: slot))
    }

    /// Removes the least recently used slot from the queue.
    ///
    /// - Returns: The slot, and true if it has not been used since it was added. `nil` if the queue is empty.
    mutating func nextCandidate() -> (slot: Slot, isUnused: Bool)? {
        guard let next = queue.popMin() else { return nil }
        next.slot.isEvictable = false
        return (next.slot, next.slot.lastUsed == next.lastUsed)
    }
}

extension ClientState {
    /// Records the cost of a value. If the total exceeds the budget, evicts unused entries, least recently used first,
    /// among those that became unused since the last eviction.
    mutating func charge(_ slot: Slot, _ cost: Int) {
        guard budget.limit != nil, !slot.isRemoved else { return }
        budget.charge(slot, cost)
        guard let goal = budget.evictionGoal else { return }
        while budget.isAbove(goal), let (slot, isUnused) = budget.nextCandidate() {
            discard(slot)
            guard isUnused else {
                budget.noteIfUnused(slot, among: entries.count)
                continue
            }
            guard !slot.isRemoved, entries.isUnused(slot) else { continue }
            emit(.removed, key: slot.key, .budget)
            remove(slot)
        }
    }

    /// Removes all unused entries, least recently used first.
    mutating func evict(_ cause: Cause) {
        for slot in entries.unused(among: entries.slots.values) {
            emit(.removed, key: slot.key, cause)
            remove(slot)
        }
    }
}

extension QueryClient {
    /// The cost of a value for the budget: as its definition says, or an estimate. 0 if there is no value or no budget.
    /// Calls user code, so it must not be called under a lock.
    func cost(of payload: Payload?, by costOf: (@Sendable (Payload) -> Int)?) -> Int {
        guard budget != nil, let payload else { return 0 }
        return costOf?(payload) ?? payload.estimatedCost
    }
}

/// Estimates the size of a value in memory, if its definition does not define its cost.
package enum ValueCost {
    /// Returns the estimated size in bytes: exact for data and strings, element count × stride for arrays, the inline
    /// size otherwise.
    package static func estimate<T>(_ value: T) -> Int {
        let inline = MemoryLayout<T>.size
        return switch value {
        case let data as Data: inline.clampedSum(with: data.count)
        case let string as String: inline.clampedSum(with: string.utf8.count)
        case let sized as any CostEstimating: inline.clampedSum(with: sized.estimatedCost)
        default: inline
        }
    }
}

/// A container that can estimate its size without visiting its elements.
package protocol CostEstimating {
    var estimatedCost: Int { get }
}

extension Array: CostEstimating {
    /// The size of the buffer, or the estimate for the first element times the count if that is more.
    package var estimatedCost: Int {
        guard let first else { return 0 }
        // The first element may be far larger than the others.
        return count.clampedProduct(with: Swift.max(MemoryLayout<Element>.stride, ValueCost.estimate(first)))
    }
}

extension Dictionary: CostEstimating {
    package var estimatedCost: Int {
        count.clampedProduct(with: MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
    }
}

extension Optional: CostEstimating {
    package var estimatedCost: Int {
        map { ValueCost.estimate($0) } ?? 0
    }
}
