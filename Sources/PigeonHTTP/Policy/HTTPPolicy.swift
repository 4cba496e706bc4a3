public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Timeouts, retries, limits and credentials of all requests of a ``NetworkDispatcher``. A value.
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

    /// The longest time for one attempt, for requests without a timeout of their own. `nil` for no limit.
    ///
    /// For a whole response, it is the time until all of it has arrived. For a stream, a download and events, it is the
    /// time until the head has arrived, and after that the longest silence while a reader waits for the next piece. The
    /// time that a request waits for a permit (``requestsPerHost``) does not count.
    public var timeout: Duration? = .seconds(60)

    /// The longest time for a request until the last byte of the response is read. It includes all attempts, the waits
    /// between them and the wait for a permit. `nil` for no limit. For events, it is the longest time for one
    /// connection.
    public var totalTimeout: Duration?

    /// The largest response body that is held in memory, in bytes. `nil` for no limit. The default is 64 MiB.
    public var bodyLimit: Int? = 64 << 20

    /// The policy by which a request is retried. The default is never.
    ///
    /// Only requests that can be sent twice are repeated: idempotent methods, and requests with an `Idempotency-Key`.
    ///
    /// This policy does not apply in a fetch of a `QueryClient` whose definition retries: each attempt sends its requests
    /// once, and the client retries the fetch. If the definition does not retry, or if nobody awaits or observes the fetch,
    /// each request of its fetcher is retried by this policy. So are requests outside of a fetch, those of a mutation, and the loads of a `Service`'s resources.
    public var retry: RetryPolicy = .never

    /// How redirects are followed. The default is up to ten.
    public var redirects: RedirectPolicy = .follow(limit: 10)

    /// The largest number of requests in flight to one host and port. Others wait. With `nil`, the default, only the
    /// transport's own limit applies.
    public var requestsPerHost: Int?

    /// Adds a token to requests, and renews it when it is refused.
    public var authorization: TokenAuthorization?

    /// Adapters that change each request before it is sent, in this order, and again for each attempt.
    public var requestAdapters: [any URLRequestAdapter] = []

    /// Adapters that change each whole response before it is returned, in this order.
    public var responseAdapters: [any URLResponseAdapter] = []

    /// Reads the server's message for users from a response that is an error. With `nil`, the default, no text of a server
    /// is shown to users.
    ///
    /// ```swift
    /// policy.errorMessage = { answer in try answer.decode([String: String].self)["message"] }
    /// ```
    ///
    /// The message becomes the `userMessage` and the `localizedDescription` of ``HTTPError/status(_:)``, which the
    /// library's views show. Descriptions for logs do not contain it. If the closure throws, or returns `nil` or an empty
    /// text, users see the text for the status. Called on any thread. Not called for a request that names another server
    /// than the dispatcher's, or that was redirected to one.
    public var errorMessage: MessageReader?

    /// Returns the server's message for users in the body of a response.
    public typealias MessageReader = @Sendable (_ answer: Response<Data?>) throws -> String?

    /// Creates a policy with the defaults.
    public init() {}
}

/// How redirects are followed.
///
/// A redirect to another origin is sent only the header fields that describe the wanted response: no credentials, no
/// cookies, no keys.
public enum RedirectPolicy: Sendable, Hashable {
    /// A redirect is returned as the response.
    case never
    /// Redirects are followed, up to this number for one request.
    case follow(limit: Int)
}

/// Changes requests before they are sent: signs them, adds headers, moves them elsewhere.
///
/// A request that is moved to another server is sent without the policy's token and without its own `Authorization`,
/// `Proxy-Authorization` and `Cookie` fields. Of the policy's headers it keeps only those that describe the wanted
/// response. Fields that an adapter sets or changes are sent.
public protocol URLRequestAdapter: Sendable {
    /// Returns the request to send instead of `request`. A thrown error ends the request.
    ///
    /// A body that comes from a file is not part of `request`, and stays unless the result has a body.
    func adapt(_ request: URLRequest) async throws -> URLRequest
}

/// Changes whole responses before they are returned.
public protocol URLResponseAdapter: Sendable {
    /// Returns the response to return instead of `response`. A thrown error ends the request.
    func adapt(_ response: Response<Data?>) async throws -> Response<Data?>
}
