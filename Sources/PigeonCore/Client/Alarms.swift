internal import HeapModule

/// The deadlines of a client's entries, and the moment for which its timer is set.
struct Alarms {
    /// A deadline of an entry. Without a slot, it is a deadline of the client itself.
    struct Alarm: Comparable {
        let deadline: Int64
        let slot: Slot?

        static func < (one: Alarm, other: Alarm) -> Bool { one.deadline < other.deadline }
        static func == (one: Alarm, other: Alarm) -> Bool { one.deadline == other.deadline }
    }

    private var heap = Heap<Alarm>()
    /// Number of alarms whose slot was removed, or has an earlier deadline by now.
    private var outdatedCount = 0
    /// The deadline for which the timer is set.
    private(set) var armedFor = MonotonicInstant(nanoseconds: .max)
    /// Cancels the timer.
    var timer: AlarmHandle?

    /// All alarms, in no particular order.
    var all: [Alarm] { heap.unordered }

    /// Keeps at most one live alarm for a slot, no later than its deadline.
    ///
    /// - Returns: The moment for which the timer is to be set, if that changes.
    mutating func schedule(_ slot: Slot) -> MonotonicInstant? {
        guard let deadline = slot.entry.deadline?.nanoseconds, deadline < slot.scheduledAt, !slot.isRemoved
        else { return nil }
        forget(slot)
        slot.scheduledAt = deadline
        return insert(Alarm(deadline: deadline, slot: slot))
    }

    /// Adds an alarm.
    ///
    /// - Returns: The moment for which the timer is to be set, if that changes.
    mutating func insert(_ alarm: Alarm) -> MonotonicInstant? {
        if outdatedCount > 64, outdatedCount > heap.count / 2 {
            heap = Heap(heap.unordered.filter { $0.slot.map { slot in !slot.isRemoved } ?? true })
            outdatedCount = 0
        }
        heap.insert(alarm)
        let deadline = MonotonicInstant(nanoseconds: alarm.deadline)
        guard deadline < armedFor else { return nil }
        armedFor = deadline
        return deadline
    }

    /// The alarm of a slot, if it has one, is outdated.
    mutating func forget(_ slot: Slot) {
        if slot.scheduledAt != .max { outdatedCount += 1 }
    }

    /// The timer went off: takes out the first alarm that is due.
    mutating func nextDue(at now: MonotonicInstant) -> Alarm? {
        armedFor = MonotonicInstant(nanoseconds: .max)
        guard let alarm = heap.min, alarm.deadline <= now.nanoseconds else { return nil }
        return heap.removeMin()
    }

    /// Returns true if an alarm that was taken out is still the one of its slot, which has none from now on.
    mutating func isCurrent(_ alarm: Alarm, of slot: Slot) -> Bool {
        guard !slot.isRemoved, slot.scheduledAt == alarm.deadline else {
            outdatedCount = max(0, outdatedCount - 1)
            return false
        }
        slot.scheduledAt = .max
        return true
    }

    /// Returns the moment for which the timer is to be set once no alarm is due, if that changes.
    mutating func rearm() -> MonotonicInstant? {
        guard let next = heap.min, next.deadline < armedFor.nanoseconds else { return nil }
        armedFor = MonotonicInstant(nanoseconds: next.deadline)
        return armedFor
    }
}
