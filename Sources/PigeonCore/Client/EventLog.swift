/// The undelivered events of a client, and its listeners.
struct EventLog {
    typealias Listener = @Sendable (QueryEvent) -> Void

    private var listeners: [(id: UInt64, handler: Listener)] = []
    private var events: [QueryEvent] = []
    private var lastSequence: UInt64 = 0
    /// True while a thread calls the listeners.
    private(set) var isDelivering = false

    /// True if there is a listener. Without one, no events are created.
    var hasListeners: Bool { !listeners.isEmpty }

    mutating func add(_ listener: @escaping Listener, id: UInt64) {
        listeners.append((id, listener))
    }

    /// - Returns: The listener, to be released outside the lock.
    mutating func removeListener(_ id: UInt64) -> Listener? {
        listeners.firstIndex { $0.id == id }.map { listeners.remove(at: $0).handler }
    }

    mutating func append(_ make: (_ sequence: UInt64) -> QueryEvent) {
        lastSequence += 1
        events.append(make(lastSequence))
    }

    /// Removes and returns the pending events. Only one thread at a time delivers, so that all listeners see the same
    /// order.
    ///
    /// - Returns: `nil` if there are no events, or if another thread is delivering.
    mutating func beginDelivering() -> (events: [QueryEvent], listeners: [Listener])? {
        guard !isDelivering, !events.isEmpty else { return nil }
        isDelivering = true
        defer { events = [] }
        return (events, listeners.map(\.handler))
    }

    mutating func endDelivering() {
        isDelivering = false
    }
}
