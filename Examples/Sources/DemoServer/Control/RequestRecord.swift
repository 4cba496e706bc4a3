/// Describes one request that reached a ``DemoServer``.
public struct RequestRecord: Sendable, Equatable {
    /// The HTTP method, such as `GET`.
    public let method: String
    /// The path with its query, as it was asked for: `/posts?_page=2`.
    public let target: String
    /// Whether the request named an entity tag in `If-None-Match`.
    public let isConditional: Bool
    /// The status of the answer; `nil` while the request waits, and where its connection was reset or closed.
    public internal(set) var status: Int?
}
