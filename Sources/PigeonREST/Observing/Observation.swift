internal import PigeonBase
internal import PigeonCore

/// One observer of one resource. The hub stores its owners (``OwnedObservation``).
final class Observation: Sendable {
    enum Target: Sendable {
        /// An object, called on the main actor. Not retained.
        case object(WeakObserver)
        /// A value, called on the main actor.
        case value(any ResourceObserver & Sendable)
        /// A closure, called on the main actor.
        case main(@Sendable (Resource, ResourceEvent) -> Void)
        /// A closure, called on its own actor, and the queue of the events that it has not received yet.
        case actor(@isolated(any) @Sendable (Resource, ResourceEvent) -> Void, JobQueue)
        /// A closure, called on the thread on which the event happens.
        case inline(@Sendable (Resource, ResourceEvent) -> Void)
        /// Part of the library, called on the thread on which the event happens, with the resource's state at that
        /// time.
        case listener(@Sendable (EventRecord) -> Void)
    }

    let target: Target
    let identity: ObserverIdentity?
    /// Monotonic identifier. Later observations have greater numbers.
    let number = Serial.next()
    private let endMark = AtomicNumber()

    init(_ target: Target, identity: ObserverIdentity? = nil) {
        self.target = target
        self.identity = identity
    }

    /// True once the observer must receive nothing more.
    var hasEnded: Bool { endMark.value != 0 }

    func end() {
        endMark.set(1)
    }

    var isOnMain: Bool {
        switch target {
        case .object, .value, .main: true
        case .actor, .inline, .listener: false
        }
    }

    /// True for a ``ResourceObserver``, which receives progress, and is notified when it stops observing. Closures are
    /// not.
    var isResourceObserver: Bool {
        switch target {
        case .object, .value: true
        case .main, .actor, .inline, .listener: false
        }
    }

    /// Waits until a closure on an actor has received every event sent so far.
    func delivered() async {
        guard case .actor(_, let queue) = target else { return }
        await queue.perform(launchImmediately(_:)) {}
    }
}

/// An observation and its owners. It ends when it has no owner left.
struct OwnedObservation: Sendable {
    enum Message: Sendable {
        case event(ResourceEvent)
        case progress(Double)
    }

    let observation: Observation
    /// The observer receives events with a higher number only.
    let addedAt: UInt64
    /// An object that observes for as long as it lives is one of its owners. A listener has none.
    private(set) var owners: [WeakOwner] = []
    /// The observer, while other objects own it.
    private(set) var retained: (any ResourceObserver & Sendable)?

    init(_ observation: Observation, addedAt: UInt64) {
        self.observation = observation
        self.addedAt = addedAt
    }

    /// Adds an owner. The owner is `nil` for an observer that the library itself removes.
    ///
    /// - Parameter observer: The observer, if an object other than itself owns it.
    /// - Returns: The value to release outside the lock.
    mutating func join(_ owner: WeakOwner?, retaining observer: (any ResourceObserver & Sendable)?) -> (any Sendable)? {
        if let owner {
            // Another one with the same identity is the same object, or has been released.
            remove(owner.identity)
            owners.append(owner)
        }
        guard let observer else { return nil }
        defer { retained = observer }
        return retained
    }

    mutating func remove(_ owner: ObjectIdentifier) {
        owners.removeAll { $0.identity == owner }
    }

    /// Stops retaining an observer that is left as its own only owner, since it would never be freed otherwise.
    ///
    /// - Returns: The value to release outside the lock.
    mutating func releaseObserver() -> (any Sendable)? {
        defer { retained = nil }
        return retained
    }

    // Owners are read without a lock, because reading one may release its last reference.

    /// True if the observer is retained although no other object owns it.
    var isRetainedForNobody: Bool {
        guard retained != nil else { return false }
        var own: ObjectIdentifier?
        if case .object(let object) = observation.target { own = object.identity }
        return !owners.contains { $0.identity != own && $0.object != nil }
    }

    var isAlive: Bool {
        guard !observation.hasEnded else { return false }
        switch observation.target {
        case .listener: return true
        // An owner is another object with the same identity, if the observer itself is gone.
        case .object(let object) where object.observer == nil: return false
        default: return owners.contains { $0.object != nil }
        }
    }

    private var observer: (any ResourceObserver)? {
        switch observation.target {
        case .object(let object): object.observer
        case .value(let observer): observer
        case .main, .actor, .inline, .listener: nil
        }
    }

    @MainActor
    func receive(_ message: Message, _ resource: Resource) {
        switch (observation.target, message) {
        case (.main(let closure), .event(let event)): closure(resource, event)
        case (_, .event(let event)): observer?.resourceChanged(resource, event: event)
        case (_, .progress(let progress)): observer?.resourceRequestProgress(for: resource, progress: progress)
        }
    }

    /// Notifies the observer, if it still exists, that it has stopped observing.
    @MainActor
    func receiveEnd(_ resource: Resource) {
        observer?.stoppedObserving(resource: resource)
    }
}

/// An owner of observers. Not retained: when the object is released, its observers end.
final class WeakOwner: @unchecked Sendable {  // set once; weak loads are atomic
    private(set) weak var object: AnyObject?
    /// Equal for two owners that are the same object, or if one has taken the memory of the other.
    let identity: ObjectIdentifier

    init(_ object: AnyObject) {
        self.object = object
        identity = ObjectIdentifier(object)
    }
}

/// An observer that is an object. Not retained.
struct WeakObserver: Sendable {
    private let object: WeakOwner

    init(_ observer: any ResourceObserver & AnyObject) {
        object = WeakOwner(observer)
    }

    /// `nil` for a value.
    init?(ifObject observer: any ResourceObserver) {
        guard type(of: observer) is AnyClass else { return nil }
        object = WeakOwner(observer as AnyObject)
    }

    var observer: (any ResourceObserver)? { object.object as? any ResourceObserver }

    var identity: ObjectIdentifier { object.identity }
}

/// Identifies an observer. Compared outside locks, because the program may define the type of the value.
struct ObserverIdentity: Equatable, @unchecked Sendable {  // immutable, and of a type that can be compared anywhere
    let value: AnyHashable
    /// The hash value, which can be read within a lock.
    let hash: Int

    init(_ value: AnyHashable) {
        self.value = value
        hash = value.hashValue
    }
}
