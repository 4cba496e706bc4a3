public import Foundation

/// A request made of its parts.
///
/// ```swift
/// var request = BasicRequest(method: .post, path: "/users")
/// try request.setJSONBody(user)
/// ```
public struct BasicRequest: Request {
    /// The method. For a name that is none of ``HTTPMethod``, it is ``HTTPMethod/options``.
    public var method: HTTPMethod {
        get { HTTPMethod(named: methodName) }
        set { methodName = newValue.rawValue }
    }
    /// The name of the method as it is sent: any token, such as `PROPFIND` or `PURGE`. Case matters.
    ///
    /// ```swift
    /// let folder = BasicRequest(methodName: "PROPFIND", path: "/files", headers: ["Depth": "1"])
    /// ```
    ///
    /// The policy retries a method that IANA's registry calls idempotent, and any other only with an `Idempotency-Key`.
    public var methodName: String
    /// The path below the server's base URL, with or without a leading slash.
    public var path: String
    /// The query items, added to the query of the base URL.
    public var queryItems: [URLQueryItem]
    /// Header fields. Names are compared without regard to case.
    public var headers: [String: String]
    /// The body: bytes, files or both. Setting it leaves the headers alone.
    public var body: HTTPBody? {
        didSet { defect = nil }
    }
    /// The longest time for one attempt, as in ``HTTPPolicy/timeout``. If `nil`, the dispatcher's policy applies.
    public var timeout: Duration?
    /// An error in the request that could not be thrown when it was made. It is thrown instead of sending.
    public internal(set) var defect: RequestDefect?

    /// Creates a request without a body, for a path in a literal such as `"/users?page=2"`.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path below the server's base URL, with or without a query: see ``RequestTarget``.
    ///   - query: The values of the query, which follow those in the path. A value that is `nil` is left out.
    ///   - queryItems: More query items.
    ///   - headers: The header fields.
    public init(
        method: HTTPMethod, path target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) {
        methodName = method.rawValue
        self.path = target.path
        self.queryItems = target.items(adding: query, queryItems)
        self.headers = headers
    }

    /// Creates a request without a body, with a method of any name, such as `PROPFIND`.
    ///
    /// - Parameters:
    ///   - methodName: The name of the method. Case matters.
    ///   - target: The path below the server's base URL, with or without a query: see ``RequestTarget``.
    ///   - query: The values of the query, which follow those in the path. A value that is `nil` is left out.
    ///   - queryItems: More query items.
    ///   - headers: The header fields.
    public init(
        methodName: String, path target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) {
        self.init(method: .options, path: target, query: query, queryItems: queryItems, headers: headers)
        self.methodName = methodName
    }

    /// Creates a request without a body, for a path in a variable.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the server's base URL, as plain text.
    ///   - queryItems: The query items.
    ///   - headers: The header fields.
    @_disfavoredOverload  // a literal is a RequestTarget; Swift 6.3 reads it as a String unless this is generic too
    public init<Path: StringProtocol>(
        method: HTTPMethod, path: Path, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) {
        methodName = method.rawValue
        self.path = String(path)
        self.queryItems = queryItems
        self.headers = headers
    }

    /// The bytes of ``body``. `nil` if there is no body, or if it contains files. Setting them leaves the headers
    /// alone.
    public var httpBody: Data? {
        get { body?.bytes }
        set { body = newValue.map(HTTPBody.data) }
    }
}

extension BasicRequest: JSONBodyRequest {
    /// Sets the body to a value as JSON, with sorted keys: a server that knows the request by its `Idempotency-Key` may
    /// compare the bytes of its repetitions.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - dateEncodingStrategy: The form of dates. ``ResponseInterface`` reads the default form by default.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the place in the value.
    public mutating func setJSONBody<T: Encodable>(
        encodable: T, dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .rfc3339
    ) throws(RequestDefect) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dateEncodingStrategy
        encoder.outputFormatting = .sortedKeys
        try setJSONBody(encodable: encodable, encoder: encoder)
    }

    /// Sets the body to a value as JSON.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - dateEncodingStrategy: The form of dates. ``ResponseInterface`` reads the default form by default.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the place in the value.
    public mutating func setJSONBody<T: Encodable>(
        _ encodable: T, dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .rfc3339
    ) throws(RequestDefect) {
        try setJSONBody(encodable: encodable, dateEncodingStrategy: dateEncodingStrategy)
    }

    /// Sets the body to a text, and leaves the headers alone.
    ///
    /// A text that the encoding cannot express becomes the request's ``defect``, which is thrown instead of sending.
    public mutating func setHTTPBody(string: String, encoding: String.Encoding = .utf8) {
        httpBody = string.data(using: encoding)
        guard body == nil else { return }
        defect = .invalidBody(reason: "the text cannot be written in the requested encoding (\(encoding))")
    }

    /// Sets `Content-Type` to JSON, unless the headers have a `Content-Type` in any case of letters.
    public mutating func ensureJSONContentType() {
        headers.ensureContentType("application/json")
    }
}

extension BasicRequest {
    /// Makes the request conditional: the server responds with ``StatusCode/notModified`` if the resource still has
    /// these validators (RFC 9110, 13.1).
    ///
    /// - Parameter validators: The validators of the cached copy. They replace those set before; empty ones remove
    ///   them.
    public mutating func setValidators(_ validators: FetchValidators) {
        headers.set(validators)
    }

    /// Lets the server recognize repetitions of the request, by the header `Idempotency-Key`. The dispatcher's policy may
    /// then retry the request whatever its method is.
    ///
    /// - Parameter key: The key, which is the same for all attempts at one change, such as that of a mutation's context.
    public mutating func setIdempotencyKey(_ key: String) {
        headers.set(key, for: "Idempotency-Key")
    }
}
