internal import PigeonBase

/// Where the program's closures are called that were written on no actor, and where publishers deliver.
///
/// A closure that was written on an actor is called on that actor, whatever this says.
///
/// ```swift
/// let api = Service(baseURL: url, callbacks: .immediate)      // a server, which has no main run loop
/// ```
public enum CallbackDelivery: Sendable, Hashable {
    /// On the main actor: at once when what happens, happens there, and as soon as it is free when not. The default.
    case main
    /// On the thread on which it happens: for programs that have no main run loop.
    case immediate

    /// Calls `body` there.
    func perform(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .main: MainActor.runSoon(body)
        case .immediate: body()
        }
    }

    /// Calls a closure on the actor it was written on; one that was written on no actor, there.
    func call<Argument: Sendable>(
        _ closure: @escaping @isolated(any) @Sendable (Argument) -> Void, _ argument: Argument
    ) async {
        guard self == .main, closure.isolation == nil else { return await closure(argument) }
        let free = unsafeBitCast(closure, to: (@Sendable (Argument) -> Void).self)  // as in `function`
        await MainActor.run { free(argument) }
    }

    /// Calls a closure on the actor it was written on; one that was written on no actor, there.
    func call(_ closure: @escaping @isolated(any) @Sendable () -> Void) async {
        guard self == .main, closure.isolation == nil else { return await closure() }
        let free = unsafeBitCast(closure, to: (@Sendable () -> Void).self)  // as in `function`
        await MainActor.run { free() }
    }

    /// A closure of the main actor, or of none, as a function that can be called where the caller is.
    ///
    /// Called as it is, it would leave the caller's actor. The types differ in nothing but that: the actor is part of the
    /// closure's context, where a caller of the second type does not look.
    static func function(
        _ closure: @escaping @isolated(any) @Sendable (Resource, ResourceEvent) -> Void
    ) -> @Sendable (Resource, ResourceEvent) -> Void {
        assert(closure.isolation == nil || closure.isolation === MainActor.shared)
        return unsafeBitCast(closure, to: (@Sendable (Resource, ResourceEvent) -> Void).self)
    }
}
