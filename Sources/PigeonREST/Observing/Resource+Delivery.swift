internal import PigeonBase
internal import PigeonCore

// The resource's ``ObserverHub``. All observers receive an event before any of them receives the next one.
//
// Observers on the main actor are called in one job for all of them: at once if the event happens on the main actor.

extension Resource {
    /// True if the resource has observers.
    public var isObserved: Bool { observed.contains { $0.isAlive } }

    private var observed: Roster<OwnedObservation> { state.withLock { $0.hub.observed } }

    /// The resource's own observer of the entry, which does not count when the client is asked whether the entry is in
    /// use.
    var entryObserver: ObserverCore? { state.withLock { $0.hub.core } }

    // MARK: Adding and removing

    /// Adds an observer, and sends it its first event. If an observer with the same identity exists, adds the owner to
    /// it instead.
    ///
    /// - Parameters:
    ///   - owner: `nil` for an observer that the library itself removes.
    ///   - observer: The observer, if an object other than itself owns it.
    func add(
        _ target: Observation.Target, identity: ObserverIdentity? = nil, owner: WeakOwner?,
        retaining observer: (any ResourceObserver & Sendable)? = nil
    ) -> Observation {
        let (isSweepDue, isAttached) = state.withLock { ($0.hub.beginSweep(), $0.hub.core != nil) }
        if isSweepDue { sweep() }
        if let identity, MainActor.isCurrent { MainActor.assumeIsolated { notifyOfEnd(identity) } }
        if !isAttached { attach() }
        let found = find(Observation(target, identity: identity), owner, observer)
        if !found.isAttached { attach() }  // the last other observer has been removed in the meantime
        let observation = found.one.observation
        guard found.isNew else { return observation }
        SiestaLog.log(.observers, "\(self): one more observer")
        welcome(found.one)
        return observation
    }

    private func find(
        _ new: Observation, _ owner: WeakOwner?, _ observer: (any ResourceObserver & Sendable)?
    ) -> (one: OwnedObservation, isNew: Bool, isAttached: Bool) {
        guard let identity = new.identity else {
            return state.withLock { ($0.hub.add(new, owner, retaining: observer), true, $0.hub.core != nil) }
        }
        while true {
            // Identities are compared, and owners are read, without the lock.
            let (candidates, changes) = state.withLock { ($0.hub.candidates(for: identity), $0.hub.changes) }
            let known = candidates.first { $0.observation.identity == identity && $0.isAlive }
            let (found, isAttached) = state.withLock {
                state -> ((one: OwnedObservation, old: (any Sendable)?)?, Bool) in
                guard state.hub.changes == changes else { return (nil, false) }
                let isAttached = state.hub.core != nil
                guard let known else {
                    return ((state.hub.add(new, owner, retaining: observer), nil), isAttached)
                }
                return (state.hub.join(known.observation.number, owner, retaining: observer), isAttached)
            }
            if let found { return (found.one, known == nil, isAttached) }  // releases the old value outside the lock
        }
    }

    private func welcome(_ one: OwnedObservation) {
        let event = ResourceEvent.observerAdded
        guard one.observation.isOnMain else { return notify(one.observation, of: event, present(as: event)) }
        guard !MainActor.isCurrent else {
            return MainActor.assumeIsolated { if one.isAlive { one.receive(.event(event), self) } }
        }
        let begins = state.withLock { $0.hub.welcomeOnMain(one) }
        if begins { MainActor.runSoon { self.deliverOnMain() } }
    }

    /// Notifies an observer that is not called on the main actor.
    private func notify(
        _ observation: Observation, of event: ResourceEvent, _ eventRecord: @autoclosure () -> EventRecord
    ) {
        switch observation.target {
        case .listener(let follow): follow(eventRecord())
        case .inline(let closure): closure(self, event)
        case .actor(let closure, let queue):
            queue.add { [self] in
                let isAlive = state.withLock { $0.hub.observed[observation.number] }?.isAlive ?? false
                if isAlive { await closure(self, event) }
            }
            queue.run(launchImmediately(_:))
        case .object, .value, .main: break
        }
    }

    func present(as event: ResourceEvent) -> EventRecord {
        EventRecord(event: event, entryState: entryState, hasOtherRequests: state.withLock { $0.hasOtherRequests })
    }

    /// Removes the observers of an owner. Observers with other owners stay.
    public func removeObservers(ownedBy owner: AnyObject?) {
        guard let owner else { return }
        let (removed, left) = state.withLock { $0.hub.remove(ownedBy: ObjectIdentifier(owner)) }
        finish(removed)
        if !left.isEmpty { end(left) }
    }

    func remove(_ observation: Observation) {
        observation.end()
        finish(state.withLock { $0.hub.remove([observation.number]) })
    }

    /// Removes the observers whose owners have been released.
    func sweep() {
        // An observer that nothing retains any more is freed, which ends its other observations too.
        while end(Array(observed)) {}
    }

    /// Removes those of the given observers whose owners have been released.
    ///
    /// - Returns: True if one ended, or is not retained any more. Observers that were freed with it may be left.
    @discardableResult
    private func end(_ some: [OwnedObservation]) -> Bool {
        var candidates = some
        while true {
            let changes = state.withLock { $0.hub.changes }
            let gone = candidates.filter { !$0.isAlive }.map(\.observation.number)
            let released = candidates.filter { $0.isRetainedForNobody && $0.isAlive }.map(\.observation.number)
            guard !gone.isEmpty || !released.isEmpty else { return false }
            let removed = state.withLock { state in
                state.hub.changes == changes ? state.hub.remove(gone, notRetaining: released) : nil
            }
            if let removed {
                finish(removed)
                return true
            }
            candidates = state.withLock { state in some.compactMap { state.hub.observed[$0.observation.number] } }
        }
    }

    /// Notifies observers that have been removed, and stops observing the entry if there are no others.
    private func finish(_ removed: ObserverHub.Removed) {
        for one in removed.observed { one.observation.end() }
        notifySoonOfEnd(removed.observed.filter(\.observation.isResourceObserver))
        if let core = removed.core { client.detach(core) }
        let count = removed.observed.count
        if count > 0 { SiestaLog.log(.observers, "\(self): \(count) fewer observers") }
    }

    /// Notifies observers in a later turn of the main actor that they have stopped observing, because the caller may
    /// still be using them.
    private func notifySoonOfEnd(_ ended: [OwnedObservation]) {
        guard !ended.isEmpty else { return }
        let isFirst = state.withLock { $0.hub.addEnded(ended) }
        if isFirst { Task { @MainActor in self.notifyOfEnds() } }
    }

    /// Notifies the observers that have ended, one at a time. One of them may add another one again, which must be
    /// notified before that.
    @MainActor
    private func notifyOfEnds() {
        while let next = state.withLock({ $0.hub.nextEnded() }) { next.receiveEnd(self) }
    }

    /// Notifies an observer of its end, because it is about to be added again.
    @MainActor
    private func notifyOfEnd(_ identity: ObserverIdentity) {
        // Identities are compared without the lock. Only the main actor removes observers that have ended.
        let numbers = state.withLock { $0.hub.ended.candidates(for: identity) }
            .filter { $0.one.observation.identity == identity }.map(\.number).sorted()
        guard !numbers.isEmpty else { return }
        let ended = state.withLock { state in numbers.compactMap { state.hub.takeEnded($0) } }
        for one in ended { one.receiveEnd(self) }
    }

    // MARK: The entry

    /// Observes the entry. The observer of the entry retains the resource.
    private func attach() {
        let entryState = self.entryState
        guard state.withLock({ $0.hub.beginAttaching(entryState) }) else { return }
        let core = client.attach(definition, recorder: self)
        let old = state.withLock { $0.hub.attach(core) }
        _ = old  // released outside the lock
    }

    // MARK: Delivering

    /// Notifies observers of an event that is not derived from the entry, after the entry's earlier events.
    func post(_ event: ResourceEvent) {
        SiestaLog.log(.stateChanges, "\(self): \(event)")
        let step = state.withLock { state in
            state.hub.post(event, hasOtherRequests: state.hasOtherRequests)
            return state.hub.beginDelivering()
        }
        if let step { deliver(from: step) }
    }

    func post(progress: Double) {
        let begins = state.withLock { state in
            let observed = state.hub.progressObservers
            return !observed.isEmpty && state.hub.addForMain(.progress(progress), .max, observed)
        }
        if begins { MainActor.runSoon { self.deliverOnMain() } }
    }

    /// Delivers events until none is left. Only one call delivers at a time: it also delivers events that occur in the
    /// meantime, even within an observer.
    private func deliver(from first: ObserverHub.Step) {
        var step: ObserverHub.Step? = first
        while let next = step {
            if next.beginsOnMain { MainActor.runSoon { self.deliverOnMain() } }
            if next.hasOffMain { deliverOffMain(next) }
            step = nextStep()
        }
    }

    private func nextStep() -> ObserverHub.Step? {
        let (step, waiters) = state.withLock { ($0.hub.next(), $0.hub.takeWaiters()) }
        for waiter in waiters { waiter.resume() }
        return step
    }

    private func deliverOffMain(_ step: ObserverHub.Step) {
        var needsSweep = false
        for one in step.observed where one.addedAt < step.eventRecord.number && !one.observation.isOnMain {
            guard one.isAlive else {
                needsSweep = true
                continue
            }
            notify(one.observation, of: step.eventRecord.event, step.eventRecord)
        }
        if needsSweep { sweep() }
    }

    /// Delivers messages on the main actor until none is left. Only one call delivers at a time: it also delivers
    /// messages that are added in the meantime. A turn whose messages an earlier call has delivered finds none.
    @MainActor
    private func deliverOnMain() {
        var needsSweep = false
        var next = takeForMain { $0.beginDeliveringOnMain() }
        while let deliveries = next {
            for delivery in deliveries {
                for one in delivery.observed where one.addedAt < delivery.number && one.observation.isOnMain {
                    if one.isAlive { one.receive(delivery.message, self) } else { needsSweep = true }
                    if one.isRetainedForNobody { needsSweep = true }
                }
            }
            next = takeForMain { $0.nextForMain() }
        }
        if needsSweep { sweep() }
    }

    private func takeForMain(
        _ take: (inout ObserverHub) -> [ObserverHub.PendingNotification]?
    ) -> [ObserverHub.PendingNotification]? {
        let (deliveries, waiters) = state.withLock { (take(&$0.hub), $0.hub.takeWaiters()) }
        for waiter in waiters { waiter.resume() }
        return deliveries
    }

    /// Waits until observers have been notified of everything that has happened so far.
    func delivered() async {
        await withCheckedContinuation { continuation in
            if !state.withLock({ $0.hub.wait(continuation) }) { continuation.resume() }
        }
        for one in observed { await one.observation.delivered() }
    }
}

extension Resource: VersionRecorder {
    package func record(_ entryState: EntryState) -> EntryState? {
        state.withLock { $0.hub.record(entryState, hasOtherRequests: $0.hasOtherRequests) }
    }

    package func deliverRecorded() {
        if let step = state.withLock({ $0.hub.beginDelivering() }) { deliver(from: step) }
    }
}
