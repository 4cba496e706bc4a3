internal import PigeonBase
internal import PigeonCore

/// The observers of a resource, and the events that they have not received yet. Guarded by the resource's lock. Calls
/// no other code.
struct ObserverHub {
    struct PendingNotification {
        let message: OwnedObservation.Message
        let number: UInt64
        let observed: Roster<OwnedObservation>
    }

    /// The observers, by the numbers of their observations.
    private var list = ObserverList()
    private var owned: [ObjectIdentifier: Set<UInt64>] = [:]
    /// Number of observers that are not called on the main actor.
    private var offMainCount = 0
    private var progressCount = 0
    /// Increases with each change of `observed`.
    private(set) var changes = 0
    /// Number of observers at which to check again for owners that have been released.
    private var sweepAt = 16
    /// Observers that have ended and have not been notified of it yet, by the order in which they ended.
    private(set) var ended = ObserverList()
    private var lastEnding: UInt64 = 0
    /// The observers that ended up to this number have been notified.
    private var passedEnding: UInt64 = 0

    private var lastNumber: UInt64 = 0
    private var events = SerialDelivery<EventRecord>()
    /// Messages that the main actor has not begun to deliver. If there are any, a turn of it is scheduled, unless it
    /// is delivering. Only the main actor delivers them.
    private var mainDeliveries = SerialDelivery<PendingNotification>()
    /// Resumed when nothing is being delivered.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Observes the entry while the resource has observers.
    private(set) var core: ObserverCore?
    private var isAttaching = false
    /// The newest state of the entry. `nil` while the entry is not observed.
    private var entryState: EntryState?
    /// The state of the entry just before it was observed.
    private var before: EntryState?
    /// Events that were posted before the first state was recorded.
    private var early: [ResourceEvent] = []

    // MARK: Observers

    /// The observers, in the order in which they were added.
    var observed: Roster<OwnedObservation> { list.all }

    /// - Returns: True if the caller must remove observers whose owners have been released. The next removal is due
    ///   when there are twice as many observers, so that adding one does not check all others each time.
    mutating func beginSweep() -> Bool {
        guard observed.count >= sweepAt else { return false }
        sweepAt = 2 * observed.count
        return true
    }

    var progressObservers: Roster<OwnedObservation> {
        var found = Roster<OwnedObservation>()
        guard progressCount > 0 else { return found }
        for one in observed where one.observation.isResourceObserver { found.set(one, one.observation.number) }
        return found
    }

    /// Observers that may have an identity.
    func candidates(for identity: ObserverIdentity) -> [OwnedObservation] {
        list.candidates(for: identity).map(\.one)
    }

    /// - Returns: The observer with its owner.
    mutating func add(
        _ observation: Observation, _ owner: WeakOwner?, retaining observer: (any ResourceObserver & Sendable)?
    ) -> OwnedObservation {
        var new = OwnedObservation(observation, addedAt: lastNumber)
        _ = new.join(owner, retaining: observer)  // returns nothing to release, because the observer is new
        list.set(new, observation.number)
        if let owner { owned[owner.identity, default: []].insert(observation.number) }
        count(observation, 1)
        changes += 1
        return new
    }

    private mutating func count(_ observation: Observation, _ change: Int) {
        if !observation.isOnMain { offMainCount += change }
        if observation.isResourceObserver { progressCount += change }
    }

    /// Adds an owner to an observer.
    ///
    /// - Returns: The observer, and the value to release outside the lock. `nil` if the observer has been removed.
    mutating func join(
        _ number: UInt64, _ owner: WeakOwner?, retaining observer: (any ResourceObserver & Sendable)?
    ) -> (one: OwnedObservation, old: (any Sendable)?)? {
        guard var one = observed[number] else { return nil }
        changes += 1
        let old = one.join(owner, retaining: observer)
        list.set(one, number)
        if let owner { owned[owner.identity, default: []].insert(number) }
        return (one, old)
    }

    struct Removed {
        var observed: [OwnedObservation] = []
        var core: ObserverCore?
        /// Released outside of the lock.
        var old: [any Sendable] = []
    }

    /// Removes an owner, and the observers that have no other one.
    ///
    /// - Returns: What was removed, and the observers with other owners, some of which may have been released.
    mutating func remove(ownedBy owner: ObjectIdentifier) -> (removed: Removed, left: [OwnedObservation]) {
        guard let numbers = owned.removeValue(forKey: owner) else { return (Removed(), []) }
        let left = numbers.sorted().compactMap { number in
            list.update(number) { one in
                one.remove(owner)
                return one
            }
        }
        let gone = left.filter(\.owners.isEmpty).map(\.observation.number)
        return (remove(gone), left.filter { !$0.owners.isEmpty })
    }

    /// Removes observers, and the observation of the entry with the last of them.
    ///
    /// - Parameters:
    ///   - gone: The numbers of the observers to remove.
    ///   - released: The numbers of the observers to stop retaining.
    mutating func remove(_ gone: [UInt64], notRetaining released: [UInt64] = []) -> Removed {
        var removed = Removed()
        changes += 1
        for number in released {
            list.update(number) { one in
                if let old = one.releaseObserver() { removed.old.append(old) }
            }
        }
        for number in gone {
            guard let one = list.remove(number) else { continue }
            removed.observed.append(one)
            for owner in one.owners { owned.remove(number, at: owner.identity) }
            count(one.observation, -1)
        }
        sweepAt = max(16, 2 * observed.count)
        guard observed.isEmpty, let core else { return removed }
        removed.core = core
        if let entryState { removed.old.append(entryState) }
        (self.core, entryState, early) = (nil, nil, [])
        return removed
    }

    // MARK: Ended observers

    /// Adds observers that must be notified of their end.
    ///
    /// - Returns: True if the caller must notify them, because none was waiting.
    mutating func addEnded(_ some: [OwnedObservation]) -> Bool {
        defer {
            for one in some {
                lastEnding += 1
                ended.set(one, lastEnding)
            }
        }
        return ended.all.isEmpty
    }

    mutating func nextEnded() -> OwnedObservation? {
        while passedEnding < lastEnding {
            passedEnding += 1
            if let one = ended.remove(passedEnding) { return one }
        }
        return nil
    }

    /// Removes and returns an ended observer, to notify it before its turn. `nil` if it has been notified.
    mutating func takeEnded(_ number: UInt64) -> OwnedObservation? { ended.remove(number) }

    // MARK: The entry

    /// - Parameter entryState: The current state of the entry. An observer that is added while the entry begins to be
    ///   observed may have seen only this one.
    /// - Returns: True if the caller must attach an observer to the entry.
    mutating func beginAttaching(_ entryState: EntryState?) -> Bool {
        guard core == nil, !isAttaching else { return false }
        isAttaching = true
        before = entryState
        return true
    }

    /// - Returns: The value to release outside the lock.
    mutating func attach(_ core: ObserverCore) -> EntryState? {
        isAttaching = false
        self.core = core
        defer { before = nil }
        return before
    }

    /// Adds the events of the change to a new state.
    ///
    /// - Returns: The value to release outside the lock.
    mutating func record(_ new: EntryState, hasOtherRequests: Bool) -> EntryState? {
        guard let old = entryState else {
            // A state that arrives after the last observer was removed is dropped.
            if isAttaching { begin(with: new, hasOtherRequests) }
            return nil
        }
        guard new.version > old.version else { return nil }
        entryState = new
        add(from: old, to: new, hasOtherRequests)
        return old
    }

    private mutating func begin(with first: EntryState, _ hasOtherRequests: Bool) {
        entryState = first
        if let before, before.version < first.version { add(from: before, to: first, hasOtherRequests) }
        for event in early { post(event, hasOtherRequests: hasOtherRequests) }
        early = []
    }

    /// Adds an event that is not derived from the entry. It follows the entry's events up to now.
    mutating func post(_ event: ResourceEvent, hasOtherRequests: Bool) {
        guard !observed.isEmpty else { return }
        guard let entryState else { return early.append(event) }
        add(event, entryState, hasOtherRequests)
    }

    private mutating func add(from old: EntryState, to new: EntryState, _ hasOtherRequests: Bool) {
        for event in ResourceEvent.all(from: old, to: new) { add(event, new, hasOtherRequests) }
    }

    private mutating func add(_ event: ResourceEvent, _ entryState: EntryState, _ hasOtherRequests: Bool) {
        lastNumber += 1
        events.add(
            EventRecord(event: event, entryState: entryState, hasOtherRequests: hasOtherRequests, number: lastNumber))
    }

    // MARK: Delivering

    /// - Returns: The first step, if the caller must deliver.
    mutating func beginDelivering() -> Step? { events.begin().map { step(for: $0) } }

    mutating func next() -> Step? { events.next().map { step(for: $0) } }

    struct Step {
        let eventRecord: EventRecord
        let observed: Roster<OwnedObservation>
        /// True if some observers are not called on the main actor.
        let hasOffMain: Bool
        let beginsOnMain: Bool
    }

    private mutating func step(for eventRecord: EventRecord) -> Step {
        var beginsOnMain = false
        if offMainCount < observed.count {
            beginsOnMain = addForMain(.event(eventRecord.event), eventRecord.number, observed)
        }
        return Step(
            eventRecord: eventRecord, observed: observed, hasOffMain: offMainCount > 0, beginsOnMain: beginsOnMain)
    }

    /// - Returns: True if the caller must deliver on the main actor.
    mutating func addForMain(
        _ message: OwnedObservation.Message, _ number: UInt64, _ observed: Roster<OwnedObservation>
    ) -> Bool {
        let isFirst = mainDeliveries.isEmpty
        mainDeliveries.add(PendingNotification(message: message, number: number, observed: observed))
        // A caller on the main actor does not wait for the turn that is scheduled for earlier messages.
        return !mainDeliveries.isDelivering && (isFirst || MainActor.isCurrent)
    }

    /// - Returns: True if the caller must deliver an observer's first event on the main actor.
    mutating func welcomeOnMain(_ one: OwnedObservation) -> Bool {
        var observed = Roster<OwnedObservation>()
        observed.set(one, one.observation.number)
        return addForMain(.event(.observerAdded), .max, observed)
    }

    /// - Returns: The first messages to deliver. `nil` if there are none, or the main actor is delivering already.
    mutating func beginDeliveringOnMain() -> [PendingNotification]? { mainDeliveries.beginAll() }

    mutating func nextForMain() -> [PendingNotification]? { mainDeliveries.nextAll() }

    private var isIdle: Bool { !events.isDelivering && !mainDeliveries.isDelivering && mainDeliveries.isEmpty }

    /// - Returns: False if nothing is being delivered, so that there is nothing to wait for.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if !isIdle { waiters.append(continuation) }
        return !isIdle
    }

    /// Removes and returns the continuations to resume, once nothing is being delivered.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        guard isIdle else { return [] }
        defer { waiters = [] }
        return waiters
    }
}
