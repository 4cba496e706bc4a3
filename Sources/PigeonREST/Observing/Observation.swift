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
        /// Part of the library: told on whatever thread it happens, with how the resource was then.
        case follower(@Sendable (Happening) -> Void)
    }

    enum Telling: Sendable {
        case event(ResourceEvent)
        case progress(Double)
        case stopped
    }

    private struct State {
        var owners: [WeakOwner] = []
        var isRemoved = false
        var tellings: [Telling] = []
        var isTelling = false
    }

    let target: Target
    let identity: ObserverIdentity?
    /// What happened up to then is not told.
    let addedAt: UInt64
    private let state = Locked(State())

    init(_ target: Target, identity: ObserverIdentity? = nil, owner: WeakOwner?, addedAt: UInt64) {
        self.target = target
        self.identity = identity
        self.addedAt = addedAt
        if let owner { state.withLock { $0.owners = [owner] } }
    }

    // MARK: Owners

    /// Whether anybody still wants it. An observer that is its own owner lives as long as the object.
    var isAlive: Bool {
        switch target {
        case .follower: !state.withLock { $0.isRemoved }
        case .object, .owned, .closure:
            state.withLock { !$0.isRemoved && $0.owners.contains { $0.object != nil } }
        }
    }

    /// Closures are not told of progress.
    var wantsProgress: Bool {
        switch target {
        case .object, .owned: true
        case .closure, .follower: false
        }
    }

    func add(_ owner: WeakOwner) {
        state.withLock { state in
            guard !state.owners.contains(where: { $0.is(owner) }) else { return }
            state.owners.append(owner)
        }
    }

    /// Takes an owner away.
    ///
    /// - Returns: Whether nobody is left.
    func remove(_ owner: AnyObject) -> Bool {
        state.withLock { state in
            guard state.owners.contains(where: { $0.object == nil || $0.object === owner }) else { return false }
            state.owners.removeAll { $0.object == nil || $0.object === owner }
            return state.owners.isEmpty
        }
    }

    /// No telling begins after this, but the last one.
    func stop(_ resource: Resource) {
        let isFirst = state.withLock { state in
            defer { state.isRemoved = true }
            guard !state.isRemoved else { return false }
            state.tellings = []
            return true
        }
        if isFirst { tell(.stopped, resource) }
    }

    // MARK: Telling

    func tell(_ happening: Happening, _ resource: Resource) {
        guard case .follower(let follow) = target else { return tell(.event(happening.event), resource) }
        if isAlive { follow(happening) }
    }

    /// Tells at once where the observer's actor is the caller's, and in order.
    func tell(_ telling: Telling, _ resource: Resource) {
        guard add(telling) else { return }
        switch target {
        case .object, .owned: MainActor.runSoon { self.tellOnMain(resource) }
        case .closure(let closure): launchOn(closure.isolation) { await self.tellClosure(resource) }
        case .follower: break
        }
    }

    /// - Returns: Whether the caller is the one to tell.
    func add(_ telling: Telling) -> Bool {
        if case .follower = target { return false }
        return state.withLock { state in
            if state.isRemoved, case .stopped = telling {} else if state.isRemoved { return false }
            state.tellings.append(telling)
            guard !state.isTelling else { return false }
            state.isTelling = true
            return true
        }
    }

    /// Whether it is a closure that may be called on any thread.
    var isFreeClosure: Bool {
        guard case .closure(let closure) = target else { return false }
        return closure.isolation == nil
    }

    private func next() -> Telling? {
        state.withLock { state in
            guard !state.tellings.isEmpty else {
                state.isTelling = false
                return nil
            }
            return state.tellings.removeFirst()
        }
    }

    @MainActor
    private func tellOnMain(_ resource: Resource) {
        while let telling = next() {
            guard let observer = observer else { continue }
            switch telling {
            case .event(let event): observer.resourceChanged(resource, event: event)
            case .progress(let progress): observer.resourceRequestProgress(for: resource, progress: progress)
            case .stopped: observer.stoppedObserving(resource: resource)
            }
        }
    }

    private var observer: (any ResourceObserver)? {
        switch target {
        case .object(let weak): weak.observer
        case .owned(let observer): observer
        case .closure, .follower: nil
        }
    }

    func tellClosure(_ resource: Resource) async {
        guard case .closure(let closure) = target else { return }
        while let telling = next() {
            guard case .event(let event) = telling else { continue }
            await closure(resource, event)
        }
    }
}

/// Starts something at once on the caller's thread where it belongs there.
func launchOn(_ isolation: (any Actor)?, _ body: @escaping @Sendable () async -> Void) {
    guard isolation === MainActor.shared, MainActor.isCurrent else {
        launchImmediately(body)
        return
    }
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { @MainActor in await body() }
    } else {
        Task { @MainActor in await body() }
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

    func `is`(_ other: WeakOwner) -> Bool { identity == other.identity && object != nil }
}

/// An observer that is its own owner.
struct WeakObserver: @unchecked Sendable {  // set once; weak loads are atomic
    private weak var object: AnyObject?

    init(_ observer: any ResourceObserver & AnyObject) {
        object = observer
    }

    var observer: (any ResourceObserver)? { object as? any ResourceObserver }
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
