internal import Foundation

/// All state that a client guards with its lock.
struct ClientState {
    let client: ClientReference
    /// The time of the current transaction.
    var now = MonotonicInstant(nanoseconds: 0)
    /// The work of the current transaction, to be carried out once the lock is released.
    var work = Work()
    /// The slot whose entry receives an input.
    unowned(unsafe) var receiver: Slot?
    /// Requests of the receiving entry, to be carried out once it has received its input.
    var requests = EntryRequests()
    var entries = EntryTable()
    var isOnline: Bool
    var isClosed = false
    var isActive: Bool
    var leftAt: MonotonicInstant?
    var nextID: UInt64 = 0
    /// Number of callers who received the value in memory at once.
    var hitCount = 0

    var requestTimes = RequestTimes()
    var sourceQueues = SourceQueues()
    var alarms = Alarms()
    var events = EventLog()
    var records = PendingRecords()
    var mutations = MutationQueue()
    var activity = ActivityWatch()
    var invalidationListeners = Roster<(key: QueryKey, handler: @Sendable (KeyInvalidation) -> Void)>()

    /// Finds entries by what they contain. `nil` if no definition says what its values contain.
    var items: ItemIndex?

    let cache: (any QueryCacheType)?
    /// True if a part of the client shares values.
    let hasSharer: Bool
    var budget: Budget

    mutating func makeID() -> UInt64 {
        nextID += 1
        return nextID
    }

    var context: EntryContext {
        // A call of a closed client must not wait for anything.
        EntryContext(now: now, isOnline: isOnline || isClosed, isActive: isActive || isClosed)
    }

    /// A key with a temporary identifier counts as offline, so that its fetches wait.
    func context(of slot: Slot) -> EntryContext {
        var context = context
        if slot.isTemporary, !isClosed { context.isOnline = false }
        return context
    }

    // MARK: Inputs

    /// - Parameters:
    ///   - metadata: Metadata that the server sent with the value of the input. Stored if the entry takes that value.
    ///   - mutation: The mutation that writes. `nil` if none does.
    ///   - item: The item that is edited in all entries that contain it. `nil` if none is.
    mutating func send(
        _ input: EntryInput, to slot: Slot, metadata: AnswerMetadata? = nil, of mutation: UInt64? = nil,
        editing item: EditedItem? = nil
    ) {
        catchUp(slot)
        guard slot.containsItems else { return pass(input, to: slot, metadata) }
        let value = slot.entry.confirmedValue
        let novelty = novelty(of: input, to: slot, of: mutation, editing: item)
        let before = (slot.entry.valueCount, slot.entry.answerCount, slot.entry.valueVersion)
        pass(input, to: slot, metadata)
        let isTaken = before != (slot.entry.valueCount, slot.entry.answerCount, slot.entry.valueVersion)
        note(isTaken ? novelty : novelty.ofUntaken, of: slot, from: value)
    }

    private mutating func pass(_ input: EntryInput, to slot: Slot, _ metadata: AnswerMetadata?) {
        let context = context(of: slot)
        let (version, values, answers) = (slot.entry.version, slot.entry.valueCount, slot.entry.answerCount)
        receiver = slot
        slot.entry.receive(input, at: context, into: &self)
        if hasSharer, input.isOwnWrite { tellOfWrite(to: slot) }
        if let metadata, slot.entry.valueCount != values || slot.entry.answerCount != answers { slot.keep(metadata) }
        if !requests.isEmpty { carryOutRequests(of: slot) }
        if slot.entry.version != version { queueDelivery(of: slot) }
        // An empty entry costs nothing.
        if slot.entry.shown == nil { budget.charge(slot, 0) }
        schedule(slot)
        budget.noteIfUnused(slot, among: entries.count)
        entries.noteChange(of: slot)
        if activity.isObserved, activity.note(slot) { work.hasActivity = true }
    }

    /// Applies to an entry the invalidations of several keys since its last use. Called before the entry is used in any way.
    mutating func catchUp(_ slot: Slot) {
        guard entries.isBehind(slot), let mark = entries.takeMark(of: slot) else { return }
        send(.invalidate(mark.cause, refetch: .none), to: slot)
    }

    /// Applies to all entries the invalidations of several keys since their last use. Called before a listener of events is
    /// added, so that these invalidations cause no events.
    mutating func catchUp() {
        for slot in entries.slots(in: .all) { catchUp(slot) }
    }

    /// Starts the unused time of an entry that receives no other input, so that it is collected.
    mutating func touch(_ slot: Slot) {
        send(.timePassed, to: slot)
    }

    /// Sends a change of the surroundings to every entry that it may affect.
    mutating func notifyEntries(of change: SurroundingsChange) {
        let concerned = entries.slots.values
            .filter { $0.entry.isObserved || $0.entry.activity == .paused || $0.entry.side != nil }
            .sorted { $0.lastUsed < $1.lastUsed }
        for slot in concerned { send(.surroundings(change), to: slot) }
    }

    // MARK: Events

    mutating func emit(
        _ kind: @autoclosure () -> QueryEvent.Kind, key: QueryKey? = nil, fetchNumber: UInt64? = nil,
        mutation: String? = nil, mutationNumber: UInt64? = nil, error: @autoclosure () -> (any Error)? = nil,
        reason: FailureReason? = nil, _ cause: @autoclosure () -> Cause
    ) {
        guard events.hasListeners else { return }
        events.append { sequence in
            let error = error()
            let own = error.flatMap { TransientError.isCancellation($0) ? nil : FailureReason($0) }
            return QueryEvent(
                kind: kind(), key: key, fetchNumber: fetchNumber, mutation: mutation, mutationNumber: mutationNumber,
                cause: cause(), time: now, error: error, failureReason: reason ?? own, sequence: sequence)
        }
        work.hasEvents = true
    }

    // MARK: Alarms

    mutating func schedule(_ slot: Slot) {
        if let deadline = alarms.schedule(slot) { work.alarm = deadline }
    }

    /// Calls ``timePassed()`` at a deadline of the client itself.
    mutating func schedule(at deadline: Int64) {
        if let deadline = alarms.insert(Alarms.Alarm(deadline: deadline, slot: nil)) { work.alarm = deadline }
    }

    /// Sends ``EntryInput/timePassed`` to each slot with a deadline that has passed.
    mutating func timePassed() {
        while let alarm = alarms.nextDue(at: now) {
            guard let slot = alarm.slot else {
                // If the alarm is outdated, neither of these is due.
                if records.writeAt <= now.nanoseconds {
                    records.writeAt = .max
                    work.recordsAreDue = true
                }
                if mutations.resumedMutationDeadline <= now.nanoseconds {
                    endWaitingForMutations()
                }
                continue
            }
            discard(slot)
            guard alarms.isCurrent(alarm, of: slot) else { continue }
            if let due = slot.entry.deadline, due <= now {
                send(.timePassed, to: slot)
            } else {
                schedule(slot)
            }
        }
        if let deadline = alarms.rearm() { work.alarm = deadline }
    }

    // MARK: Removal

    /// An outdated alarm retains a removed slot until its deadline. It must not retain the slot's content.
    private mutating func empty(_ slot: Slot) {
        receiver = slot
        slot.entry.receive(.reset(initial: nil, .cleared), at: context, into: &self)
        requests = EntryRequests()
        discard(slot.fetcher.take())
        discard(slot.extras.take())
        discard(slot.entryState.take())
    }

    mutating func remove(_ slot: Slot) {
        guard !slot.isRemoved else { return }
        entries.remove(slot)
        if slot.containsItems { changeItems { $0.remove(slot) } }
        budget.charge(slot, 0)
        alarms.forget(slot)
        for run in slot.takeRuns() { discard(run) }
        empty(slot)
        discard(slot)
    }
}
