public import Foundation

/// A request made of its parts.
///
/// ```swift
/// var request = BasicRequest(method: .post, path: "/users")
/// try request.setJSONBody(user)
/// ```
public struct BasicRequest: Request {
    /// What the server is asked to do.
    public var method: HTTPMethod
    /// The path below the server's base URL, with or without a leading slash.
    public var path: String
    /// The query, added to what the base URL has.
    public var queryItems: [URLQueryItem]
    /// Header fields. Names are compared without regard to case.
    public var headers: [String: String]
    /// What is sent: bytes, files or both. Setting it leaves the headers alone.
    public var body: HTTPBody? {
        didSet { defect = nil }
    }
    /// The longest time for one attempt, as in ``HTTPPolicy/timeout``. `nil` leaves it to the dispatcher.
    public var timeout: Duration?
    /// What is wrong with the request, where it could not be said at once. It is thrown in place of sending.
    public internal(set) var defect: RequestDefect?

    /// Creates a request without a body.
    ///
    /// - Parameters:
    ///   - method: What the server is asked to do.
    ///   - path: The path below the server's base URL, as plain text.
    ///   - queryItems: The query.
    ///   - headers: Header fields.
    public init(
        method: HTTPMethod, path: String, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) {
        self.method = method
        self.path = path
        self.queryItems = queryItems
        self.headers = headers
    }

    /// The bytes of ``body``: `nil` when there is none, or when files take part. Setting them leaves the headers alone.
    public var httpBody: Data? {
        get { body?.bytes }
        set { body = newValue.map(HTTPBody.data) }
    }
}
