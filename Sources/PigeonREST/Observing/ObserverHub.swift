internal import PigeonCore

/// The observers of a resource, and the events that they have not received yet. Guarded by the resource's lock. Calls
/// no other code.
struct ObserverHub {
    /// A message for observers on the main actor.
    struct Delivery {
        let message: Observed.Message
        let number: UInt64
        let observed: [Observed]
    }

    private(set) var observed: [Observed] = []
    /// Number of observers that are not called on the main actor.
    private(set) var offMainCount = 0
    /// Number of observers that want to receive progress.
    private var progressCount = 0
    /// Increases with each change of `observed`.
    private(set) var changes = 0
    /// Number of observers at which to check again for owners that have been released.
    private var sweepAt = 16
    /// Observers that have ended and have not been notified of it yet.
    var ended: [Observed] = []

    private(set) var lastNumber: UInt64 = 0
    private var events: [Happening] = []
    private(set) var isDelivering = false
    private var mainDeliveries: [Delivery] = []
    private(set) var isDeliveringOnMain = false
    /// Resumed when nothing is being delivered.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Observes the entry while the resource has observers.
    private(set) var core: ObserverCore?
    private var isAttaching = false
    /// The newest picture of the entry. `nil` while the entry is not observed.
    private var picture: EntryPicture?
    /// The picture of the entry just before it was observed.
    private var before: EntryPicture?
    /// Events that were posted before the first picture was recorded.
    private var early: [ResourceEvent] = []

    // MARK: Observers

    /// - Returns: True if the caller must remove observers whose owners have been released. The next removal is due
    ///   when there are twice as many observers, so that adding one does not check all others each time.
    mutating func beginSweep() -> Bool {
        guard observed.count >= sweepAt else { return false }
        sweepAt = 2 * observed.count
        return true
    }

    /// Observers that want to receive progress.
    var progressObservers: [Observed] {
        progressCount == 0 ? [] : observed.filter(\.observation.wantsProgress)
    }

    /// - Returns: The observer with its owner.
    mutating func add(_ observation: Observation, _ observer: NewObserver, _ owner: WeakOwner?) -> Observed {
        var new = Observed(observation, addedAt: lastNumber)
        _ = new.join(observer, owner)  // returns nothing to release, because the observer is new
        observed.append(new)
        count(observation, 1)
        changes += 1
        return new
    }

    private mutating func count(_ observation: Observation, _ change: Int) {
        if !observation.isOnMain { offMainCount += change }
        if observation.wantsProgress { progressCount += change }
    }

    /// - Returns: The values to release outside the lock.
    mutating func join(_ index: Int, _ observer: NewObserver, _ owner: WeakOwner?) -> (any Sendable)? {
        changes += 1
        return observed[index].join(observer, owner)
    }

    /// - Returns: The observers that the owner owned, without that owner.
    mutating func remove(_ owner: WeakOwner) -> [Observed] {
        var left: [Observed] = []
        for index in observed.indices where observed[index].isOwned(by: owner) {
            observed[index].remove(owner)
            left.append(observed[index])
        }
        if !left.isEmpty { changes += 1 }
        return left
    }

    struct Removed {
        var observed: [Observed] = []
        var core: ObserverCore?
        /// Released outside of the lock.
        var old: [any Sendable] = []
    }

    /// Removes observers, and the observation of the entry with the last of them.
    ///
    /// - Parameters:
    ///   - gone: The observers to remove.
    ///   - released: The observers to stop retaining.
    mutating func remove(
        _ gone: Set<ObjectIdentifier>, notRetaining released: Set<ObjectIdentifier> = []
    ) -> Removed {
        var removed = Removed()
        changes += 1
        for index in observed.indices.reversed() {
            let id = ObjectIdentifier(observed[index].observation)
            if gone.contains(id) {
                removed.observed.append(observed.remove(at: index))
            } else if released.contains(id), let old = observed[index].releaseObserver() {
                removed.old.append(old)
            }
        }
        removed.observed.reverse()
        for one in removed.observed { count(one.observation, -1) }
        sweepAt = max(16, 2 * observed.count)
        guard observed.isEmpty, let core else { return removed }
        removed.core = core
        if let picture { removed.old.append(picture) }
        (self.core, picture, early) = (nil, nil, [])
        return removed
    }

    // MARK: The entry

    /// - Parameter picture: The current picture of the entry. An observer that is added while the entry begins to be
    ///   observed may have seen only this one.
    /// - Returns: True if the caller must attach an observer to the entry.
    mutating func beginAttaching(_ picture: EntryPicture?) -> Bool {
        guard core == nil, !isAttaching else { return false }
        isAttaching = true
        before = picture
        return true
    }

    /// - Returns: The value to release outside the lock.
    mutating func attach(_ core: ObserverCore) -> EntryPicture? {
        isAttaching = false
        self.core = core
        defer { before = nil }
        return before
    }

    /// Adds the events of the change to a new picture.
    ///
    /// - Returns: The value to release outside the lock.
    mutating func record(_ new: EntryPicture) -> EntryPicture? {
        guard let old = picture else {
            // A picture that arrives after the last observer was removed is dropped.
            if isAttaching { begin(with: new) }
            return nil
        }
        guard new.version > old.version else { return nil }
        picture = new
        add(from: old, to: new)
        return old
    }

    private mutating func begin(with first: EntryPicture) {
        picture = first
        if let before, before.version < first.version { add(from: before, to: first) }
        for event in early { post(event) }
        early = []
    }

    /// Adds an event that is not derived from the entry. It follows the entry's events up to now.
    mutating func post(_ event: ResourceEvent) {
        guard !observed.isEmpty else { return }
        if let picture { add(Happening(event: event, picture: picture)) } else { early.append(event) }
    }

    private mutating func add(from old: EntryPicture, to new: EntryPicture) {
        for happening in Happening.all(from: old, to: new) { add(happening) }
    }

    private mutating func add(_ happening: Happening) {
        lastNumber += 1
        var happening = happening
        happening.number = lastNumber
        events.append(happening)
    }

    // MARK: Delivering

    /// - Returns: False if another call is delivering, or there are no observers.
    mutating func reserveDelivering() -> Bool {
        guard !isDelivering, !observed.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// - Returns: The first step, if the caller must deliver.
    mutating func beginDelivering() -> Step? {
        guard !isDelivering, !events.isEmpty else { return nil }
        isDelivering = true
        return next()
    }

    struct Step {
        let happening: Happening
        let observed: [Observed]
        /// True if some observers are not called on the main actor.
        let hasOffMain: Bool
        /// True if the caller must deliver on the main actor.
        let beginsOnMain: Bool
    }

    mutating func next() -> Step? {
        guard !events.isEmpty else {
            isDelivering = false
            return nil
        }
        let happening = events.removeFirst()
        var beginsOnMain = false
        if offMainCount < observed.count {
            beginsOnMain = addForMain(.event(happening.event), happening.number, observed)
        }
        return Step(
            happening: happening, observed: observed, hasOffMain: offMainCount > 0, beginsOnMain: beginsOnMain)
    }

    /// - Returns: True if the caller must deliver on the main actor.
    mutating func addForMain(_ message: Observed.Message, _ number: UInt64, _ observed: [Observed]) -> Bool {
        mainDeliveries.append(Delivery(message: message, number: number, observed: observed))
        defer { isDeliveringOnMain = true }
        return !isDeliveringOnMain
    }

    mutating func nextForMain() -> [Delivery]? {
        guard !mainDeliveries.isEmpty else {
            isDeliveringOnMain = false
            return nil
        }
        defer { mainDeliveries = [] }
        return mainDeliveries
    }

    private var isIdle: Bool { !isDelivering && !isDeliveringOnMain }

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
