public import PigeonCore

/// Records every event of a client. A ``QueryLab`` has one for all clients of its environment.
public final class EventRecorder: Sendable {
    /// Outlives the recorder for as long as an event is delivered.
    private final class Recorded: Sendable {
        let events = Locked<[QueryEvent]>([])
    }

    private let recorded: Recorded
    private let subscriptions = Locked<[QuerySubscription]>([])

    /// Creates a recorder that records all later events, until it is released.
    public convenience init(_ client: QueryClient) {
        self.init()
        record(client)
    }

    init() {
        recorded = Recorded()
    }

    func record(_ client: QueryClient) {
        let recorded = recorded
        let subscription = client.onEvent { event in recorded.events.withLock { $0.append(event) } }
        subscriptions.withLock { $0.append(subscription) }
    }

    /// The events so far.
    public var events: [QueryEvent] { recorded.events.withLock { $0 } }

    var count: Int { recorded.events.withLock { $0.count } }

    /// The events so far, as one line of text each: `users/1 fetching (observed)`.
    public var lines: [String] { events.map(\.description) }

    /// Clears the recorded events, and returns their lines.
    @discardableResult
    public func clear() -> [String] {
        let events = recorded.events.withLock { events in
            defer { events = [] }
            return events
        }
        return events.map(\.description)  // outside the lock, because errors describe themselves
    }
}
