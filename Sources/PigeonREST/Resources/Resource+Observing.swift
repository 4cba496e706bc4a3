internal import Foundation

extension Resource {
    /// Has an object observe the resource for as long as the object lives. The resource does not keep it.
    ///
    /// It is told ``ResourceEvent/observerAdded`` at once: on the main actor within this call. Added again, nothing changes.
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver & AnyObject) -> Self {
        add(.object(WeakObserver(observer)), identity: observer.observerIdentity, owner: observer)
    }

    /// Has something observe the resource for as long as an owner lives. The resource keeps the observer, not the owner.
    ///
    /// Added again with another owner, it observes until all its owners are gone.
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver & Sendable, owner: AnyObject) -> Self {
        let object = WeakObserver(ifObject: observer)
        // An observer that owns itself is not retained.
        let isSelf = object?.is(WeakOwner(owner)) ?? false
        let own = isSelf ? object.map { NewObserver.object($0) } : nil
        return add(own ?? .owned(observer), identity: observer.observerIdentity, owner: owner)
    }

    /// Calls back with what happens to the resource, for as long as an owner lives, on the actor the closure was written on;
    /// one that was written on no actor is called on the main actor, unless the service says otherwise
    /// (``Service/callbacks``).
    ///
    /// It is called with ``ResourceEvent/observerAdded`` first. The resource keeps the closure: one that keeps its owner is
    /// never let go, so capture that weakly.
    @discardableResult
    public func addObserver(
        owner: AnyObject, file: String = #fileID, line: Int = #line,
        @_inheritActorContext closure: @escaping @isolated(any) @Sendable (Resource, ResourceEvent) -> Void
    ) -> Self {
        SiestaLog.log(.observers, "\(self): observed by a closure at \(file):\(line)")
        return add(.closure(target(of: closure)), identity: nil, owner: owner)
    }

    private func target(
        of closure: @escaping @isolated(any) @Sendable (Resource, ResourceEvent) -> Void
    ) -> Observation.Target {
        guard closure.isolation == nil else {
            return closure.isolation === MainActor.shared ? .main(CallbackDelivery.function(closure)) : .actor(closure)
        }
        let function = CallbackDelivery.function(closure)
        return service.callbacks == .main ? .main(function) : .inline(function)
    }

    /// Ends what an owner has observe. Observers that others own too stay.
    public func removeObservers(ownedBy owner: AnyObject?) {
        guard let owner else { return }
        hub.remove(ownedBy: owner, from: self)
    }

    private func add(_ observer: NewObserver, identity: AnyHashable?, owner: AnyObject) -> Self {
        _ = hub.add(observer, identity: identity.map(ObserverIdentity.init), owner: WeakOwner(owner), to: self)
        startLookingInCaches()
        followProgressOfLoad()
        return self
    }

    /// Calls back with what happens, on the thread on which it happens, until the observation is stopped.
    func follow(_ follower: @escaping @Sendable (Happening) -> Void) -> Observation {
        let observation = hub.add(.follower(follower), owner: nil, to: self)
        startLookingInCaches()
        return observation
    }

    /// Stops an observation. The load under way goes on for 50 ms, in which somebody else may begin to observe.
    func letGo(of observation: Observation) {
        hub.remove(observation, from: self)
        cancelLoadIfUnobserved(afterDelay: 0.05)
    }

    /// Somebody looks at it: what a cache has is to be seen, though nothing is asked of a server.
    private func startLookingInCaches() {
        _ = checkCaches()
    }
}
