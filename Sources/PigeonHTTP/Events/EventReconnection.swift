/// Whether a stream of events is taken up again when its connection is lost.
///
/// ```swift
/// dispatcher.events(from: request, reconnecting: .standard)
/// ```
public struct EventReconnection: Sendable, Hashable {
    /// How many times in a row to connect again while no event comes. 0 or less is never.
    public var limit: Int
    /// How long to wait for a new connection, until the server names another time by `retry:`. Less than 100 ms, of either,
    /// counts as 100 ms.
    public var delay: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: How many times in a row to connect again while no event comes. By default for ever.
    ///   - delay: The wait before a new connection, at least 100 ms. It is doubled for each connection in a row that brought no
    ///     event, up to 30 s.
    public init(limit: Int = .max, delay: Duration = .seconds(3)) {
        self.limit = limit
        self.delay = delay
    }

    /// The stream ends with its connection.
    public static let never = EventReconnection(limit: 0)
    /// A new connection 3 s after one was lost, again and again.
    public static let standard = EventReconnection()

    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(30)

    /// The wait before a new connection, or `nil` for none.
    ///
    /// - Parameters:
    ///   - failures: How many connections in a row brought no event.
    ///   - asked: What the server asked for.
    func wait(failures: Int, asked: Duration?) -> Duration? {
        guard limit > 0, failures <= limit else { return nil }
        // No server is asked in a tight loop, not even one that asks for no wait at all.
        let delay = max(asked ?? delay, Self.shortest)
        guard failures > 1 else { return delay }
        let once = min(delay, Self.longest)
        return max(delay, min(once * (1 << min(failures - 1, 10)), Self.longest))
    }
}
