internal import PigeonBase
internal import PigeonCore

/// Who observes a resource. Tells all of each event before it tells any of the next.
final class ObserverHub: Sendable {
    private let state = Locked(HubState())
    private let turn = MainTurn()

    /// Whether anybody observes.
    var hasObservers: Bool { observations.contains { $0.isAlive } }

    private var observations: [Observation] { state.withLock { $0.observations } }

    /// Whether anybody wants to know of progress.
    var tellsProgress: Bool { observations.contains { $0.wantsProgress && $0.isAlive } }

    /// The watch of the entry, to be left out when it is asked who uses that.
    var core: ObserverCore? { state.withLock { $0.core } }

    // MARK: Coming and going

    /// Adds an observer, and tells it how things are; one with the same identity gets another owner instead.
    func add(
        _ target: Observation.Target, identity: ObserverIdentity? = nil, owner: WeakOwner?, to resource: Resource
    ) -> Observation {
        sweep(resource)
        if let identity, MainActor.isCurrent { MainActor.assumeIsolated { tellOfEnd(identity, resource) } }
        watch(resource)
        let (observation, isNew) = find(target, identity, owner)
        watch(resource)  // the last of the others may have gone meanwhile
        guard isNew else { return observation }
        SiestaLog.log(.observers, "\(resource): one more observer")
        observation.tell(Happening(event: .observerAdded, picture: resource.picture), resource)
        return observation
    }

    private func find(
        _ target: Observation.Target, _ identity: ObserverIdentity?, _ owner: WeakOwner?
    ) -> (Observation, isNew: Bool) {
        while true {
            let (count, number, observations) = state.withLock { ($0.additions, $0.lastNumber, $0.observations) }
            let known = identity.flatMap { identity in
                observations.first { $0.identity == identity && $0.isAlive }
            }
            if let known {
                if known.join(target, owner) { return (known, false) }
                continue
            }
            let made = Observation(target, identity: identity, owner: owner, addedAt: number)
            let isAdded = state.withLock { state in
                // Somebody came meanwhile, perhaps the same.
                guard state.additions == count, state.lastNumber == number else { return false }
                state.additions += 1
                state.observations.append(made)
                return true
            }
            if isAdded { return (made, true) }
        }
    }

    func remove(ownedBy owner: AnyObject, from resource: Resource) {
        for observation in observations { observation.remove(owner) }
        sweep(resource)
    }

    func remove(_ observation: Observation, from resource: Resource) {
        observation.end()
        sweep(resource)
    }

    /// Lets go of observers that nobody wants any more, and of the entry with the last of them.
    func sweep(_ resource: Resource) {
        let ended = observations.filter { $0.endIfUnwanted() }
        guard !ended.isEmpty else { return }
        let (gone, core, old) = state.withLock { state -> ([Observation], ObserverCore?, Any?) in
            // Another thread may sweep too: each observation is gone once.
            let gone = state.observations.filter { observation in ended.contains { $0 === observation } }
            state.observations.removeAll { observation in gone.contains { $0 === observation } }
            guard state.observations.isEmpty, let core = state.core else { return (gone, nil, nil) }
            defer { (state.core, state.told, state.waiting) = (nil, nil, []) }
            return (gone, core, (state.told, state.waiting))
        }
        _ = old  // let go outside of the lock
        for observation in gone { observation.end() }
        tellSoon(gone.filter(\.hearsOfEnd), resource)
        if let core { core.client.detach(core) }
        SiestaLog.log(.observers, "\(resource): \(gone.count) fewer observers")
    }

    /// Notifies observers in a later turn that they have stopped observing, since the caller may still be using them.
    private func tellSoon(_ ended: [Observation], _ resource: Resource) {
        guard !ended.isEmpty else { return }
        state.withLock { $0.ended += ended }
        turn.ask { resource.hub.tellOfEnds(resource) }
    }

    /// Notifies all of them, one at a time: an observer may add another one again, which is then notified first.
    @MainActor
    private func tellOfEnds(_ resource: Resource) {
        while let next = state.withLock({ $0.ended.isEmpty ? nil : $0.ended.removeFirst() }) {
            next.tellOfEnd(resource)
        }
    }

    /// Notifies an observer that is about to be added again.
    @MainActor
    private func tellOfEnd(_ identity: ObserverIdentity, _ resource: Resource) {
        let ended = state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
        guard !ended.isEmpty else { return }
        let others = ended.filter { $0.identity != identity }
        state.withLock { $0.ended.insert(contentsOf: others, at: 0) }
        for observation in ended where observation.identity == identity { observation.tellOfEnd(resource) }
    }

    // MARK: The entry

    /// Watches the entry. The watch keeps the resource.
    private func watch(_ resource: Resource) {
        guard core == nil else { return }
        // Those who are added while this attaches may have seen no more than this.
        let before = resource.picture
        let isFirst = state.withLock { state in
            guard state.core == nil, !state.isAttaching else { return false }
            state.isAttaching = true
            return true
        }
        guard isFirst else { return }
        let core = resource.client.attach(resource.makeDefinition(), seesEveryVersion: true) { picture, _ in
            resource.hub.receive(picture, resource)
        }
        let now = resource.client.picture(for: core) ?? resource.client.emptyPicture(of: resource.queryKey)
        let old = state.withLock { $0.begin(core, before: before, now: now) }
        _ = old  // let go outside of the lock
        tell(resource)
    }

    private func receive(_ picture: EntryPicture, _ resource: Resource) {
        let old = state.withLock { $0.take(picture) }
        _ = old  // let go outside of the lock
        tell(resource)
    }

    // MARK: Telling

    /// Tells of what the entry does not know, once all that it does know has been told.
    func post(_ event: ResourceEvent, of resource: Resource) {
        SiestaLog.log(.stateChanges, "\(resource): \(event)")
        guard state.withLock({ !$0.observations.isEmpty }) else { return }
        let happening = Happening(event: event, picture: resource.picture)
        state.withLock { $0.wait(happening) }
        tell(resource)
    }

    /// One thread tells at a time; what happens meanwhile, also through those who are told, comes after.
    private func tell(_ resource: Resource) {
        if state.withLock({ $0.hasEvents && $0.beginTelling() }) { tellAll(resource) }
    }

    /// Does something, and tells of what came of it after, in the caller's own task: one on the main actor is not seen to
    /// be there from within the tasks that fetches run in.
    ///
    /// - Returns: `false` when nothing was done, because nobody observes, or somebody is being told already.
    func tellAfter<Failure: Error>(
        of resource: Resource, _ action: () throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard state.withLock({ !$0.observations.isEmpty && $0.beginTelling() }) else { return false }
        defer { tellAll(resource) }
        try action()
        return true
    }

    /// Waits until those who observe were told all that has happened by now.
    func toldAll() async {
        await withCheckedContinuation { continuation in
            let isTold = state.withLock { state in
                if state.isTelling { state.waiters.append(continuation) }
                return !state.isTelling
            }
            if isTold { continuation.resume() }
        }
        for observation in observations { await observation.told() }
    }

    private func tellAll(_ resource: Resource) {
        while let (happening, observations) = next() {
            let meant = observations.filter { $0.addedAt < happening.number }
            let closures = meant.filter(\.isFreeClosure)
            for observation in meant where closures.isEmpty || !observation.isFreeClosure {
                observation.tell(happening, resource)
            }
            Observation.tell(happening.event, to: closures, resource)
        }
        sweep(resource)
    }

    private func next() -> (Happening, [Observation])? {
        let (next, waiters) = state.withLock { state in
            let next = state.next()
            return (next, next == nil ? state.takeWaiters() : [])
        }
        for waiter in waiters { waiter.resume() }
        return next
    }

    func tell(progress: Double, of resource: Resource) {
        for observation in observations where observation.wantsProgress {
            observation.tell(.progress(progress), resource)
        }
    }
}
