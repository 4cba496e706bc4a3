internal import Foundation

/// All state that a client guards with its lock.
struct ClientState {
    let client: ClientReference
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
    var effects = EffectBuffer(wantsEvents: false)
    var events = EventLog()
    var records = PendingRecords()
    var mutations = MutationQueue()
    var activity = ActivityWatch()
    var invalidationListeners = Roster<(key: QueryKey, handler: @Sendable (KeyInvalidation) -> Void)>()

    let cache: (any QueryCacheType)?
    /// True if a part of the client shares values.
    let hasSharer: Bool
    var budget: Budget

    mutating func makeID() -> UInt64 {
        nextID += 1
        return nextID
    }

    func context(_ now: MonotonicInstant) -> EntryContext {
        // A call of a closed client must not wait for anything.
        EntryContext(now: now, isOnline: isOnline || isClosed, isActive: isActive || isClosed)
    }

    /// A key with a temporary identifier counts as offline, so that its fetches wait.
    func context(_ context: EntryContext, for slot: Slot) -> EntryContext {
        guard slot.isTemporary, !isClosed else { return context }
        return EntryContext(now: context.now, isOnline: false, isActive: context.isActive)
    }

    // MARK: Inputs

    /// - Parameter metadata: Metadata that the server sent with the value of the input. Stored if the entry takes that value.
    mutating func send(
        _ input: EntryInput, to slot: Slot, metadata: AnswerMetadata? = nil, _ context: EntryContext, _ work: inout Work
    ) {
        catchUp(slot, context, &work)
        let context = self.context(context, for: slot)
        let (values, answers) = (slot.entry.valueCount, slot.entry.answerCount)
        effects.removeAll()
        slot.entry.receive(input, at: context, into: &effects)
        if hasSharer, input.isOwnWrite { tellOfWrite(to: slot, &work) }
        if let metadata, slot.entry.valueCount != values || slot.entry.answerCount != answers { slot.keep(metadata) }
        absorb(slot, context, &work)
        // An empty entry costs nothing.
        if slot.entry.shown == nil { budget.charge(slot, 0) }
        schedule(slot, &work)
        budget.noteIfUnused(slot, among: entries.count)
        entries.noteChange(of: slot)
        if activity.isObserved, activity.note(slot) { work.hasActivity = true }
    }

    /// Applies to an entry the invalidations of several keys since its last use. Called before the entry is used in any way.
    mutating func catchUp(_ slot: Slot, _ context: EntryContext, _ work: inout Work) {
        guard entries.isBehind(slot), let mark = entries.takeMark(of: slot) else { return }
        send(.invalidate(mark.cause, refetch: .none), to: slot, context, &work)
    }

    /// Applies to all entries the invalidations of several keys since their last use. Called before a listener of events is
    /// added, so that these invalidations cause no events.
    mutating func catchUp(_ context: EntryContext, _ work: inout Work) {
        for slot in entries.slots(in: .all) { catchUp(slot, context, &work) }
    }

    /// Starts the unused time of an entry that receives no other input, so that it is collected.
    mutating func touch(_ slot: Slot, _ context: EntryContext, _ work: inout Work) {
        send(.timePassed, to: slot, context, &work)
    }

    /// Sends a change of the surroundings to every entry that it may affect.
    mutating func notifyEntries(of change: SurroundingsChange, _ context: EntryContext, _ work: inout Work) {
        let concerned = entries.slots.values
            .filter { $0.entry.isObserved || $0.entry.activity == .paused || $0.extras != nil }
            .sorted { $0.lastUsed < $1.lastUsed }
        for slot in concerned { send(.surroundings(change), to: slot, context, &work) }
    }

    /// Turns an entry's effects into work to carry out after the lock is released.
    private mutating func absorb(_ slot: Slot, _ context: EntryContext, _ work: inout Work) {
        var late: Cause?
        for effect in effects.effects {
            switch effect {
            case .start(let target, let generation, let attempt, let cause, let fromStart, let goesOn):
                queueStart(of: target, at: slot, generation, attempt, cause, fromStart, goesOn, &work)
            case .stop(let generation, let isSuperseded):
                guard let run = slot.takeRun(generation) else { break }
                if isSuperseded { run.noteSuperseded() }
                work.stops.append(run)
            case .end(let generation):
                if let run = slot.takeRun(generation) { work.discarded.append(run) }
            case .notify: queueDelivery(of: slot, &work)
            case .settle(let settlement, let requestedAt, let followUp):
                queueResumptions(of: slot.takeWaiters(answeredAt: requestedAt), slot, settlement, &work)
                if !slot.waiters.isEmpty { late = followUp ?? .requested }
            case .settlePage(let direction, let settlement):
                guard let waiters = slot.extras?.takePageWaiters(direction) else { break }
                // A list without the requested page is not a result for these callers.
                if case .cancelled = settlement {
                    for waiter in waiters { work.resumptions.append((waiter, .failure(CancellationError()))) }
                } else {
                    queueResumptions(of: waiters, slot, settlement, &work)
                }
            case .persist:
                if let source = slot.fetcher?.source {
                    save(source, of: slot, &work)
                } else {
                    persist(slot, context, &work)
                }
            case .persistStale:
                if let source = slot.fetcher?.source {
                    markStale(source, of: slot, &work)
                } else {
                    persistStale(slot, &work)
                }
            case .event(let kind, let cause, let fetch, let mutation):
                emit(
                    kind, key: slot.key, fetchNumber: fetch, mutationNumber: mutation, error: slot.error(of: kind),
                    cause, context, &work)
            case .discard(let object): work.discarded.append(object)
            case .watchSource: if slot.extras?.watch == nil { work.sourceSteps.append(.watch(slot)) }
            case .readSource: work.sourceSteps.append(.read(slot))
            case .sourceRead:
                // Notifies observers that attached in the meantime, even if the entry has not changed.
                if let first = slot.extras?.firstNewObserver.take() { queueDelivery(of: slot, from: first, &work) }
                guard let readers = slot.extras?.readers, !readers.isEmpty else { break }
                slot.extras?.readers = []
                for reader in readers { work.resumptions.append((reader, .success(.nothing))) }
            case .collect: remove(slot, &work)
            }
        }
        effects.removeAll()
        guard let late else { return }
        for _ in slot.waiters { send(.join, to: slot, context, &work) }
        guard !slot.entry.isBusy else { return }
        send(.fetch(late, mode: .join, fromStart: false), to: slot, context, &work)
    }

    private func queueDelivery(of slot: Slot, _ work: inout Work) {
        guard !slot.observers.isEmpty else { return }
        let recorders = slot.extras?.recorders ?? []
        if !recorders.isEmpty { client.client?.record(slot, for: recorders, &work) }
        if recorders.count < slot.observers.count { queueDelivery(of: slot, from: 0, &work) }
    }

    private func queueDelivery(of slot: Slot, from first: UInt64, _ work: inout Work) {
        guard let last = work.deliveries.last, last.slot === slot else { return work.deliveries.append((slot, first)) }
        work.deliveries[work.deliveries.count - 1].first = min(last.first, first)
    }

    private func queueResumptions(
        of waiters: [WaitingCaller], _ slot: Slot, _ settlement: Settlement, _ work: inout Work
    ) {
        guard !waiters.isEmpty else { return }
        let result: Result<Payload, any Error> =
            switch settlement {
            case .failure(let failure): .failure(failure.error)
            case .value, .cancelled: slot.entry.shown.map { .success($0) } ?? .failure(CancellationError())
            }
        for waiter in waiters { work.resumptions.append((waiter, result)) }
    }

    private mutating func queueStart(
        of target: FlightTarget, at slot: Slot, _ generation: UInt64, _ attempt: Int, _ cause: Cause,
        _ fromStart: Bool, _ goesOn: Bool, _ work: inout Work
    ) {
        guard let fetcher = slot.fetcher else { return }
        let validators = target == .whole ? slot.validators(of: slot.entry.base) : FetchValidators()
        if let run = slot.run(of: generation) {
            run.beginAttempt(attempt, goesOn: goesOn, previous: slot.entry.base, validators: validators)
            return work.starts.append(run)
        }
        let run = FetchRun(
            slot: slot, client: client, generation: generation, direction: target.direction, fetcher: fetcher,
            cause: cause, fromStart: fromStart, previous: slot.entry.base,
            upstream: slot.entry.options.values.upstream, interval: slot.entry.options.values.fetchInterval)
        work.starts.append(run)
        guard target == .whole else { return slot.makeExtras().otherRuns.append(run) }
        if !validators.isEmpty { run.validators = validators }
        if let old = slot.run { slot.makeExtras().otherRuns.append(old) }
        slot.run = run
    }

    // MARK: Events

    mutating func emit(
        _ kind: @autoclosure () -> QueryEvent.Kind, key: QueryKey? = nil, fetchNumber: UInt64? = nil,
        mutation: String? = nil, mutationNumber: UInt64? = nil, error: @autoclosure () -> (any Error)? = nil,
        reason: FailureReason? = nil, _ cause: @autoclosure () -> Cause, _ context: EntryContext, _ work: inout Work
    ) {
        guard events.hasListeners else { return }
        events.append { sequence in
            let error = error()
            let own = error.flatMap { TransientError.isCancellation($0) ? nil : FailureReason($0) }
            return QueryEvent(
                kind: kind(), key: key, fetchNumber: fetchNumber, mutation: mutation, mutationNumber: mutationNumber,
                cause: cause(), time: context.now, error: error, failureReason: reason ?? own, sequence: sequence)
        }
        work.hasEvents = true
    }

    // MARK: Alarms

    mutating func schedule(_ slot: Slot, _ work: inout Work) {
        if let deadline = alarms.schedule(slot) { work.alarm = deadline }
    }

    /// Calls ``timePassed(_:_:)`` at a deadline of the client itself.
    mutating func schedule(at deadline: Int64, _ work: inout Work) {
        if let deadline = alarms.insert(Alarms.Alarm(deadline: deadline, slot: nil)) { work.alarm = deadline }
    }

    /// Sends ``EntryInput/timePassed`` to each slot with a deadline that has passed.
    mutating func timePassed(_ context: EntryContext, _ work: inout Work) {
        while let alarm = alarms.nextDue(at: context.now) {
            guard let slot = alarm.slot else {
                // If the alarm is outdated, neither of these is due.
                if records.writeAt <= context.now.nanoseconds {
                    records.writeAt = .max
                    work.recordsAreDue = true
                }
                if mutations.resumedMutationDeadline <= context.now.nanoseconds {
                    endWaitingForMutations(context, &work)
                }
                continue
            }
            work.discarded.append(slot)
            guard alarms.isCurrent(alarm, of: slot) else { continue }
            if let due = slot.entry.deadline, due <= context.now {
                send(.timePassed, to: slot, context, &work)
            } else {
                schedule(slot, &work)
            }
        }
        if let deadline = alarms.rearm() { work.alarm = deadline }
    }

    // MARK: Removal

    /// An outdated alarm retains a removed slot until its deadline. It must not retain the slot's content.
    private func empty(_ slot: Slot, _ work: inout Work) {
        var leftover = EffectBuffer(wantsEvents: false)
        slot.entry.receive(
            .reset(initial: nil, .cleared), at: context(MonotonicInstant(nanoseconds: 0)), into: &leftover)
        for case .discard(let object) in leftover.effects { work.discarded.append(object) }
        if let fetcher = slot.fetcher.take() { work.discarded.append(fetcher) }
        if let extras = slot.extras.take() { work.discarded.append(extras) }
        if let entryState = slot.entryState.take() { work.discarded.append(entryState) }
    }

    mutating func remove(_ slot: Slot, _ work: inout Work) {
        guard !slot.isRemoved else { return }
        entries.remove(slot)
        budget.charge(slot, 0)
        alarms.forget(slot)
        for run in slot.takeRuns() { work.discarded.append(run) }
        empty(slot, &work)
        work.discarded.append(slot)
    }
}
