extension QueryClient {
    /// Delivers a slot's newest version to the observers that have not seen it.
    ///
    /// Any thread may call this at any time: each observer orders its own calls. A callback may re-enter the client.
    func deliver(_ slot: Slot) {
        var stale: EntryPicture?
        let next = state.withLock { _ -> (EntryPicture, Roster<ObserverCore>)? in
            guard !slot.observers.isEmpty else { return nil }
            return (picture(of: slot, replacing: &stale), slot.observers)
        }
        guard let (picture, observers) = next else { return }
        // A retain and a release for each observer would take a quarter of the delivery's time.
        observers.forEachUncounted { $0.deliver(picture, from: slot) }
    }

    /// Delivers a slot's newest version to one of its observers, unless the observer has detached.
    func deliver(_ slot: Slot, to core: ObserverCore) {
        var stale: EntryPicture?
        let newest = state.withLock { _ in core.slot === slot ? pictureNow(of: slot, replacing: &stale) : nil }
        if let newest { core.deliver(newest, from: slot) }
    }

    /// The picture of a slot's current version. Called under the lock.
    ///
    /// - Parameter old: Receives the replaced picture, to be released outside the lock.
    func picture(of slot: Slot, replacing old: inout EntryPicture?) -> EntryPicture {
        if let picture = slot.picture, picture.version == slot.entry.version { return picture }
        return pictureNow(of: slot, replacing: &old)
    }

    /// A picture of a slot that is taken now, for a reader that was not notified of the current version when it arose:
    /// the value may have turned stale since. Called under the lock.
    ///
    /// - Parameter old: Receives the replaced picture, to be released outside the lock.
    func pictureNow(of slot: Slot, replacing old: inout EntryPicture?) -> EntryPicture {
        let picture = EntryPicture(slot.entry, reading: slot.extras?.reading, at: clock.now(), origin: origin)
        old = slot.picture
        slot.picture = picture
        return picture
    }

    // MARK: Events

    /// The events of this client from now on, with their causes.
    ///
    /// The sequence ends when the client is released. Each sequence buffers at most the newest 4,096 events, which
    /// bounds the cost of a reader that stops reading.
    public var events: AsyncStream<QueryEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(4096)) { continuation in
            let feed = EventFeed(continuation: continuation)
            let subscription = onEvent { feed.continuation.yield($0) }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }

    /// Ends its sequence when the client is released, so that no reader waits forever.
    private final class EventFeed: Sendable {
        let continuation: AsyncStream<QueryEvent>.Continuation

        init(continuation: AsyncStream<QueryEvent>.Continuation) {
            self.continuation = continuation
        }

        deinit {
            continuation.finish()
        }
    }

    /// Calls `handler` with each event, in order, on the thread that caused it, until the subscription ends.
    ///
    /// The handler may use the client.
    public func onEvent(_ handler: @escaping @Sendable (QueryEvent) -> Void) -> QuerySubscription {
        let id = state.withLock { state in
            let id = state.makeID()
            state.eventListeners.append((id, handler))
            state.effects.wantsEvents = true
            return id
        }
        let reference = reference
        return QuerySubscription {
            let old = reference.client?.state.withLock { state -> (@Sendable (QueryEvent) -> Void)? in
                guard let index = state.eventListeners.firstIndex(where: { $0.id == id }) else { return nil }
                defer { state.effects.wantsEvents = !state.eventListeners.isEmpty }
                return state.eventListeners.remove(at: index).handler
            }
            _ = old
        }
    }

    /// Sends events to the listeners from one thread at a time, so that all listeners see the same order.
    func deliverEvents() {
        while true {
            let (events, listeners) = state.withLock { state -> ([QueryEvent], [@Sendable (QueryEvent) -> Void]) in
                guard !state.isDeliveringEvents, !state.events.isEmpty else { return ([], []) }
                state.isDeliveringEvents = true
                defer { state.events = [] }
                return (state.events, state.eventListeners.map(\.handler))
            }
            guard !events.isEmpty else { return }
            for event in events {
                for listener in listeners { listener(event) }
            }
            state.withLock { $0.isDeliveringEvents = false }
        }
    }
}
