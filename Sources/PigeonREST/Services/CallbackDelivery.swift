/// The place where closures without an actor are called, and where publishers deliver.
///
/// A closure that was written on an actor is always called on that actor.
///
/// ```swift
/// let api = Service(baseURL: url, callbacks: .immediate)      // a server, which has no main run loop
/// ```
public enum CallbackDelivery: Sendable, Hashable {
    /// Calls closures on the main actor: at once for events that happen there, otherwise as soon as the main actor is
    /// free. The default.
    case main
    /// Calls closures on the thread on which the event happens. For programs without a main run loop.
    case immediate

    /// Calls a closure on the actor on which it was written. A closure without an actor is called as this value
    /// specifies.
    func call<Argument: Sendable>(
        _ closure: @escaping @isolated(any) @Sendable (Argument) -> Void, _ argument: Argument
    ) async {
        guard self == .main, closure.isolation == nil else { return await closure(argument) }
        let free = unsafeBitCast(ActorClosure(call: closure), to: FreeClosure<Argument>.self).call
        await MainActor.run { free(argument) }
    }

    /// Calls a closure on the actor on which it was written. A closure without an actor is called as this value
    /// specifies.
    func call(_ closure: @escaping @isolated(any) @Sendable () -> Void) async {
        guard self == .main, closure.isolation == nil else { return await closure() }
        let free = unsafeBitCast(ActorAction(call: closure), to: FreeAction.self).call
        await MainActor.run { free() }
    }

    /// Returns a closure that belongs to the main actor, or to no actor, as a function that can be called in the
    /// caller's place.
    ///
    /// A direct call of the closure would leave the caller's actor. The types differ only in this respect: the actor is
    /// part of the closure's context, which a caller of the second type does not read.
    static func function(
        _ closure: @escaping @isolated(any) @Sendable (Resource, ResourceEvent) -> Void
    ) -> @Sendable (Resource, ResourceEvent) -> Void {
        assert(closure.isolation == nil || closure.isolation === MainActor.shared)
        return unsafeBitCast(ActorObserver(call: closure), to: FreeObserver.self).call
    }
}

// Each struct contains a closure and nothing else, so that the closure can be cast as in `CallbackDelivery.function`. The
// closure itself cannot be a generic argument: systems before 2024 have no metadata for its type. Both sides of a cast are
// structs, because a function that is a generic argument is called in another way than one that is a property.

private struct ActorClosure<Argument: Sendable> {
    let call: @isolated(any) @Sendable (Argument) -> Void
}

private struct FreeClosure<Argument: Sendable> {
    let call: @Sendable (Argument) -> Void
}

private struct ActorAction {
    let call: @isolated(any) @Sendable () -> Void
}

private struct FreeAction {
    let call: @Sendable () -> Void
}

private struct ActorObserver {
    let call: @isolated(any) @Sendable (Resource, ResourceEvent) -> Void
}

private struct FreeObserver {
    let call: @Sendable (Resource, ResourceEvent) -> Void
}
