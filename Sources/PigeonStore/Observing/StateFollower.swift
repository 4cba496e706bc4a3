/// Follows the entry of a store for one reader, from the moment its cache is read: before, nothing is known to tell.
final class StateFollower<DATA: Sendable>: Sendable {
    /// How long a reader waits for a cache that does not answer before it is told that data is being loaded.
    static var patience: Duration { .milliseconds(250) }

    private struct State {
        var observer: QueryObserver<StoreContent<DATA>>?
        var client: QueryClient?
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

    func begin(_ store: StoreAccess<DATA>, forceRefresh: Bool) {
        let definition = forceRefresh ? store.definition.refetchOnAttach(.always) : store.definition
        let observer = store.client.observe(definition) { [weak self] picture, _ in self?.receive(picture) }
        let isOver = state.withLock { state in
            if !state.isOver { (state.observer, state.client) = (observer, store.client) }
            return state.isOver
        }
        guard !isOver else { return }
        store.client.onceRead(observer.core) { [weak self] in self?.open() }
        guard !state.withLock({ $0.isOpen }) else { return }
        let clock = store.client.environment.clock
        let alarm = clock.schedule(at: clock.now().advanced(by: Self.patience)) { [weak self] in self?.open() }
        let spare = state.withLock { state -> AlarmHandle? in
            guard !state.isOpen, !state.isOver else { return alarm }
            state.alarm = alarm
            return nil
        }
        spare?.cancel()
    }

    func cancel() {
        let (observer, alarm) = state.withLock { state in
            state.isOver = true
            defer { (state.observer, state.client, state.alarm) = (nil, nil, nil) }
            return (state.observer, state.alarm)
        }
        alarm?.cancel()
        observer?.cancel()
    }

    /// Tells the reader of what is known now.
    private func open() {
        let (observer, client, alarm) = state.withLock { state in
            state.isOpen = true
            defer { state.alarm = nil }
            return (state.observer, state.client, state.alarm)
        }
        alarm?.cancel()
        guard let observer else { return }
        guard observer.isWatching else { return take(observer.snapshot.picture) }
        client?.announce(observer.core)
    }

    private func receive(_ picture: EntryPicture) {
        let isOpen = state.withLock { state in
            // Whatever is known was read from the cache, or came through it.
            if picture.payload != nil || picture.failure != nil || picture.activity != .idle { state.isOpen = true }
            return state.isOpen
        }
        guard isOpen else { return }
        take(picture)
    }
}
