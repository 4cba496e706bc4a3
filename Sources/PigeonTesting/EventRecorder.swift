public import PigeonCore

/// Records every event of a client.
public final class EventRecorder: Sendable {
    private let recorded = Locked<[QueryEvent]>([])
    private let subscription: Locked<QuerySubscription?> = Locked(nil)

    /// Creates a recorder that records all later events, until it is released.
    public init(_ client: QueryClient) {
        let made = client.onEvent { [recorded = Weak(self)] event in recorded.recorder?.record(event) }
        subscription.withLock { $0 = made }
    }

    /// The events so far.
    public var events: [QueryEvent] { recorded.withLock { $0 } }

    /// Number of events so far.
    var count: Int { recorded.withLock { $0.count } }

    /// The events so far, as one line of text each: `users/1 fetching (observed)`.
    public var lines: [String] { events.map(\.description) }

    /// Clears the recorded events, and returns their lines.
    @discardableResult
    public func clear() -> [String] {
        recorded.withLock { events in
            defer { events = [] }
            return events.map(\.description)
        }
    }

    private func record(_ event: QueryEvent) {
        recorded.withLock { $0.append(event) }
    }

    private final class Weak: @unchecked Sendable {  // set once; weak loads are atomic
        weak var recorder: EventRecorder?
        init(_ recorder: EventRecorder) { self.recorder = recorder }
    }
}
