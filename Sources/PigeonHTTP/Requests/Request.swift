public import Foundation

/// A request to a server, independent of the server's address.
///
/// ``BasicRequest`` and ``MultiPartRequest`` conform. A type of your own needs the first five properties.
public protocol Request: Sendable {
    /// The method.
    var method: HTTPMethod { get }
    /// The name of the method as it is sent. The default is that of ``method``. See ``BasicRequest/methodName``.
    var methodName: String { get }
    /// The path below the server's base URL, with or without a leading slash. It is plain text without a query, and is
    /// percent-encoded as needed. ``RequestTarget`` splits a literal with a query.
    var path: String { get }
    /// The query items, added to the query of the base URL.
    var queryItems: [URLQueryItem] { get }
    /// Header fields. Names are compared without regard to case.
    var headers: [String: String] { get }
    /// The bytes to send, if all of them are in memory.
    var httpBody: Data? { get }
    /// The body to send. The default is ``httpBody``.
    var body: HTTPBody? { get }
    /// The longest time for one attempt, as in ``HTTPPolicy/timeout``. If `nil`, the default, the dispatcher's policy
    /// applies.
    var timeout: Duration? { get }
    /// An error in the request that could not be thrown when it was made. It is thrown instead of sending.
    var defect: RequestDefect? { get }
}

/// Another name of ``Request``, which no type of `PigeonREST` has. Use it where both modules are imported.
public typealias DispatcherRequest = Request

extension Request {
    /// The name of ``method``.
    public var methodName: String { method.rawValue }
    /// The bytes of ``httpBody``.
    public var body: HTTPBody? { httpBody.map(HTTPBody.data) }
    /// Returns `nil`: the dispatcher's policy applies.
    public var timeout: Duration? { nil }
    /// Returns `nil`: the request has no error.
    public var defect: RequestDefect? { nil }
}

/// The method of a request (RFC 9110, 9). A request can also have any other method: see ``BasicRequest/methodName``.
public enum HTTPMethod: String, Sendable, Hashable, CaseIterable, Codable {
    /// Requests the methods that a resource supports.
    case options = "OPTIONS"
    /// Requests a resource.
    case get = "GET"
    /// Requests the response to ``get`` without its body.
    case head = "HEAD"
    /// Submits data to a resource.
    case post = "POST"
    /// Replaces a resource.
    case put = "PUT"
    /// Changes a part of a resource.
    case patch = "PATCH"
    /// Removes a resource.
    case delete = "DELETE"
    /// Requests an echo of the request.
    case trace = "TRACE"
    /// Opens a tunnel. `URLSession` does not send it.
    case connect = "CONNECT"

    /// True if sending it twice has the same effect as sending it once (RFC 9110, 9.2.2), so that it can be repeated
    /// after a lost response.
    public var isIdempotent: Bool { rawValue.isIdempotentMethod }

    /// Creates the method with a name. Any other method is ``options`` to code that knows only these: it changes
    /// nothing on a server.
    init(named name: String) {
        self = HTTPMethod(rawValue: name) ?? .options
    }
}

extension String {
    /// True if the text can be the name of a method (RFC 9110, 9.1).
    var isMethodName: Bool { !isEmpty && utf8.allSatisfy(ASCIISet.token.contains) }

    /// True for the name of a method that IANA's registry of methods says is idempotent.
    var isIdempotentMethod: Bool { idempotentMethods.contains(self) }
}

private let idempotentMethods: Set<String> = [
    "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE", "GET", "HEAD", "LABEL", "LINK", "MERGE",
    "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "OPTIONS", "ORDERPATCH", "PRI",
    "PROPFIND", "PROPPATCH", "PUT", "QUERY", "REBIND", "REPORT", "SEARCH", "TRACE", "UNBIND", "UNCHECKOUT", "UNLINK",
    "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
]
