extension QueryClient {
    /// Delivers a slot's newest version to the observers that have not seen it.
    ///
    /// Any thread may call this at any time: each observer orders its own calls. A callback may re-enter the client.
    ///
    /// - Parameter first: The number of the first observer to deliver to.
    func deliver(_ slot: Slot, fromObserver first: UInt64) {
        var stale: EntryState?
        let next = state.withLock { _ -> (EntryState, Roster<ObserverCore>)? in
            guard !slot.observers.isEmpty else { return nil }
            return (entryState(of: slot, replacing: &stale), slot.observers)
        }
        stale = nil  // before the calls: what a face made of it may retain a list that is extended in place
        guard let (entryState, observers) = next else { return }
        // A retain and a release for each observer would take a quarter of the delivery's time.
        observers.forEachUncounted(from: first) { $0.deliver(entryState, from: slot) }
    }

    /// Delivers a slot's newest version to one of its observers, unless the observer has detached.
    func deliver(_ slot: Slot, to core: ObserverCore) {
        var stale: EntryState?
        let newest = state.withLock { _ in core.slot === slot ? captureEntryState(of: slot, replacing: &stale) : nil }
        if let newest { core.deliver(newest, from: slot) }
    }

    /// Passes a slot's current version to the recorders of observers. Called under the lock.
    func record(_ slot: Slot, for recorders: [ObserverCore], _ work: inout Work) {
        var old: EntryState?
        let entryState = entryState(of: slot, replacing: &old)
        work.discard(old)
        for core in recorders { core.record(entryState, &work) }
    }

    /// The state of a slot's current version. Called under the lock.
    ///
    /// - Parameter old: Receives the replaced entry state, to be released outside the lock.
    func entryState(of slot: Slot, replacing old: inout EntryState?) -> EntryState {
        if let entryState = slot.entryState, entryState.version == slot.entry.version { return entryState }
        return captureEntryState(of: slot, replacing: &old)
    }

    /// Captures and stores the state of a slot as of now. For a reader that was not notified when the current version
    /// arose, because the value may have turned stale since then. Called under the lock.
    ///
    /// - Parameter old: Receives the replaced entry state, to be released outside the lock.
    func captureEntryState(of slot: Slot, replacing old: inout EntryState?) -> EntryState {
        let entryState = EntryState(
            slot.entry, key: slot.key, reading: slot.extras?.reading, at: clock.now(), origin: origin)
        old = slot.entryState
        slot.entryState = entryState
        return entryState
    }

    /// Lets observers see the changes that `body` makes in several transactions as one.
    package func delivered<Result>(asOne body: () throws -> Result) rethrows -> Result {
        guard JointDelivery.current?.isOpen(for: self) != true else { return try body() }
        let joint = JointDelivery(of: self)
        defer {
            let waiting = joint.end()
            for (slot, first) in waiting.slots { deliver(slot, fromObserver: first) }
            for recorder in waiting.recorders { recorder.deliverRecorded() }
        }
        return try JointDelivery.$current.withValue(joint, operation: body)
    }

    // MARK: Events

    /// A sequence of all later events of this client, with their causes.
    ///
    /// The sequence ends when the client is released. Each sequence buffers at most the newest 4,096 events, which
    /// bounds the cost of a reader that stops reading.
    public var events: AsyncStream<QueryEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(4096)) { continuation in
            // Released with the handler, at the latest with the client, so that no reader waits forever.
            let end = QuerySubscription { continuation.finish() }
            let subscription = onEvent { event in withExtendedLifetime(end) { _ = continuation.yield(event) } }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }

    /// Calls `handler` with each event, in order, on the thread that caused it, until the subscription ends.
    ///
    /// The handler may use the client.
    public func onEvent(_ handler: @escaping @Sendable (QueryEvent) -> Void) -> QuerySubscription {
        let id = transact { state in
            // What happened before the subscription causes no events.
            state.catchUp()
            let id = state.makeID()
            state.events.listeners.set(handler, id)
            return id
        }
        return subscription { $0.events.listeners.remove(id) }
    }

    /// Returns the subscription of a listener that the client's state holds.
    ///
    /// - Parameter remove: Removes the listener and returns it, to be released outside the lock. Called under the lock.
    func subscription<Listener>(_ remove: @escaping @Sendable (inout ClientState) -> Listener) -> QuerySubscription {
        let reference = reference
        return QuerySubscription {
            let old = reference.client?.state.withLock(remove)
            _ = old
        }
    }

    /// Calls `handler` with the error of each fetch, page load and mutation that fails after its retries, until the
    /// subscription ends.
    ///
    /// ```swift
    /// let failures = client.onFailure { error, event in
    ///     if event.failureReason == .unauthorized { session.signOut() }
    /// }
    /// ```
    ///
    /// An enqueued mutation fails when it is set aside, and when it waits for new credentials. The process that made the
    /// attempt reports it. A mutation that waits for the network has not failed. A cancellation is no failure. The handler is
    /// called on the thread on which the fetch ended, and may use the client. The event has the key or the mutation, the
    /// cause, and the ``QueryEvent/failureReason``.
    public func onFailure(_ handler: @escaping @Sendable (any Error, QueryEvent) -> Void) -> QuerySubscription {
        onEvent { event in
            guard let error = event.error, !TransientError.isCancellation(error) else { return }
            switch event.kind {
            case .failed, .pageFailed, .mutationFailed, .setAside: handler(error, event)
            case .mutationPaused where event.failureReason == .unauthorized: handler(error, event)
            default: return
            }
        }
    }

    /// Sends events to the listeners from one thread at a time, so that all listeners see the same order.
    func deliverEvents() {
        var batch = state.withLock { $0.events.beginDelivering() }
        while let (events, listeners) = batch {
            for event in events {
                for listener in listeners { listener(event) }
            }
            batch = state.withLock { $0.events.nextBatch() }
        }
    }

    /// Sends an event to the event stream, if it has listeners.
    package func emit(
        _ kind: @autoclosure () -> QueryEvent.Kind, key: QueryKey? = nil, mutation: String? = nil,
        _ number: UInt64? = nil, error: (any Error)? = nil, reason: FailureReason? = nil, cause: Cause = .requested
    ) {
        transact { state in
            state.emit(
                kind(), key: key, mutation: mutation, mutationNumber: number, error: error, reason: reason, cause)
        }
    }

    /// Reports wrong use of the library to the event stream.
    package func reportMisuse(_ text: String, key: QueryKey? = nil) {
        emit(.misuse(text), key: key)
    }
}

/// The deliveries of several transactions, which are made once all have ended.
final class JointDelivery: Sendable {
    /// That of the running code. A task that is started meanwhile may outlive it, and then delivers by itself.
    @TaskLocal static var current: JointDelivery?

    struct Waiting {
        /// Each slot once, with the first of its observers to deliver to.
        private(set) var slots: [(slot: Slot, first: UInt64)] = []
        /// One may stand here several times. It delivers everything at the first.
        private(set) var recorders: [any VersionRecorder] = []
        private var places: [ObjectIdentifier: Int] = [:]

        mutating func add(_ work: Work) {
            for (slot, first) in work.deliveries {
                if let place = places[ObjectIdentifier(slot)] {
                    slots[place].first = min(slots[place].first, first)
                } else {
                    places[ObjectIdentifier(slot)] = slots.count
                    slots.append((slot, first))
                }
            }
            recorders += work.recorders
        }
    }

    private let client: ObjectIdentifier
    private let waiting = Locked<Waiting?>(Waiting())

    init(of client: QueryClient) {
        self.client = ObjectIdentifier(client)
    }

    /// True if deliveries of a client wait.
    func isOpen(for client: QueryClient) -> Bool {
        ObjectIdentifier(client) == self.client && waiting.withLock { $0 != nil }
    }

    /// - Returns: False if the deliveries must be made now: they are another client's, or this one has ended.
    func take(_ work: Work, of client: QueryClient) -> Bool {
        guard ObjectIdentifier(client) == self.client else { return false }
        return waiting.withLock { waiting in
            waiting?.add(work)
            return waiting != nil
        }
    }

    /// Ends the waiting.
    func end() -> Waiting { waiting.withLock { $0.take() } ?? Waiting() }
}
