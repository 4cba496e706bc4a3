public import PigeonCore
internal import PigeonFleet
internal import PigeonOutbox

/// The state of a client, for an answer to `GET /health`.
///
/// ```swift
/// let health = client.health(of: [catalog])
/// let body = try JSONEncoder().encode(health)
/// return health.isReady ? (200, body) : (503, body)
/// ```
public struct ClientHealth: Sendable, Hashable, Codable {
    /// False once the client is closed, so that it should get no more requests.
    public let isReady: Bool
    /// The problems, as sentences without secrets. The client goes on answering if it can.
    public let problems: [String]
    /// The number of entries that are fetched.
    public let fetches: Int
    /// The number of mutations that run.
    public let mutations: Int
    /// The number of entries in memory.
    public let entries: Int
    /// The size of all values in memory, in bytes. `nil` without a budget.
    public let bytes: Int?
}

extension QueryClient {
    /// The state of the client now.
    ///
    /// - Parameter upstreams: The upstreams that are looked at, too.
    public func health(of upstreams: [Upstream] = []) -> ClientHealth {
        var problems: [String] = []
        if isClosed { problems.append("the client is closed") }
        if let fleet, !fleet.isConnected { problems.append("the fleet's store cannot be used") }
        let setAside = outbox.snapshot.setAside.count
        if setAside > 0 { problems.append("\(setAside) mutations are set aside") }
        for upstream in upstreams where upstream.load.waiting > 0 && upstream.load.waiting >= upstream.queue {
            problems.append("the queue of \(upstream.name) is full")
        }
        let activity = activity()
        return ClientHealth(
            isReady: !isClosed, problems: problems, fetches: activity.fetchCount, mutations: activity.mutationCount,
            entries: count, bytes: bytesInMemory)
    }
}
