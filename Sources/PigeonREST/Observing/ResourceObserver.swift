/// Something that follows what happens to resources, on the main actor.
///
/// ```swift
/// extension ProfileController: ResourceObserver {
///     func resourceChanged(_ resource: Resource, event: ResourceEvent) {
///         show(resource.typedContent() as User?)
///     }
/// }
/// ```
///
/// What changes on the main actor is told within the change; what changes elsewhere as soon as the main actor is free, in
/// order. To follow a resource elsewhere, observe with a closure, a publisher or a sequence.
///
/// A class that observes belongs to the main actor, as views and their controllers do. In Swift 5 mode its instances may be
/// made in any code, as in code that was written before actors.
@preconcurrency @MainActor
public protocol ResourceObserver {
    /// Something happened.
    func resourceChanged(_ resource: Resource, event: ResourceEvent)

    /// How far a load has come, 0 to 1. By default nothing is done with it.
    func resourceRequestProgress(for resource: Resource, progress: Double)

    /// The observer no longer observes the resource.
    ///
    /// Called in a later turn of the main actor than the one that ended the observation, and before the observer is added
    /// again. Not called for an observer that was its own owner and is gone.
    func stoppedObserving(resource: Resource)

    /// What tells the observer from others: one that is added again is not told twice. By default the object; what is no
    /// object is always another.
    nonisolated var observerIdentity: AnyHashable { get }
}

/// A closure that observes a resource, as a type: for variables and parameters that hold one.
///
/// Closures of this type run on the main actor. ``Resource/addObserver(owner:file:line:closure:)`` also takes closures of
/// other actors.
public typealias ResourceObserverClosure = @MainActor @Sendable (Resource, ResourceEvent) -> Void

extension ResourceObserver {
    /// Does nothing.
    public func resourceRequestProgress(for resource: Resource, progress: Double) {}

    /// Does nothing.
    public func stoppedObserving(resource: Resource) {}

    /// The object, or something new each time.
    public nonisolated var observerIdentity: AnyHashable {
        guard type(of: self) is AnyClass else { return AnyHashable(ObserverNumber.next()) }
        return AnyHashable(ObjectIdentifier(self as AnyObject))
    }
}
