internal import PigeonBase

/// One observer of one resource, and who has it observe.
final class Observation: Sendable {
    enum Target: Sendable {
        /// An object that is its own owner.
        case object(WeakObserver)
        /// An observer that others own.
        case owned(any ResourceObserver & Sendable)
        /// A closure, with the actor it was written on.
        case closure(@isolated(any) @Sendable (Resource, ResourceEvent) -> Void)
        /// A closure that was written on no actor, and is called on the main actor.
        case main(@Sendable (Resource, ResourceEvent) -> Void)
        /// Part of the library: told on whatever thread it happens, with how the resource was then.
        case follower(@Sendable (Happening) -> Void)
    }

    enum Telling: Sendable {
        case event(ResourceEvent)
        case progress(Double)
    }

    private struct State {
        /// Others that want it.
        var owners: [WeakOwner] = []
        /// Whether the observer itself wants it, for as long as it lives.
        var isSelfOwned = false
        /// The observer, while others own it.
        var kept: (any ResourceObserver & Sendable)?
        /// Grows with whatever ``Observation/isAlive`` depends on.
        var changes = 0
        var isEnded = false
        var tellings: [Telling] = []
        var isTelling = false
        /// Those who wait until all is told.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// References an object weakly: an observer that owns itself would otherwise never be freed. The state retains it while
    /// others own it.
    let target: Target
    let identity: ObserverIdentity?
    /// What happened up to then is not told.
    let addedAt: UInt64
    private let object: WeakObserver?
    private let state = Locked(State())

    init(_ target: Target, identity: ObserverIdentity? = nil, owner: WeakOwner?, addedAt: UInt64) {
        self.identity = identity
        self.addedAt = addedAt
        switch target {
        case .object(let object): self.object = object
        case .owned(let observer): object = WeakObserver(ifObject: observer)
        case .closure, .main, .follower: object = nil
        }
        self.target = object.map(Target.object) ?? target
        _ = join(target, owner)
    }

    // MARK: Owners

    /// Whether anybody still wants it.
    var isAlive: Bool { look().isAlive }

    /// Owners are looked at outside of the lock: the last reference to one may be the one that a look takes.
    private func look() -> (isAlive: Bool, isOwned: Bool, changes: Int) {
        let (owners, isSelfOwned, isEnded, changes) = state.withLock {
            ($0.owners, $0.isSelfOwned, $0.isEnded, $0.changes)
        }
        if isEnded { return (false, false, changes) }
        if case .follower = target { return (true, true, changes) }
        let isOwned = owners.contains { $0.object != nil }
        return (isOwned || (isSelfOwned && object?.observer != nil), isOwned, changes)
    }

    /// Closures are not told of progress.
    var wantsProgress: Bool {
        switch target {
        case .object, .owned: true
        case .closure, .main, .follower: false
        }
    }

    /// Has somebody else want it too.
    ///
    /// - Returns: Whether it did not end meanwhile.
    func join(_ target: Target, _ owner: WeakOwner?) -> Bool {
        let (isJoined, old) = state.withLock { state -> (Bool, Any?) in
            guard !state.isEnded else { return (false, nil) }
            let old = state.kept
            state.changes += 1
            switch target {
            case .object: state.isSelfOwned = true
            case .owned(let observer): state.kept = observer
            case .closure, .main, .follower: break
            }
            guard let owner else { return (true, old) }
            if case .object = target { return (true, old) }
            state.owners.removeAll { $0.is(owner) }
            state.owners.append(owner)
            return (true, old)
        }
        _ = old  // let go outside of the lock
        return isJoined
    }

    /// Takes an owner away.
    func remove(_ owner: AnyObject) {
        let owner = WeakOwner(owner)
        let isSelf = object?.is(owner) ?? false
        state.withLock { state in
            state.changes += 1
            state.owners.removeAll { $0.is(owner) }
            if isSelf { state.isSelfOwned = false }
        }
    }

    /// Ends it if nobody wants it any more.
    ///
    /// - Returns: Whether it has ended.
    func endIfUnwanted() -> Bool {
        while true {
            let (isAlive, isOwned, changes) = look()
            let (isSure, old) = state.withLock { state -> (Bool, Any?) in
                guard state.changes == changes else { return (false, nil) }
                if !isAlive { state.isEnded = true }
                guard isAlive, !isOwned, state.kept != nil else { return (true, nil) }
                // It is its own owner only by now: to keep it would keep it for ever.
                defer { state.kept = nil }
                state.changes += 1
                return (false, state.kept)
            }
            _ = old  // let go outside of the lock
            if isSure { return !isAlive }
        }
    }

    /// Ends the observation. The observer receives no further event or progress.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.tellings = []
        }
    }

    /// True if there is an observer to notify of the end. Closures are not notified of it.
    var hearsOfEnd: Bool { observer != nil }

    /// Notifies the observer, if it still exists, that it has stopped observing.
    @MainActor
    func tellOfEnd(_ resource: Resource) {
        observer?.stoppedObserving(resource: resource)
    }

    // MARK: Telling

    func tell(_ happening: Happening, _ resource: Resource) {
        guard case .follower(let follow) = target else { return tell(.event(happening.event), resource) }
        if isAlive { follow(happening) }
    }

    /// Tells at once where the observer's actor is the caller's, and in order.
    func tell(_ telling: Telling, _ resource: Resource) {
        if isAlive { queue(telling, resource) }
    }

    /// - Returns: Whether the caller is the one to tell.
    private func add(_ telling: Telling) -> Bool {
        if case .follower = target { return false }
        return state.withLock { state in
            guard !state.isEnded else { return false }
            state.tellings.append(telling)
            guard !state.isTelling else { return false }
            state.isTelling = true
            return true
        }
    }

    private func queue(_ telling: Telling, _ resource: Resource) {
        guard add(telling) else { return }
        switch target {
        case .object, .owned, .main: MainActor.runSoon { self.tellOnMain(resource) }
        case .closure(let closure): launch(closure, resource)
        case .follower: break
        }
    }

    private func next() -> Telling? {
        let (telling, waiters) = state.withLock { state -> (Telling?, [CheckedContinuation<Void, Never>]) in
            guard state.tellings.isEmpty else { return (state.tellings.removeFirst(), []) }
            state.isTelling = false
            defer { state.waiters = [] }
            return (nil, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return telling
    }

    /// Waits until it was told all that it is to be told by now.
    func told() async {
        await withCheckedContinuation { continuation in
            let isTold = state.withLock { state in
                if state.isTelling { state.waiters.append(continuation) }
                return !state.isTelling
            }
            if isTold { continuation.resume() }
        }
    }

    @MainActor
    private func tellOnMain(_ resource: Resource) {
        while let telling = next() {
            if case .main(let closure) = target, case .event(let event) = telling, isAlive { closure(resource, event) }
            guard let observer = observer else { continue }
            switch telling {
            case .event(let event): if isAlive { observer.resourceChanged(resource, event: event) }
            case .progress(let progress):
                if isAlive { observer.resourceRequestProgress(for: resource, progress: progress) }
            }
        }
    }

    private var observer: (any ResourceObserver)? {
        if let kept = state.withLock({ $0.kept }) { return kept }
        return object?.observer
    }

    private typealias Closure = @isolated(any) @Sendable (Resource, ResourceEvent) -> Void

    /// Tells closures that may be called on any thread, in one task for all of them.
    static func tell(_ event: ResourceEvent, to closures: [Observation], _ resource: Resource) {
        let mine = closures.filter { $0.add(.event(event)) }
        guard !mine.isEmpty else { return }
        launchImmediately {
            for observation in mine {
                guard case .closure(let closure) = observation.target else { continue }
                await observation.tell(closure, resource, on: nil)
            }
        }
    }

    /// Whether it is a closure that may be called on any thread.
    var isFreeClosure: Bool {
        guard case .closure(let closure) = target else { return false }
        return closure.isolation == nil
    }

    /// Starts to tell at once, on the caller's thread, where the closure belongs there.
    private func launch(_ closure: @escaping Closure, _ resource: Resource) {
        guard closure.isolation === MainActor.shared, MainActor.isCurrent else {
            launchImmediately { await self.tell(closure, resource, on: nil) }
            return
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { @MainActor in await self.tell(closure, resource, on: MainActor.shared) }
        } else {
            Task { @MainActor in await self.tell(closure, resource, on: MainActor.shared) }
        }
    }

    /// - Parameter actor: Where to go on between two events, so that there is no wait for the closure's actor.
    private func tell(_ closure: Closure, _ resource: Resource, on actor: isolated (any Actor)?) async {
        while let telling = next() {
            guard case .event(let event) = telling, isAlive else { continue }
            await closure(resource, event)
        }
    }
}

/// An object that keeps observers in place and is not kept itself.
struct WeakOwner: @unchecked Sendable {  // set once; weak loads are atomic
    weak var object: AnyObject?
    private let identity: ObjectIdentifier

    init(_ object: AnyObject) {
        self.object = object
        identity = ObjectIdentifier(object)
    }

    /// Whether both are the same object, or one is gone and the other in its place. Takes no reference.
    func `is`(_ other: WeakOwner) -> Bool { identity == other.identity }
}

/// An observer that is its own owner.
struct WeakObserver: @unchecked Sendable {  // set once; weak loads are atomic
    private let owner: WeakOwner

    init(_ observer: any ResourceObserver & AnyObject) {
        owner = WeakOwner(observer)
    }

    /// `nil` for what is no object.
    init?(ifObject observer: any ResourceObserver) {
        guard type(of: observer) is AnyClass else { return nil }
        owner = WeakOwner(observer as AnyObject)
    }

    var observer: (any ResourceObserver)? { owner.object as? any ResourceObserver }

    func `is`(_ other: WeakOwner) -> Bool { owner.is(other) }
}

/// What tells observers apart. Compared outside of locks: it may be of a type of the program's.
struct ObserverIdentity: Equatable, @unchecked Sendable {  // immutable, and of a type that can be compared anywhere
    let value: AnyHashable
}

/// Tells observers apart that have no identity.
enum ObserverNumber {
    private static let last = Locked<UInt64>(0)

    static func next() -> UInt64 {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
