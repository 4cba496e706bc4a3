/// Follows the entry of a store for one reader. Delivers nothing before the cache is read, because the state is unknown
/// until then.
///
/// Does not depend on the type of the data: generic code would be slower in every program that uses the library.
final class StateFollower: Sendable {
    /// The longest time for which a reader waits for a cache that does not answer. After that, it receives a loading
    /// state.
    static let patience = Duration.milliseconds(250)

    private struct State {
        var core: ObserverCore?
        var alarm: AlarmHandle?
        var isOpen = false
        var isOver = false
    }

    private let state = Locked(State())
    private let take: @Sendable (EntryPicture) -> Void

    /// - Parameter take: Called with each picture, in order, one at a time, on the thread that changed the entry.
    init(take: @escaping @Sendable (EntryPicture) -> Void) {
        self.take = take
    }

    deinit {
        cancel()
    }

    func begin<DATA>(_ store: StoreAccess<DATA>, forceRefresh: Bool) {
        let definition = forceRefresh ? store.definition.refetchOnAttach(.always) : store.definition
        follow(store.client.attach(definition) { [weak self] picture, _ in self?.receive(picture) })
    }

    private func follow(_ core: ObserverCore) {
        let (isOver, isOpen) = state.withLock { state in
            if !state.isOver { state.core = core }
            return (state.isOver, state.isOpen)
        }
        guard !isOver else { return core.client.detach(core) }
        guard !isOpen else { return }
        core.client.onceRead(core) { [weak self] in self?.open() }
        guard !state.withLock({ $0.isOpen || $0.isOver }) else { return }
        let clock = core.client.environment.clock
        let alarm = clock.schedule(at: clock.now().advanced(by: Self.patience)) { [weak self] in self?.open() }
        let spare = state.withLock { state -> AlarmHandle? in
            guard !state.isOpen, !state.isOver else { return alarm }
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

    /// Delivers the current picture, unless the delivery has already begun.
    private func open() {
        let (core, alarm, wasOpen) = state.withLock { state in
            defer { (state.isOpen, state.alarm) = (true, nil) }
            return (state.core, state.alarm, state.isOpen)
        }
        alarm?.cancel()
        guard let core, !wasOpen else { return }
        guard !core.client.announce(core), let mismatch = core.client.picture(for: core) else { return }
        take(mismatch)
    }

    private func receive(_ picture: EntryPicture) {
        let isOpen = state.withLock { state in
            // A value, an error or a fetch in the picture means that the cache has been read.
            if picture.payload != nil || picture.failure != nil || picture.activity != .idle { state.isOpen = true }
            return state.isOpen
        }
        guard isOpen else { return }
        take(picture)
    }
}

/// Iterates over a store's states. Delivers each state once, and only the newest one to a slow reader.
struct StateReading<DATA: Sendable>: AsyncIteratorProtocol {
    private let store: StoreAccess<DATA>
    private let forceRefresh: Bool
    private let mailbox: Mailbox<EntryPicture>
    private let follower: StateFollower
    private var hasBegun = false
    private var lastMark: StateMark?

    init(_ store: StoreAccess<DATA>, forceRefresh: Bool) {
        self.store = store
        self.forceRefresh = forceRefresh
        let mailbox = Mailbox<EntryPicture>()
        self.mailbox = mailbox
        follower = StateFollower { mailbox.put($0) }
    }

    mutating func next() async -> LoadingState<DATA>? {
        if !hasBegun {
            hasBegun = true
            follower.begin(store, forceRefresh: forceRefresh)
        }
        while let picture = await mailbox.next() {
            let mark = StateMark(picture)
            guard mark != lastMark else { continue }
            lastMark = mark
            return LoadingState(picture)
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
        var lastMark: StateMark?
        let delivery = Delivery<EntryPicture, Never>(.newest) { picture in
            let mark = StateMark(picture)
            guard mark != lastMark else { return nil }
            lastMark = mark
            return subscriber.receive(LoadingState(picture))
        } complete: {
            subscriber.receive(completion: $0)
        }
        subscriber.receive(subscription: delivery)
        let follower = StateFollower { [weak delivery] in delivery?.send($0) }
        delivery.onCancel { follower.cancel() }
        if delivery.isOpen { follower.begin(store, forceRefresh: forceRefresh) }
    }
}
