/// Follows the entry of a store for one reader, until it is released. Delivers nothing before the cache is read,
/// because the state is unknown until then.
///
/// Does not depend on the type of the data: generic code would be slower in every program that uses the library.
final class StateFollower: Sendable {
    /// The longest time for which a reader waits for the cache. After that, it receives a loading state.
    static let loadTimeout = Duration.milliseconds(250)

    private struct State {
        var core: ObserverCore?
        var alarm: AlarmHandle?
        var isOver = false
    }

    private let state = Locked(State())
    private let gate: StateGate

    /// - Parameter take: Called with each entry state, in order, one at a time, on the thread that changed the entry. It
    ///   must not retain the follower.
    init(take: @escaping @Sendable (EntryState) -> Void) {
        gate = StateGate(take: take)
    }

    deinit {
        cancel()
    }

    func begin<DATA>(_ store: StoreAccess<DATA>, forceRefresh: Bool) {
        let listener: ObserverCore.Listener = { [gate] entryState, _ in gate.receive(entryState) }
        // Without a local variable, which would copy the definition and look up its type.
        let core =
            forceRefresh
            ? store.client.attach(
                store.definition.refetchOnAttach(.always), deliversFirst: true, listener: listener)
            : store.client.attach(store.definition, deliversFirst: true, listener: listener)
        follow(core)
    }

    private func follow(_ core: ObserverCore) {
        let isOver = state.withLock { state in
            if !state.isOver { state.core = core }
            return state.isOver
        }
        guard !isOver else { return core.client.detach(core) }
        guard !gate.isOpen else { return }
        let clock = core.client.environment.clock
        let alarm = clock.schedule(at: clock.now().advanced(by: Self.loadTimeout)) { [weak self] in self?.open() }
        let spare = state.withLock { state -> AlarmHandle? in
            guard !gate.isOpen, !state.isOver else { return alarm }
            state.alarm = alarm
            return nil
        }
        spare?.cancel()
    }

    func cancel() {
        let (core, alarm) = state.withLock { state in
            state.isOver = true
            defer { (state.core, state.alarm) = (nil, nil) }
            return (state.core, state.alarm)
        }
        alarm?.cancel()
        if let core { core.client.detach(core) }
    }

    /// Delivers the current entry state, unless the delivery has already begun.
    private func open() {
        guard gate.open(), let core = state.withLock({ $0.core }) else { return }
        core.client.announce(core)
    }
}

/// Holds back the entry states for a follower until it is opened.
private final class StateGate: Sendable {
    private let take: @Sendable (EntryState) -> Void
    /// Counts the calls of ``open()``.
    private let openings = AtomicNumber()

    init(take: @escaping @Sendable (EntryState) -> Void) {
        self.take = take
    }

    var isOpen: Bool { openings.value > 0 }

    /// - Returns: True for the first call.
    func open() -> Bool { openings.increment() == 1 }

    func receive(_ entryState: EntryState) {
        if !isOpen {
            guard !entryState.isUnread else { return }
            _ = open()
        }
        take(entryState)
    }
}

/// Iterates over a store's states. Delivers each state once, and only the newest one to a slow reader.
struct StateReading<DATA: Sendable>: AsyncIteratorProtocol {
    private let store: StoreAccess<DATA>
    private let forceRefresh: Bool
    private let mailbox: Mailbox<EntryState>
    private let follower: StateFollower
    private var hasBegun = false
    private var lastMark: StateMark?

    init(_ store: StoreAccess<DATA>, forceRefresh: Bool) {
        self.store = store
        self.forceRefresh = forceRefresh
        let mailbox = Mailbox<EntryState>()
        self.mailbox = mailbox
        follower = StateFollower { mailbox.put($0) }
    }

    mutating func next() async -> LoadingState<DATA>? {
        if !hasBegun {
            hasBegun = true
            follower.begin(store, forceRefresh: forceRefresh)
        }
        while let entryState = await mailbox.next() {
            let (state, mark) = ShownStateOf<DATA>.state(of: entryState)
            guard mark != lastMark else { continue }
            lastMark = mark
            return state
        }
        follower.cancel()
        return nil
    }
}

/// Follows a store for each subscriber, from its subscription on. A subscriber that is busy or has no demand receives
/// the newest state next, unless that state equals the last one that it received.
struct StatePublisher<DATA: Sendable>: Publisher {
    typealias Output = LoadingState<DATA>
    typealias Failure = Never

    let store: StoreAccess<DATA>
    let forceRefresh: Bool

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let delivery = ShownStateOf<DATA>.delivery { subscriber.receive($0) }
        let type: ShownState.Type = ShownStateOf<DATA>.self
        let follower = StateFollower { delivery.sendHere(type.shown(by: $0)) }
        let subscription = StateSubscription(delivery, follower)
        subscriber.receive(subscription: subscription)
        // A subscriber that does not retain its subscription still causes a reading of the cache.
        withExtendedLifetime(subscription) {
            if delivery.isOpen { follower.begin(store, forceRefresh: forceRefresh) }
        }
    }
}

/// The subscription of a subscriber to a store. It ends when the subscriber cancels or releases it.
private final class StateSubscription: Subscription {
    private let delivery: Delivery<ShownState, Never>
    private let follower: StateFollower

    init(_ delivery: Delivery<ShownState, Never>, _ follower: StateFollower) {
        self.delivery = delivery
        self.follower = follower
    }

    deinit {
        cancel()
    }

    func request(_ demand: Subscribers.Demand) {
        delivery.request(demand)
    }

    func cancel() {
        delivery.cancel()
        follower.cancel()
    }
}
