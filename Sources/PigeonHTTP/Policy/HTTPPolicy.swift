public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// How a ``NetworkDispatcher`` treats all its requests. A value.
///
/// ```swift
/// var policy = HTTPPolicy()
/// policy.retry = .standard                    // what is transient, backing off, obeying Retry-After
/// policy.totalTimeout = .seconds(30)
/// policy.requestsPerHost = 8
/// let dispatcher = NetworkDispatcher(baseURL: url, policy: policy)
/// ```
public struct HTTPPolicy: Sendable {
    /// Header fields of every request that does not set them itself.
    public var headers: HTTPHeaders = [:]

    /// The longest time for one attempt, where the request does not say. `nil` for no limit.
    ///
    /// For a whole answer, it is the time until all of it is there. For a stream, a download and events, it is the time until
    /// the head is there, and after that the longest silence while the next piece is waited for. It does not count while
    /// the request waits for its turn (``requestsPerHost``).
    public var timeout: Duration? = .seconds(60)

    /// The longest time for a request with all its attempts, the waits between them and for its turn included, until the
    /// last byte of the answer is read. `nil` for no limit. For events, it is the longest time for one connection.
    public var totalTimeout: Duration?

    /// The most bytes of an answer that is held in memory. `nil` for no limit. By default 64 MiB.
    public var bodyLimit: Int? = 64 << 20

    /// Whether and when a request is repeated. By default never.
    ///
    /// Only what may be sent twice is repeated: idempotent methods, and requests with an `Idempotency-Key`.
    public var retry: RetryPolicy = .never

    /// How redirects are followed. By default up to ten.
    public var redirects: RedirectPolicy = .follow(limit: 10)

    /// The most requests under way to one host and port; others wait for their turn. `nil`, the default, for no limit
    /// beside the transport's own.
    public var requestsPerHost: Int?

    /// Puts a token on requests, and gets a new one when it is refused.
    public var authorization: TokenAuthorization?

    /// Change each request before it is sent, in their order; each attempt anew.
    public var requestAdapters: [any URLRequestAdapter] = []

    /// Change each whole answer before it is returned, in their order.
    public var responseAdapters: [any URLResponseAdapter] = []

    /// Creates a policy with the defaults.
    public init() {}
}

/// How redirects are followed.
///
/// A redirect to another origin takes along only the header fields that say what is asked for: no credentials, no
/// cookies, no keys.
public enum RedirectPolicy: Sendable, Hashable {
    /// A redirect is the answer.
    case never
    /// Redirects are followed, up to this many for one request.
    case follow(limit: Int)
}

/// Changes requests before they are sent: signs them, adds headers, moves them elsewhere.
///
/// A request that is moved to another server goes without the policy's token and without its own `Authorization`,
/// `Proxy-Authorization` and `Cookie` fields, and of the policy's headers takes along only those that say what is asked for.
/// Fields that an adapter sets or changes go along.
public protocol URLRequestAdapter: Sendable {
    /// Returns the request to send in place of `request`. What it throws ends the request.
    ///
    /// A body that comes from a file is not part of `request`, and stays unless the result has a body.
    func adapt(_ request: URLRequest) async throws -> URLRequest
}

/// Changes whole answers before they are returned.
public protocol URLResponseAdapter: Sendable {
    /// Returns the answer to return in place of `response`. What it throws ends the request.
    func adapt(_ response: Response<Data?>) async throws -> Response<Data?>
}
