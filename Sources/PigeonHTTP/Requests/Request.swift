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
