extension QueryClient {
    /// Brings a slot's newest version to its observers.
    ///
    /// One thread at a time delivers a slot, so versions arrive in order; whoever changes the slot meanwhile leaves the
    /// newer version to that thread. A callback may re-enter the client: what it changes is delivered after it returns.
    func deliver(_ slot: Slot) {
        while true {
            var stale: EntryPicture?
            let next = state.withLock { _ -> (EntryPicture, [ObserverCore])? in
                let isNew = slot.deliveredVersion < slot.entry.version || slot.hasNewcomer
                guard isNew, !slot.observers.isEmpty else {
                    slot.isDelivering = false
                    return nil
                }
                if let picture = slot.extras?.nextUnseen() {
                    slot.deliveredVersion = picture.version
                    return (picture, slot.observers)
                }
                slot.hasNewcomer = false
                slot.deliveredVersion = slot.entry.version
                return (picture(of: slot, replacing: &stale), slot.observers)
            }
            guard let (picture, observers) = next else { return }
            // The array keeps every observer meanwhile: counting each up and down would cost a quarter of the delivery.
            withExtendedLifetime(observers) {
                for index in observers.indices {
                    Unmanaged.passUnretained(observers[index])._withUnsafeGuaranteedRef {
                        $0.deliver(picture, from: slot)
                    }
                }
            }
        }
    }

    /// The picture of a slot's present version. Called under the lock.
    ///
    /// - Parameter old: Receives the picture it replaces, to be freed outside the lock.
    func picture(of slot: Slot, replacing old: inout EntryPicture?) -> EntryPicture {
        if let picture = slot.picture, picture.version == slot.entry.version { return picture }
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
