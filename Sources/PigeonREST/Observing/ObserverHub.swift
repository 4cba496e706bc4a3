internal import PigeonBase
internal import PigeonCore

/// Who observes a resource. Tells all of each event before it tells any of the next.
final class ObserverHub: Sendable {
    private struct State {
        var observations: [Observation] = []
        /// How many were added, ever.
        var additions = 0
        var events: [Happening] = []
        var lastNumber: UInt64 = 0
        var isTelling = false
        var sweptAt = 0
        /// Watches the entry while anybody observes.
        var core: ObserverCore?
        var isAttaching = false
        /// What of the entry was told last.
        var told: EntryPicture?
        /// What came before it was known what was there.
        var early: [EntryPicture] = []

        /// Now and then, so that many who come do not each look at all who came before.
        mutating func isToBeSwept() -> Bool {
            guard additions - sweptAt > max(12, observations.count) else { return false }
            sweptAt = additions
            return true
        }
    }

    private let state = Locked(State())

    var hasObservers: Bool { state.withLock { $0.observations.contains { $0.isAlive } } }

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
        if state.withLock({ $0.isToBeSwept() }) { sweep(resource) }
        watch(resource)
        let (observation, isNew) = find(target, identity, owner)
        watch(resource)  // the last of the others may have gone meanwhile
        if isNew {
            SiestaLog.log(.observers, "\(resource): one more observer")
            observation.tell(Happening(event: .observerAdded, picture: resource.picture), resource)
        } else if let owner {
            observation.add(owner)
        }
        return observation
    }

    private func find(
        _ target: Observation.Target, _ identity: ObserverIdentity?, _ owner: WeakOwner?
    ) -> (Observation, isNew: Bool) {
        while true {
            let (count, observations) = state.withLock { ($0.additions, identity == nil ? [] : $0.observations) }
            let known = identity.flatMap { identity in
                observations.first { $0.identity == identity && $0.isAlive }
            }
            if let known { return (known, false) }
            let made = state.withLock { state -> Observation? in
                // Somebody came meanwhile, perhaps the same.
                guard state.additions == count else { return nil }
                state.additions += 1
                let made = Observation(target, identity: identity, owner: owner, addedAt: state.lastNumber)
                state.observations.append(made)
                return made
            }
            if let made { return (made, true) }
        }
    }

    func remove(ownedBy owner: AnyObject, from resource: Resource) {
        var isAnyGone = false
        for observation in observations where observation.remove(owner) { isAnyGone = true }
        if isAnyGone { sweep(resource) }
    }

    func remove(_ observation: Observation, from resource: Resource) {
        observation.stop(resource)
        sweep(resource)
    }

    /// Lets go of observers that nobody wants any more, and of the entry with the last of them.
    func sweep(_ resource: Resource) {
        let (gone, core) = state.withLock { state -> ([Observation], ObserverCore?) in
            let gone = state.observations.filter { !$0.isAlive }
            guard !gone.isEmpty else { return ([], nil) }
            state.observations.removeAll { observation in gone.contains { $0 === observation } }
            guard state.observations.isEmpty, let core = state.core else { return (gone, nil) }
            (state.core, state.told, state.early) = (nil, nil, [])
            return (gone, core)
        }
        for observation in gone { observation.stop(resource) }
        if let core { core.client.detach(core) }
        if !gone.isEmpty { SiestaLog.log(.observers, "\(resource): \(gone.count) fewer observers") }
    }

    // MARK: The entry

    /// Watches the entry. The watch keeps the resource.
    private func watch(_ resource: Resource) {
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
        let early = state.withLock { state in
            state.isAttaching = false
            state.core = core
            state.told = now
            defer { state.early = [] }
            return state.early
        }
        for picture in early where picture.version > now.version { receive(picture, resource) }
    }

    private func receive(_ picture: EntryPicture, _ resource: Resource) {
        let old = state.withLock { state -> EntryPicture? in
            guard let told = state.told else {
                state.early.append(picture)
                return nil
            }
            state.told = picture
            return told
        }
        guard let old else { return }
        post(Happening.all(from: old, to: picture), resource)
    }

    // MARK: Telling

    /// Tells of what the entry does not know.
    func post(_ event: ResourceEvent, of resource: Resource) {
        SiestaLog.log(.stateChanges, "\(resource): \(event)")
        guard state.withLock({ !$0.observations.isEmpty }) else { return }
        post([Happening(event: event, picture: resource.picture)], resource)
    }

    /// One thread tells at a time; what happens meanwhile, also through those who are told, comes after.
    private func post(_ happenings: [Happening], _ resource: Resource) {
        guard !happenings.isEmpty else { return }
        let isMine = state.withLock { state in
            for var happening in happenings {
                state.lastNumber += 1
                happening.number = state.lastNumber
                state.events.append(happening)
            }
            guard !state.isTelling else { return false }
            state.isTelling = true
            return true
        }
        guard isMine else { return }
        while let (happening, observations) = next() {
            var closures: [Observation] = []
            for observation in observations where observation.addedAt < happening.number {
                guard observation.isFreeClosure else {
                    observation.tell(happening, resource)
                    continue
                }
                if observation.add(.event(happening.event)) { closures.append(observation) }
            }
            // One task for all of them.
            if !closures.isEmpty {
                launchImmediately { [closures] in for closure in closures { await closure.tellClosure(resource) } }
            }
        }
        sweep(resource)
    }

    private func next() -> (Happening, [Observation])? {
        state.withLock { state in
            guard !state.events.isEmpty else {
                state.isTelling = false
                return nil
            }
            return (state.events.removeFirst(), state.observations)
        }
    }

    func tell(progress: Double, of resource: Resource) {
        for observation in observations where observation.wantsProgress && observation.isAlive {
            observation.tell(.progress(progress), resource)
        }
    }
}
