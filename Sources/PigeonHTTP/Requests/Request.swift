public import Foundation

/// What to ask a server, without saying which server.
///
/// ``BasicRequest`` and ``MultiPartRequest`` are the stock ones. A type of your own needs the first five properties.
public protocol Request: Sendable {
    /// What the server is asked to do.
    var method: HTTPMethod { get }
    /// The path below the server's base URL, with or without a leading slash. Plain text: what a URL cannot hold is encoded.
    var path: String { get }
    /// The query, added to what the base URL has.
    var queryItems: [URLQueryItem] { get }
    /// Header fields. Names are compared without regard to case.
    var headers: [String: String] { get }
    /// The bytes to send, where they are all at hand.
    var httpBody: Data? { get }
    /// What is sent. By default ``httpBody``.
    var body: HTTPBody? { get }
    /// The longest time for one attempt, as in ``HTTPPolicy/timeout``. `nil`, the default, leaves it to the dispatcher.
    var timeout: Duration? { get }
    /// What is wrong with the request, where that could not be said when it was made. It is thrown in place of sending.
    var defect: RequestDefect? { get }
}

extension Request {
    /// The bytes of ``httpBody``.
    public var body: HTTPBody? { httpBody.map(HTTPBody.data) }
    /// Left to the dispatcher.
    public var timeout: Duration? { nil }
    /// Nothing.
    public var defect: RequestDefect? { nil }
}

/// What a request asks the server to do (RFC 9110, 9).
public enum HTTPMethod: String, Sendable, Hashable, CaseIterable, Codable {
    /// Asks which methods a resource knows.
    case options = "OPTIONS"
    /// Asks for a resource.
    case get = "GET"
    /// Asks for what ``get`` would answer, without the body.
    case head = "HEAD"
    /// Hands something in.
    case post = "POST"
    /// Replaces a resource.
    case put = "PUT"
    /// Changes parts of a resource.
    case patch = "PATCH"
    /// Removes a resource.
    case delete = "DELETE"
    /// Asks for what the server received.
    case trace = "TRACE"
    /// Opens a tunnel. `URLSession` does not send it.
    case connect = "CONNECT"

    /// Whether sending it twice does what sending it once does (RFC 9110, 9.2.2), so that a lost answer may be asked again.
    public var isIdempotent: Bool {
        switch self {
        case .options, .get, .head, .put, .delete, .trace: true
        case .post, .patch, .connect: false
        }
    }
}
