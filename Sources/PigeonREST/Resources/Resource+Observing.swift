internal import Foundation
internal import PigeonCore

extension Resource {
    /// Adds an observer for as long as it exists. The resource does not retain it.
    ///
    /// Sends the observer ``ResourceEvent/observerAdded``: within this call if the caller is on the main actor,
    /// otherwise as soon as the main actor is free. Adding the observer again has no effect.
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver & AnyObject) -> Self {
        add(.object(WeakObserver(observer)), identity: observer.observerIdentity, owner: observer)
    }

    /// Adds an observer for as long as an owner exists. The resource retains the observer, but not the owner.
    ///
    /// An observer that is added again with another owner stays until all its owners have been released.
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver & Sendable, owner: AnyObject) -> Self {
        let object = WeakObserver(ifObject: observer)
        let target: Observation.Target = object.map { .object($0) } ?? .value(observer)
        let isOwnOwner = object?.identity == ObjectIdentifier(owner)
        return add(
            target, identity: observer.observerIdentity, owner: owner, retaining: isOwnOwner ? nil : observer)
    }

    /// Calls a closure with the events of the resource for as long as an owner exists. The closure runs on the actor on
    /// which it was written. Without an actor, it runs on the main actor, unless the service specifies otherwise
    /// (``Service/callbacks``).
    ///
    /// The first event is ``ResourceEvent/observerAdded``. The resource retains the closure. If the closure retains its
    /// owner, neither is ever released, so capture the owner weakly.
    @discardableResult
    public func addObserver(
        owner: AnyObject, file: String = #fileID, line: Int = #line,
        @_inheritActorContext closure: @escaping @isolated(any) @Sendable (Resource, ResourceEvent) -> Void
    ) -> Self {
        SiestaLog.log(.observers, "\(self): observed by a closure at \(file):\(line)")
        return add(target(of: closure), identity: nil, owner: owner)
    }

    private func target(
        of closure: @escaping @isolated(any) @Sendable (Resource, ResourceEvent) -> Void
    ) -> Observation.Target {
        guard closure.isolation == nil else {
            return closure.isolation === MainActor.shared
                ? .main(CallbackDelivery.function(closure)) : .actor(closure, JobQueue())
        }
        let function = CallbackDelivery.function(closure)
        return service.callbacks == .main ? .main(function) : .inline(function)
    }

    private func add(
        _ target: Observation.Target, identity: AnyHashable?, owner: AnyObject,
        retaining observer: (any ResourceObserver & Sendable)? = nil
    ) -> Self {
        let added = add(
            target, identity: identity.map(ObserverIdentity.init), owner: WeakOwner(owner), retaining: observer)
        checkCaches()
        if added.isResourceObserver { followProgressOfLoad() }
        return self
    }

    /// Calls `listener` with each event, on the thread on which the event happens, until the observation is removed.
    func follow(_ listener: @escaping @Sendable (EventRecord) -> Void) -> Observation {
        let observation = add(.listener(listener), owner: nil)
        checkCaches()
        return observation
    }

    /// Removes an observation. A load in flight is cancelled after 50 ms, unless the resource has another observer by
    /// then.
    func letGo(of observation: Observation) {
        remove(observation)
        cancelLoadIfUnobserved(afterDelay: 0.05)
    }
}
