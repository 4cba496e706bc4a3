public import PigeonCore

/// Writes down every event of a client.
public final class EventRecorder: Sendable {
    private let recorded = Locked<[QueryEvent]>([])
    private let subscription: Locked<QuerySubscription?> = Locked(nil)

    /// Records from now on, until the recorder is freed.
    public init(_ client: QueryClient) {
        let made = client.onEvent { [recorded = Weak(self)] event in recorded.recorder?.record(event) }
        subscription.withLock { $0 = made }
    }

    /// The events so far.
    public var events: [QueryEvent] { recorded.withLock { $0 } }

    /// The events so far, a line each: `users/1 fetching (observed)`.
    public var lines: [String] { events.map(\.description) }

    /// Forgets what was recorded, and says what it was.
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
