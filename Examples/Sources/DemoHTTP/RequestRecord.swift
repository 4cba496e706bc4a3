/// Describes one request that reached a demo server.
public struct RequestRecord: Sendable, Equatable {
    /// The HTTP method, such as `GET`.
    public let method: String
    /// The path with its query, as it was asked for: `/posts?_page=2`.
    public let target: String
    /// Whether the request named an entity tag in `If-None-Match`.
    public let isConditional: Bool
    /// Whether the request had credentials that the server knows.
    public let isSignedIn: Bool
    /// The status of the answer; `nil` while the request waits, and where its connection was reset or closed.
    public internal(set) var status: Int?
    /// Whether the client closed its connection before the answer.
    public internal(set) var isAbandoned = false

    package init(method: String, target: String, isConditional: Bool = false, isSignedIn: Bool = false) {
        self.method = method
        self.target = target
        self.isConditional = isConditional
        self.isSignedIn = isSignedIn
    }
}
