extension QueryClient {
    /// Brings a slot's newest version to those of its observers that have not seen it.
    ///
    /// Any thread may, at any time: each observer sees to the order of its own calls. A callback may re-enter the client.
    func deliver(_ slot: Slot) {
        var stale: EntryPicture?
        let next = state.withLock { _ -> (EntryPicture, Roster<ObserverCore>)? in
            guard !slot.observers.isEmpty else { return nil }
            return (picture(of: slot, replacing: &stale), slot.observers)
        }
        guard let (picture, observers) = next else { return }
        // Counting each observer up and down would cost a quarter of the delivery.
        observers.forEachUncounted { $0.deliver(picture, from: slot) }
    }

    /// Brings a slot's newest version to one of its observers, if it has not left.
    func deliver(_ slot: Slot, to core: ObserverCore) {
        var stale: EntryPicture?
        let newest = state.withLock { _ in core.slot === slot ? pictureNow(of: slot, replacing: &stale) : nil }
        if let newest { core.deliver(newest, from: slot) }
    }

    /// The picture of a slot's present version. Called under the lock.
    ///
    /// - Parameter old: Receives the picture it replaces, to be freed outside the lock.
    func picture(of slot: Slot, replacing old: inout EntryPicture?) -> EntryPicture {
        if let picture = slot.picture, picture.version == slot.entry.version { return picture }
        return pictureNow(of: slot, replacing: &old)
    }

    /// The picture of a slot at this moment, for one who was not told of its present version when that came: a value may have
    /// turned stale by time since. Called under the lock.
    ///
    /// - Parameter old: Receives the picture it replaces, to be freed outside the lock.
    func pictureNow(of slot: Slot, replacing old: inout EntryPicture?) -> EntryPicture {
        let picture = EntryPicture(slot.entry, reading: slot.extras?.reading, at: clock.now(), origin: origin)
        old = slot.picture
        slot.picture = picture
        return picture
    }

    // MARK: Events

    /// Everything that happens in this client from now on, and why.
    ///
    /// It ends with the client. Each sequence has its own buffer of the newest 4,096 events, so a reader that stops
    /// reading costs no more.
    public var events: AsyncStream<QueryEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(4096)) { continuation in
            let feed = EventFeed(continuation: continuation)
            let subscription = onEvent { feed.continuation.yield($0) }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }

    /// Ends its sequence when the client is let go, so that no reader waits for ever.
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

    /// Hands events to their listeners, one thread at a time, so that all see one order.
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
