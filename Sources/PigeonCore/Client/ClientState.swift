internal import Foundation
internal import HeapModule

/// All state that a client guards with its lock.
struct ClientState {
    let client: ClientReference
    var slots: [QueryKey: Slot] = [:]
    var index = KeyIndex()
    var isOnline: Bool
    var isActive: Bool
    var leftAt: MonotonicInstant?
    var nextID: UInt64 = 0
    var uses: UInt64 = 0
    /// Number of objects of the program that hold each key. Has no item for keys without such objects.
    var holds: [QueryKey: Int] = [:]

    var defaults: ResolvedOptions
    /// The options of the definition that the current transaction concerns, if prefix defaults apply to them.
    var preparedOptions: ResolvedOptions?
    var prefixDefaults: [(path: QueryKey, apply: @Sendable (inout QueryOptions) -> Void)] = []

    var alarms = Heap<Alarm>()
    var deadAlarms = 0
    var armedFor = MonotonicInstant(nanoseconds: .max)
    var alarm: AlarmHandle?

    var effects = EffectBuffer(wantsEvents: false)
    var events: [QueryEvent] = []
    var eventSequence: UInt64 = 0
    var eventListeners: [(id: UInt64, handler: @Sendable (QueryEvent) -> Void)] = []
    var isDeliveringEvents = false

    var records = PendingRecords()
    var mutations = MutationQueue()
    var invalidationListeners: [QueryKey: [(id: UInt64, handler: @Sendable (KeyInvalidation) -> Void)]] = [:]

    let cache: (any QueryCacheType)?
    let budget: Int?
    var cost = 0
    /// The slots that the budget may evict, least recently used first. Some may be in use again.
    var evictable = Heap<EvictableSlot>()

    init(
        options: QueryOptions, cache: (any QueryCacheType)?, budget: Int?, isOnline: Bool, isActive: Bool,
        client: ClientReference
    ) {
        defaults = ResolvedOptions(options)
        self.cache = cache
        self.budget = budget
        self.client = client
        self.isOnline = isOnline
        self.isActive = isActive
    }

    /// A deadline of an entry. Without a slot, it is a deadline of the client itself.
    struct Alarm: Comparable {
        let deadline: Int64
        let slot: Slot?

        static func < (one: Alarm, other: Alarm) -> Bool { one.deadline < other.deadline }
        static func == (one: Alarm, other: Alarm) -> Bool { one.deadline == other.deadline }
    }

    mutating func makeID() -> UInt64 {
        nextID += 1
        return nextID
    }

    func moment(_ now: MonotonicInstant) -> Moment {
        Moment(now: now, isOnline: isOnline, isActive: isActive)
    }

    // MARK: Options

    /// Resolves options: the client's defaults, then prefix defaults in the order they were set, then the definition's
    /// own. Prefix defaults are user code, so options that they affect were prepared outside the lock.
    func resolve(_ changes: OptionChanges?, for key: QueryKey) -> ResolvedOptions {
        if let preparedOptions { return preparedOptions }
        guard let changes else { return defaults }
        var options = defaults.values
        for change in changes.apply { change(&options) }
        return ResolvedOptions(options)
    }

    func hasDefaults(for key: QueryKey) -> Bool {
        !prefixDefaults.isEmpty && prefixDefaults.contains { key.isWithin($0.path) }
    }

    // MARK: Inputs

    /// - Parameter validators: Validators that the server sent with the value of the input. Stored if the entry takes
    ///   that value.
    mutating func send(
        _ input: EntryInput, to slot: Slot, validators: FetchValidators? = nil, _ moment: Moment, _ work: inout Work
    ) {
        let (values, answers) = (slot.entry.valueCount, slot.entry.answerCount)
        effects.removeAll()
        slot.entry.receive(input, at: moment, into: &effects)
        if let validators, slot.entry.valueCount != values || slot.entry.answerCount != answers {
            slot.keep(validators)
        }
        absorb(slot, moment, &work)
        if slot.entry.shown == nil, let extras = slot.extras, extras.cost != 0 {
            // An empty entry costs nothing.
            cost -= extras.cost
            extras.cost = 0
        }
        schedule(slot, &work)
        noteIfEvictable(slot)
    }

    /// Starts the unused time of an entry that receives no other input, so that it is collected.
    mutating func touch(_ slot: Slot, _ moment: Moment, _ work: inout Work) {
        send(.timePassed, to: slot, moment, &work)
    }

    /// Turns an entry's effects into work to carry out after the lock is released.
    private mutating func absorb(_ slot: Slot, _ moment: Moment, _ work: inout Work) {
        for effect in effects.effects {
            switch effect {
            case .start(let target, let generation, let attempt, let cause, let fromStart, let goesOn):
                start(target, at: slot, generation, attempt, cause, fromStart, goesOn, &work)
            case .stop(let generation, let isSuperseded):
                guard let run = slot.takeRun(generation) else { break }
                if isSuperseded { run.noteSuperseded() }
                work.stops.append(run)
            case .end(let generation):
                if let run = slot.takeRun(generation) { work.discarded.append(run) }
            case .notify: deliver(slot, &work)
            case .settle(let settlement):
                settle(slot.waiters, slot, settlement, &work)
                slot.waiters = []
            case .settlePage(let direction, let settlement):
                guard let waiters = slot.extras?.takePageWaiters(direction) else { break }
                // The list without the page does not answer the caller.
                if case .cancelled = settlement {
                    for waiter in waiters { work.resumptions.append((waiter, .failure(CancellationError()))) }
                } else {
                    settle(waiters, slot, settlement, &work)
                }
            case .persist: persist(slot, moment, &work)
            case .persistStale:
                if let source = slot.fetcher?.source {
                    markStale(source, of: slot, &work)
                } else {
                    persistStale(slot, &work)
                }
            case .event(let kind, let cause):
                emit(kind, key: slot.key, cause, moment, &work)
            case .discard(let object): work.discarded.append(object)
            case .watchSource: if slot.extras?.watch == nil { work.sourceSteps.append(.watch(slot)) }
            case .readSource: work.sourceSteps.append(.read(slot))
            case .sourceRead:
                // Notifies observers that attached in the meantime, even if the entry has not changed.
                deliver(slot, &work)
                guard let readers = slot.extras?.readers, !readers.isEmpty else { break }
                slot.extras?.readers = []
                for reader in readers { work.resumptions.append((reader, .success(.nothing))) }
            case .collect: remove(slot, &work)
            }
        }
        effects.removeAll()
    }

    private func deliver(_ slot: Slot, _ work: inout Work) {
        guard !slot.observers.isEmpty else { return }
        if slot.extras?.deliversEveryVersion == true, let client = client.client {
            var old: EntryPicture?
            let picture = client.picture(of: slot, replacing: &old)
            for core in slot.observers {
                core.enqueue(picture, of: slot)
                work.enqueued.append(core)
            }
            if let old { work.discarded.append(old) }
            return
        }
        if work.deliveries.last !== slot { work.deliveries.append(slot) }
    }

    private func settle(_ waiters: [Waiter], _ slot: Slot, _ settlement: Settlement, _ work: inout Work) {
        guard !waiters.isEmpty else { return }
        let result: Result<Payload, any Error> =
            switch settlement {
            case .failure(let failure): .failure(failure.error)
            case .value, .cancelled: slot.entry.shown.map { .success($0) } ?? .failure(CancellationError())
            }
        for waiter in waiters { work.resumptions.append((waiter, result)) }
    }

    private mutating func start(
        _ target: FlightTarget, at slot: Slot, _ generation: UInt64, _ attempt: Int, _ cause: Cause,
        _ fromStart: Bool, _ goesOn: Bool, _ work: inout Work
    ) {
        guard let fetcher = slot.fetcher else { return }
        let validators = target == .whole ? slot.validators(of: slot.entry.base) : FetchValidators()
        if let run = slot.run(of: generation) {
            run.beginAttempt(attempt, goesOn: goesOn, previous: slot.entry.base, validators: validators)
            return work.starts.append((run, attempt))
        }
        let run = FetchRun(
            slot: slot, client: client, generation: generation, direction: target.direction, fetcher: fetcher,
            cause: cause, fromStart: fromStart, previous: slot.entry.base)
        work.starts.append((run, attempt))
        guard target == .whole else { return slot.makeExtras().otherRuns.append(run) }
        if !validators.isEmpty { run.validators = validators }
        if let old = slot.run { slot.makeExtras().otherRuns.append(old) }
        slot.run = run
    }

    // MARK: Events

    mutating func emit(
        _ kind: @autoclosure () -> QueryEvent.Kind, key: QueryKey? = nil, mutation: String? = nil,
        _ cause: @autoclosure () -> Cause, _ moment: Moment, _ work: inout Work
    ) {
        guard !eventListeners.isEmpty else { return }
        eventSequence += 1
        events.append(
            QueryEvent(
                kind: kind(), key: key, mutation: mutation, cause: cause(), time: moment.now,
                sequence: eventSequence))
        work.hasEvents = true
    }

    // MARK: Alarms

    /// Keeps at most one live alarm for a slot, no later than its deadline.
    mutating func schedule(_ slot: Slot, _ work: inout Work) {
        guard let deadline = slot.entry.deadline?.nanoseconds, deadline < slot.scheduledAt, !slot.isRemoved
        else { return }
        if slot.scheduledAt != .max { deadAlarms += 1 }
        slot.scheduledAt = deadline
        insert(Alarm(deadline: deadline, slot: slot), &work)
    }

    mutating func insert(_ alarm: Alarm, _ work: inout Work) {
        if deadAlarms > 64, deadAlarms > alarms.count / 2 {
            alarms = Heap(alarms.unordered.filter { $0.slot.map { slot in !slot.isRemoved } ?? true })
            deadAlarms = 0
        }
        alarms.insert(alarm)
        let deadline = MonotonicInstant(nanoseconds: alarm.deadline)
        guard deadline < armedFor else { return }
        armedFor = deadline
        work.alarm = deadline
    }

    /// Sends ``EntryInput/timePassed`` to each slot with a deadline that has passed.
    mutating func timePassed(_ moment: Moment, _ work: inout Work) {
        armedFor = MonotonicInstant(nanoseconds: .max)
        while let alarm = alarms.min, alarm.deadline <= moment.now.nanoseconds {
            alarms.removeMin()
            guard let slot = alarm.slot else {
                // An outdated alarm finds that nothing is due.
                if records.writeAt <= moment.now.nanoseconds {
                    records.writeAt = .max
                    work.recordsAreDue = true
                }
                if mutations.patienceEnds <= moment.now.nanoseconds { endWaitingForMutations(moment, &work) }
                continue
            }
            work.discarded.append(slot)
            guard !slot.isRemoved, slot.scheduledAt == alarm.deadline else {
                deadAlarms = max(0, deadAlarms - 1)
                continue
            }
            slot.scheduledAt = .max
            if let due = slot.entry.deadline, due <= moment.now {
                send(.timePassed, to: slot, moment, &work)
            } else {
                schedule(slot, &work)
            }
        }
        if let next = alarms.min, next.deadline < armedFor.nanoseconds {
            armedFor = MonotonicInstant(nanoseconds: next.deadline)
            work.alarm = armedFor
        }
    }

    // MARK: Removal

    /// An outdated alarm retains a removed slot until its deadline. It must not retain the slot's content.
    private func empty(_ slot: Slot, _ work: inout Work) {
        var leftover = EffectBuffer(wantsEvents: false)
        slot.entry.receive(
            .reset(initial: nil, .cleared), at: moment(MonotonicInstant(nanoseconds: 0)), into: &leftover)
        for case .discard(let object) in leftover.effects { work.discarded.append(object) }
        for case let object? in [slot.fetcher, slot.extras, slot.picture] as [AnyObject?] {
            work.discarded.append(object)
        }
        slot.fetcher = nil
        slot.extras = nil
        slot.picture = nil
    }

    mutating func remove(_ slot: Slot, _ work: inout Work) {
        guard !slot.isRemoved else { return }
        slot.isRemoved = true
        slots[slot.key] = nil
        index.remove(slot)
        cost -= slot.extras?.cost ?? 0
        if slot.scheduledAt != .max { deadAlarms += 1 }
        for run in slot.takeRuns() { work.discarded.append(run) }
        empty(slot, &work)
        work.discarded.append(slot)
    }
}
