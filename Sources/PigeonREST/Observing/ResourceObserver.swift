/// An observer of resources that is called on the main actor.
///
/// ```swift
/// extension ProfileController: ResourceObserver {
///     func resourceChanged(_ resource: Resource, event: ResourceEvent) {
///         show(resource.typedContent() as User?)
///     }
/// }
/// ```
///
/// Events arrive in order. If an event happens on the main actor, observers are notified within the call that causes
/// it, of earlier events of other threads first. If it happens on another thread, they are notified as soon as the main
/// actor is free. If it happens while an earlier event is being delivered, they are notified after that one. To observe
/// a resource on another actor or thread, use a closure, a publisher or a sequence.
///
/// A conforming class is isolated to the main actor, like a view or a view controller. In Swift 5 mode, its instances
/// can be created in any code, including code that was written before actors.
@preconcurrency @MainActor
public protocol ResourceObserver {
    /// Called after each event of the resource.
    func resourceChanged(_ resource: Resource, event: ResourceEvent)

    /// Called with the progress of a load, from 0 to 1. The default does nothing.
    func resourceRequestProgress(for resource: Resource, progress: Double)

    /// Called when the observer no longer observes the resource. The default does nothing.
    ///
    /// The call is made in a later turn of the main actor than the one that ended the observation, but before the
    /// observer is added again. It is not made for an observer that was its own owner and has been released.
    func stoppedObserving(resource: Resource)

    /// The identity of the observer. An observer that is added twice receives each event once. The default is the
    /// identity of an object, and a new value each time for anything else.
    nonisolated var observerIdentity: AnyHashable { get }
}

/// The type of a closure that observes a resource, for variables and parameters.
///
/// Closures of this type run on the main actor. ``Resource/addObserver(owner:file:line:closure:)`` also takes closures
/// of other actors.
public typealias ResourceObserverClosure = @MainActor @Sendable (Resource, ResourceEvent) -> Void

extension ResourceObserver {
    /// The default does nothing.
    public func resourceRequestProgress(for resource: Resource, progress: Double) {}

    /// The default does nothing.
    public func stoppedObserving(resource: Resource) {}

    /// The default is the identity of an object, and a new value each time for anything else.
    public nonisolated var observerIdentity: AnyHashable {
        guard type(of: self) is AnyClass else { return AnyHashable(Serial.next()) }
        return AnyHashable(ObjectIdentifier(self as AnyObject))
    }
}
