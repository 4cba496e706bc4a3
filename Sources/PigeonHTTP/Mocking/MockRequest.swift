public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A request that a ``MockTransport`` received, as a server would see it.
public struct MockRequest: Sendable {
    /// The method. For a name that is none of ``HTTPMethod``, it is ``HTTPMethod/options``.
    public var method: HTTPMethod { HTTPMethod(named: methodName) }
    /// The name of the method, such as `GET` or `PROPFIND`.
    public let methodName: String
    /// The whole address.
    public let url: URL
    /// The decoded path, beginning with a slash and without the path of the mock's base URL.
    public let path: String
    /// The query items in their order.
    public let queryItems: [URLQueryItem]
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body. The contents of files have been read.
    public let body: Data?
    /// The longest time that the answer may take.
    public let timeout: Duration?

    init(_ request: TransportRequest, below base: URL?) throws(RequestDefect) {
        let components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        methodName = request.methodName
        url = request.url
        path = "/" + (request.url.pathParts(below: base)?.joined(separator: "/") ?? request.url.path)
        queryItems = components?.queryItems ?? []
        headers = request.headers
        body = try request.body?.read()
        timeout = request.timeout
    }

    /// Returns the first value with a name in the query.
    public func query(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// Decodes the body.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Decodes the body. The default reads dates as in RFC 3339.
    /// - Throws: ``SerializationError/unexpectedEmptyResponse`` without a body, and the decoder's error.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) throws -> Value {
        guard let body else { throw SerializationError.unexpectedEmptyResponse }
        return try (decoder ?? .rfc3339).decode(type, from: body)
    }
}

/// A request that a mock has no answer for.
public struct UnscriptedRequest: Error, Sendable, Hashable {
    /// The method of the request.
    public let method: HTTPMethod
    /// The path of the request, without the query.
    public let path: String

    /// Creates an error.
    public init(method: HTTPMethod, path: String) {
        self.method = method
        // A query that was written into the path can contain a token.
        self.path = String(path.prefix { $0 != "?" })
    }
}

extension UnscriptedRequest: PlainlyDescribedError, LocalizedError {
    /// Names the request, and how to script an answer.
    public var description: String {
        "No answer is scripted for \(method.rawValue) \(path). Script one: "
            + "answer(.\(method.rawValue.lowercased()), \"\(path)\", with: …)."
    }

    /// The description: the users of mocks are developers, and see in a preview which answer is missing.
    public var errorDescription: String? { description }
}

extension Response where T == Data? {
    /// Creates a response to a request, for a dispatcher of your own in a test.
    ///
    /// - Parameters:
    ///   - urlRequest: The request.
    ///   - data: The body.
    ///   - statusCode: The status.
    ///   - headers: The header fields.
    /// - Throws: ``RequestError/missingURL`` if the request has no address, and ``RequestError/invalidURL(cause:)`` if
    ///   Foundation cannot create a response from it.
    public static func makeMockResponse(
        with urlRequest: URLRequest, data: Data? = nil, statusCode: StatusCode, headers: [String: String] = [:]
    ) throws(RequestError) -> Response<Data?> {
        guard let url = urlRequest.url else { throw .missingURL }
        let made = HTTPURLResponse(
            url: url, statusCode: statusCode.rawValue, httpVersion: "HTTP/1.1", headerFields: headers)
        guard let made else { throw .invalidURL(cause: URLError(.badURL)) }
        return Response(data: data, urlRequest: urlRequest, httpResponse: made)
    }

    /// Creates a response whose body is a value as JSON.
    ///
    /// - Parameters:
    ///   - urlRequest: The request.
    ///   - encodable: The body.
    ///   - statusCode: The status.
    ///   - headers: The header fields. `Content-Type` is added if they do not have it.
    ///   - encoder: Encodes the value. The default writes dates as in RFC 3339.
    /// - Throws: ``RequestError/missingURL`` if the request has no address, and the encoder's error.
    public static func makeMockJSONResponse(
        with urlRequest: URLRequest, encodable: some Encodable, statusCode: StatusCode,
        headers: [String: String] = [:], encoder: JSONEncoder? = nil
    ) throws -> Response<Data?> {
        var headers = headers
        headers.ensureContentType("application/json")
        return try makeMockResponse(
            with: urlRequest, data: try (encoder ?? .rfc3339).encode(encodable), statusCode: statusCode,
            headers: headers)
    }
}
