internal import PigeonBase

/// One observer of one resource. The hub stores its owners (``Observed``).
final class Observation: Sendable {
    enum Target: Sendable {
        /// An object, called on the main actor. Not retained.
        case object(WeakObserver)
        /// A value, called on the main actor.
        case value(any ResourceObserver & Sendable)
        /// A closure, called on the main actor.
        case main(@Sendable (Resource, ResourceEvent) -> Void)
        /// A closure, called on its own actor.
        case actor(@isolated(any) @Sendable (Resource, ResourceEvent) -> Void)
        /// A closure, called on the thread on which the event happens.
        case inline(@Sendable (Resource, ResourceEvent) -> Void)
        /// Part of the library, called on the thread on which the event happens, with the resource's state at that
        /// time.
        case follower(@Sendable (Happening) -> Void)
    }

    let target: Target
    let identity: ObserverIdentity?
    /// The number of the observation among those of the resource. Later ones have greater numbers.
    let number = Serial.next()
    private let endMark = AtomicNumber()
    /// Events that a closure of an actor has not received yet.
    private let mailbox = Locked(Mailbox())

    private struct Mailbox {
        var events: [ResourceEvent] = []
        var isDelivering = false
        /// Resumed when no event waits.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    init(_ target: Target, identity: ObserverIdentity? = nil) {
        self.target = target
        self.identity = identity
    }

    /// True once the observer must receive nothing more.
    var hasEnded: Bool { endMark.value != 0 }

    func end() {
        endMark.set(1)
    }

    /// True if the observer is called on the main actor.
    var isOnMain: Bool {
        switch target {
        case .object, .value, .main: true
        case .actor, .inline, .follower: false
        }
    }

    /// True if the observer receives progress. Closures do not.
    var wantsProgress: Bool {
        switch target {
        case .object, .value: true
        case .main, .actor, .inline, .follower: false
        }
    }

    /// True if the observer is notified when it stops observing. Closures are not.
    var hearsOfEnd: Bool { wantsProgress }

    // MARK: Closures of actors

    /// Calls the closure on its actor, after the events that it has not received yet.
    func send(_ event: ResourceEvent, _ resource: Resource, isAlive: @escaping @Sendable () -> Bool) {
        guard case .actor(let closure) = target else { return }
        let isFirst = mailbox.withLock { mailbox in
            mailbox.events.append(event)
            defer { mailbox.isDelivering = true }
            return !mailbox.isDelivering
        }
        guard isFirst else { return }
        launchImmediately { [self] in
            while let event = nextEvent() {
                if isAlive() { await closure(resource, event) }
            }
        }
    }

    private func nextEvent() -> ResourceEvent? {
        let (event, waiters) = mailbox.withLock { mailbox -> (ResourceEvent?, [CheckedContinuation<Void, Never>]) in
            guard mailbox.events.isEmpty else { return (mailbox.events.removeFirst(), []) }
            mailbox.isDelivering = false
            defer { mailbox.waiters = [] }
            return (nil, mailbox.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return event
    }

    /// Waits until the closure has received every event sent so far.
    func delivered() async {
        guard case .actor = target else { return }
        await withCheckedContinuation { continuation in
            let isDelivered = mailbox.withLock { mailbox in
                if mailbox.isDelivering { mailbox.waiters.append(continuation) }
                return !mailbox.isDelivering
            }
            if isDelivered { continuation.resume() }
        }
    }
}

/// An observation and its owners. It ends when it has no owner left.
struct Observed: Sendable {
    enum Message: Sendable {
        case event(ResourceEvent)
        case progress(Double)
    }

    let observation: Observation
    /// The observer receives events with a higher number only.
    let addedAt: UInt64
    private(set) var owners: [WeakOwner] = []
    /// True if an object observes for as long as it lives.
    private(set) var isSelfOwned = false
    /// The observer, while other objects own it.
    private(set) var retained: (any ResourceObserver & Sendable)?

    init(_ observation: Observation, addedAt: UInt64) {
        self.observation = observation
        self.addedAt = addedAt
    }

    /// Adds an owner. The owner is `nil` for an observer that the library itself removes.
    ///
    /// - Returns: The value to release outside the lock.
    mutating func join(_ observer: NewObserver, _ owner: WeakOwner?) -> (any Sendable)? {
        switch observer {
        case .object:
            isSelfOwned = true
            return nil
        case .owned(let observer):
            defer { retained = observer }
            add(owner)
            return retained
        case .closure, .follower:
            add(owner)
            return nil
        }
    }

    private mutating func add(_ owner: WeakOwner?) {
        guard let owner else { return }
        // Another one with the same identity is the same object, or has been released.
        owners.removeAll { $0.identity == owner.identity }
        owners.append(owner)
    }

    /// The identities of the owners.
    var ownerIdentities: [ObjectIdentifier] {
        guard isSelfOwned, case .object(let object) = observation.target else { return owners.map(\.identity) }
        return owners.map(\.identity) + [object.identity]
    }

    /// True if no owner is left, so that the observer must be removed.
    var isOwnerless: Bool {
        if case .follower = observation.target { return false }
        return owners.isEmpty && !isSelfOwned
    }

    mutating func remove(_ owner: ObjectIdentifier) {
        owners.removeAll { $0.identity == owner }
        if case .object(let object) = observation.target, object.identity == owner { isSelfOwned = false }
    }

    /// Stops retaining an observer that is left as its own only owner, since it would never be freed otherwise.
    ///
    /// - Returns: The value to release outside the lock.
    mutating func releaseObserver() -> (any Sendable)? {
        defer { retained = nil }
        return retained
    }

    // Owners are read without a lock, because reading one may release its last reference.

    var isOwnedByOthers: Bool {
        if case .follower = observation.target { return true }
        return owners.contains { $0.object != nil }
    }

    /// True if the observer is retained although no other object owns it.
    var isRetainedForNobody: Bool { retained != nil && !isOwnedByOthers }

    var isAlive: Bool {
        guard !observation.hasEnded else { return false }
        return isOwnedByOthers || (isSelfOwned && observer != nil)
    }

    private var observer: (any ResourceObserver)? {
        switch observation.target {
        case .object(let object): object.observer
        case .value(let observer): observer
        case .main, .actor, .inline, .follower: nil
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

/// A new observer of a resource.
enum NewObserver: Sendable {
    /// An object that is its own owner.
    case object(WeakObserver)
    /// An observer that others own.
    case owned(any ResourceObserver & Sendable)
    case closure(Observation.Target)
    case follower(@Sendable (Happening) -> Void)

    var target: Observation.Target {
        switch self {
        case .object(let object): .object(object)
        case .owned(let observer): WeakObserver(ifObject: observer).map { .object($0) } ?? .value(observer)
        case .closure(let target): target
        case .follower(let follow): .follower(follow)
        }
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

/// An observer that is its own owner.
struct WeakObserver: Sendable {
    private let owner: WeakOwner

    init(_ observer: any ResourceObserver & AnyObject) {
        owner = WeakOwner(observer)
    }

    /// `nil` for a value.
    init?(ifObject observer: any ResourceObserver) {
        guard type(of: observer) is AnyClass else { return nil }
        owner = WeakOwner(observer as AnyObject)
    }

    var observer: (any ResourceObserver)? { owner.object as? any ResourceObserver }

    var identity: ObjectIdentifier { owner.identity }
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
