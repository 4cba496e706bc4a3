/// The deadlines of a client's entries, and the time for which its timer is set.
struct Alarms {
    /// Without a slot, a deadline of the client itself.
    struct Alarm: Comparable {
        let deadline: Int64
        let slot: Slot?

        static func < (one: Alarm, other: Alarm) -> Bool { one.deadline < other.deadline }
        static func == (one: Alarm, other: Alarm) -> Bool { one.deadline == other.deadline }
    }

    private var heap = _Heap<Alarm>()
    /// Number of alarms that are outdated, because their slot was removed or has an earlier alarm.
    private var outdatedCount = 0
    /// The deadline for which the timer is set.
    private(set) var armedFor = MonotonicInstant(nanoseconds: .max)
    var timer: AlarmHandle?

    /// All alarms, in no particular order.
    var all: [Alarm] { heap.unordered }

    /// Adds an alarm for a slot whose deadline is earlier than its current alarm. A slot has at most one current alarm,
    /// which is due no later than its deadline.
    ///
    /// - Returns: The time for which the timer must be set. `nil` if that does not change.
    mutating func schedule(_ slot: Slot) -> MonotonicInstant? {
        guard let deadline = slot.entry.deadline?.nanoseconds, deadline < slot.scheduledAt, !slot.isRemoved
        else { return nil }
        forget(slot)
        slot.scheduledAt = deadline
        return insert(Alarm(deadline: deadline, slot: slot))
    }

    /// - Returns: The time for which the timer must be set. `nil` if that does not change.
    mutating func insert(_ alarm: Alarm) -> MonotonicInstant? {
        if outdatedCount > 64, outdatedCount > heap.count / 2 {
            heap = _Heap(heap.unordered.filter { $0.slot.map { slot in !slot.isRemoved } ?? true })
            outdatedCount = 0
        }
        heap.insert(alarm)
        let deadline = MonotonicInstant(nanoseconds: alarm.deadline)
        guard deadline < armedFor else { return nil }
        armedFor = deadline
        return deadline
    }

    /// Counts the current alarm of a slot, if there is one, as outdated.
    mutating func forget(_ slot: Slot) {
        if slot.scheduledAt != .max { outdatedCount += 1 }
    }

    /// Removes and returns the first alarm that is due. Called after the timer has fired, which is then no longer set.
    mutating func nextDue(at now: MonotonicInstant) -> Alarm? {
        armedFor = MonotonicInstant(nanoseconds: .max)
        guard let alarm = heap.min, alarm.deadline <= now.nanoseconds else { return nil }
        return heap.popMin()
    }

    /// Returns true if an alarm, which was removed from the heap, is the current one of its slot. The slot then has
    /// none.
    mutating func isCurrent(_ alarm: Alarm, of slot: Slot) -> Bool {
        guard !slot.isRemoved, slot.scheduledAt == alarm.deadline else {
            outdatedCount = max(0, outdatedCount - 1)
            return false
        }
        slot.scheduledAt = .max
        return true
    }

    /// Returns the time for which the timer must be set once no alarm is due. `nil` if that does not change.
    mutating func rearm() -> MonotonicInstant? {
        guard let next = heap.min, next.deadline < armedFor.nanoseconds else { return nil }
        armedFor = MonotonicInstant(nanoseconds: next.deadline)
        return armedFor
    }
}
