internal import PigeonBase
internal import PigeonCore

/// The observers of a resource. All observers receive an event before any of them receives the next one.
///
/// Observers on the main actor are called in one job for all of them: at once if the event happens on the main actor.
final class ObserverHub: Sendable {
    private let state = Locked(HubState())
    private let turn = MainTurn()

    /// True if the resource has observers whose owners exist.
    var hasObservers: Bool { observed.contains { $0.isAlive } }

    private var observed: [Observed] { state.withLock { $0.observed } }

    /// True if an observer wants to receive progress.
    var wantsProgress: Bool { state.withLock { $0.progressObservers }.contains { $0.isAlive } }

    /// The hub's own observer of the entry, which does not count when the client is asked whether the entry is in use.
    var core: ObserverCore? { state.withLock { $0.core } }

    // MARK: Adding and removing

    /// Adds an observer, and sends it its first event. If an observer with the same identity exists, adds the owner to
    /// it instead.
    func add(
        _ observer: NewObserver, identity: ObserverIdentity? = nil, owner: WeakOwner?, to resource: Resource
    ) -> Observation {
        let (isSweepDue, isAttached) = state.withLock { ($0.beginSweep(), $0.core != nil) }
        if isSweepDue { sweep(resource) }
        if let identity, MainActor.isCurrent { MainActor.assumeIsolated { notifyOfEnd(identity, resource) } }
        if !isAttached { attach(resource) }
        let (one, isNew) = find(observer, identity, owner)
        if core == nil { attach(resource) }  // the last other observer has been removed in the meantime
        guard isNew else { return one.observation }
        SiestaLog.log(.observers, "\(resource): one more observer")
        welcome(one, resource)
        return one.observation
    }

    private func find(
        _ observer: NewObserver, _ identity: ObserverIdentity?, _ owner: WeakOwner?
    ) -> (Observed, isNew: Bool) {
        let new = Observation(observer.target, identity: identity)
        guard let identity else { return (state.withLock { $0.add(new, observer, owner) }, true) }
        while true {
            // Identities are compared, and owners are read, without the lock.
            let (observed, changes) = state.withLock { ($0.observed, $0.changes) }
            let known = observed.firstIndex { $0.observation.identity == identity && $0.isAlive }
            let (added, old) = state.withLock { state -> (Observed?, (any Sendable)?) in
                guard state.changes == changes else { return (nil, nil) }
                guard let known else { return (state.add(new, observer, owner), nil) }
                return (observed[known], state.join(known, observer, owner))
            }
            _ = old  // released outside the lock
            if let added { return (added, known == nil) }
        }
    }

    /// Sends a new observer its first event.
    private func welcome(_ one: Observed, _ resource: Resource) {
        let event = ResourceEvent.observerAdded
        switch one.observation.target {
        case .follower(let follow): follow(Happening(event: event, picture: resource.picture))
        case .inline(let closure): closure(resource, event)
        case .actor: one.observation.send(event, resource, isAlive: isAlive(one.observation))
        case .object, .value, .main:
            guard !MainActor.isCurrent else {
                return MainActor.assumeIsolated { if one.isAlive { one.receive(.event(event), resource) } }
            }
            let begins = state.withLock { $0.addForMain(.event(event), .max, [one]) }
            if begins { MainActor.runSoon { self.deliverOnMain(resource) } }
        }
    }

    private func isAlive(_ observation: Observation) -> @Sendable () -> Bool {
        { [weak self] in self?.observed.first { $0.observation === observation }?.isAlive ?? false }
    }

    func remove(ownedBy owner: AnyObject, from resource: Resource) {
        let owner = WeakOwner(owner)
        let left = state.withLock { $0.remove(owner) }
        if !left.isEmpty { end(left, of: resource) }
    }

    func remove(_ observation: Observation, from resource: Resource) {
        observation.end()
        remove([ObjectIdentifier(observation)], from: resource)
    }

    /// Removes the observers whose owners have been released.
    func sweep(_ resource: Resource) {
        end(observed, of: resource)
    }

    /// Removes those of the given observers whose owners have been released.
    private func end(_ some: [Observed], of resource: Resource) {
        var candidates = some
        while true {
            let changes = state.withLock { $0.changes }
            let gone = Set(candidates.filter { !$0.isAlive }.map { ObjectIdentifier($0.observation) })
            let released = Set(
                candidates.filter { $0.isRetainedForNobody && $0.isAlive }.map { ObjectIdentifier($0.observation) })
            guard !gone.isEmpty || !released.isEmpty else { return }
            if remove(gone, notRetaining: released, ifUnchanged: changes, from: resource) { return }
            let ids = Set(some.map { ObjectIdentifier($0.observation) })
            candidates = observed.filter { ids.contains(ObjectIdentifier($0.observation)) }
        }
    }

    /// - Parameter changes: The number of changes on which the other parameters are based. If it has increased since,
    ///   nothing is removed.
    /// - Returns: False if nothing was removed for this reason.
    @discardableResult
    private func remove(
        _ gone: Set<ObjectIdentifier>, notRetaining released: Set<ObjectIdentifier> = [],
        ifUnchanged changes: Int? = nil, from resource: Resource
    ) -> Bool {
        let removed = state.withLock { state -> HubState.Removed? in
            guard changes == nil || state.changes == changes else { return nil }
            return state.remove(gone, notRetaining: released)
        }
        guard let removed else { return false }
        for one in removed.observed { one.observation.end() }
        notifySoonOfEnd(removed.observed.filter(\.observation.hearsOfEnd), resource)
        if let core = removed.core { core.client.detach(core) }
        SiestaLog.log(.observers, "\(resource): \(removed.observed.count) fewer observers")
        return true
    }

    /// Notifies observers in a later turn of the main actor that they have stopped observing, because the caller may
    /// still be using them.
    private func notifySoonOfEnd(_ ended: [Observed], _ resource: Resource) {
        guard !ended.isEmpty else { return }
        state.withLock { $0.ended += ended }
        turn.ask { resource.hub.notifyOfEnds(resource) }
    }

    /// Notifies the observers that have ended, one at a time. One of them may add another one again, which must be
    /// notified before that.
    @MainActor
    private func notifyOfEnds(_ resource: Resource) {
        while let next = state.withLock({ $0.ended.isEmpty ? nil : $0.ended.removeFirst() }) {
            next.receiveEnd(resource)
        }
    }

    /// Notifies an observer of its end, because it is about to be added again.
    @MainActor
    private func notifyOfEnd(_ identity: ObserverIdentity, _ resource: Resource) {
        let ended = state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
        guard !ended.isEmpty else { return }
        let others = ended.filter { $0.observation.identity != identity }
        state.withLock { $0.ended.insert(contentsOf: others, at: 0) }
        for one in ended where one.observation.identity == identity { one.receiveEnd(resource) }
    }

    // MARK: The entry

    /// Observes the entry. The observer of the entry retains the resource.
    private func attach(_ resource: Resource) {
        // An observer that is added during this call may have seen only this picture.
        let before = resource.picture
        guard state.withLock({ $0.beginAttaching() }) else { return }
        let core = resource.client.attach(resource.makeDefinition(), seesEveryVersion: true) { picture, _ in
            resource.hub.receive(picture, resource)
        }
        let now = resource.client.picture(for: core) ?? resource.client.emptyPicture(of: resource.queryKey)
        let (old, step) = state.withLock { ($0.attach(core, before: before, now: now), $0.beginDelivering()) }
        _ = old  // released outside the lock
        if let step { deliver(resource, from: step) }
    }

    private func receive(_ picture: EntryPicture, _ resource: Resource) {
        let (old, step) = state.withLock { ($0.take(picture), $0.beginDelivering()) }
        _ = old  // released outside the lock
        if let step { deliver(resource, from: step) }
    }

    // MARK: Delivering

    /// Notifies observers of an event that is not derived from the entry, after the entry's earlier events.
    func post(_ event: ResourceEvent, of resource: Resource) {
        SiestaLog.log(.stateChanges, "\(resource): \(event)")
        let happening = Happening(event: event, picture: resource.picture)
        let step = state.withLock { state -> HubState.Step? in
            guard !state.observed.isEmpty else { return nil }
            state.post(happening)
            return state.beginDelivering()
        }
        if let step { deliver(resource, from: step) }
    }

    /// Sends the progress of a load to the observers that want progress.
    func post(progress: Double, of resource: Resource) {
        let begins = state.withLock { state in
            let observed = state.progressObservers
            return !observed.isEmpty && state.addForMain(.progress(progress), .max, observed)
        }
        if begins { MainActor.runSoon { self.deliverOnMain(resource) } }
    }

    /// Performs an action, and then notifies observers of its events in the caller's own task. Within the tasks in
    /// which fetches run, a caller on the main actor could not be recognized.
    ///
    /// - Returns: False if the action was not performed, because there are no observers, or another call is delivering.
    func deliverAfter<Failure: Error>(
        of resource: Resource, _ action: () throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard state.withLock({ $0.reserveDelivering() }) else { return false }
        defer { if let step = nextStep() { deliver(resource, from: step) } }
        try action()
        return true
    }

    /// Delivers events until none is left. Only one call delivers at a time: it also delivers events that occur in the
    /// meantime, even within an observer.
    private func deliver(_ resource: Resource, from first: HubState.Step) {
        var step: HubState.Step? = first
        while let next = step {
            if next.beginsOnMain { MainActor.runSoon { self.deliverOnMain(resource) } }
            if next.hasOffMain { deliverOffMain(next, resource) }
            step = nextStep()
        }
    }

    private func nextStep() -> HubState.Step? {
        let (step, waiters) = state.withLock { ($0.next(), $0.takeWaiters()) }
        for waiter in waiters { waiter.resume() }
        return step
    }

    private func deliverOffMain(_ step: HubState.Step, _ resource: Resource) {
        var needsSweep = false
        for one in step.observed where one.addedAt < step.happening.number && !one.observation.isOnMain {
            guard one.isAlive else {
                needsSweep = true
                continue
            }
            switch one.observation.target {
            case .follower(let follow): follow(step.happening)
            case .inline(let closure): closure(resource, step.happening.event)
            case .actor: one.observation.send(step.happening.event, resource, isAlive: isAlive(one.observation))
            case .object, .value, .main: break
            }
        }
        if needsSweep { sweep(resource) }
    }

    @MainActor
    private func deliverOnMain(_ resource: Resource) {
        var needsSweep = false
        while let deliveries = nextForMain() {
            for delivery in deliveries {
                for one in delivery.observed where one.addedAt < delivery.number && one.observation.isOnMain {
                    if one.isAlive { one.receive(delivery.message, resource) } else { needsSweep = true }
                    if one.isRetainedForNobody { needsSweep = true }
                }
            }
        }
        if needsSweep { sweep(resource) }
    }

    private func nextForMain() -> [HubState.Delivery]? {
        let (deliveries, waiters) = state.withLock { ($0.nextForMain(), $0.takeWaiters()) }
        for waiter in waiters { waiter.resume() }
        return deliveries
    }

    /// Waits until observers have been notified of everything that has happened so far.
    func delivered() async {
        await withCheckedContinuation { continuation in
            if !state.withLock({ $0.wait(continuation) }) { continuation.resume() }
        }
        for one in observed { await one.observation.delivered() }
    }
}
