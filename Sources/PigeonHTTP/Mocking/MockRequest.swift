public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// What a ``MockTransport`` was asked, as a server would see it.
public struct MockRequest: Sendable {
    /// What the server is asked to do.
    public let method: HTTPMethod
    /// The whole address.
    public let url: URL
    /// The path in plain text, beginning with a slash, without that of the mock's base URL.
    public let path: String
    /// The query, in its order.
    public let queryItems: [URLQueryItem]
    /// The header fields.
    public let headers: HTTPHeaders
    /// What was sent along; files have been read.
    public let body: Data?
    /// The longest time the answer may take.
    public let timeout: Duration?

    init(_ request: TransportRequest, below base: URL?) throws(RequestDefect) {
        let components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        method = request.method
        url = request.url
        path = "/" + (request.url.pathParts(below: base)?.joined(separator: "/") ?? request.url.path)
        queryItems = components?.queryItems ?? []
        headers = request.headers
        body = try request.body?.read()
        timeout = request.timeout
    }

    /// The first value of a name in the query.
    public func query(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// The body, decoded.
    ///
    /// - Parameters:
    ///   - type: What it is.
    ///   - decoder: Reads it. By default one that reads dates as RFC 3339 has them.
    /// - Throws: ``SerializationError/unexpectedEmptyResponse`` without a body, and what the decoder throws.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) throws -> Value {
        guard let body else { throw SerializationError.unexpectedEmptyResponse }
        return try (decoder ?? .rfc3339).decode(type, from: body)
    }
}

/// A mock was asked what it has no answer for.
public struct UnscriptedRequest: Error, Sendable, Hashable {
    /// What the mock was asked to do.
    public let method: HTTPMethod
    /// To what; without the query.
    public let path: String

    /// Creates an error.
    public init(method: HTTPMethod, path: String) {
        self.method = method
        // A query that was written into the path may hold a token.
        self.path = String(path.prefix { $0 != "?" })
    }
}

extension UnscriptedRequest: PlainlyDescribedError, LocalizedError {
    /// Says what was asked, and what to do.
    public var description: String {
        "No answer is scripted for \(method.rawValue) \(path). Script one: "
            + "answer(.\(method.rawValue.lowercased()), \"\(path)\", with: …)."
    }

    /// The description.
    public var errorDescription: String? { description }
}

extension Response where T == Data? {
    /// Makes an answer to a request, for a dispatcher of one's own in a test.
    ///
    /// - Parameters:
    ///   - urlRequest: What was asked.
    ///   - data: The body.
    ///   - statusCode: The status.
    ///   - headers: The header fields.
    /// - Throws: ``RequestError/missingURL`` when the request has no address, and ``RequestError/invalidURL(cause:)`` when
    ///   Foundation makes no answer of it.
    public static func makeMockResponse(
        with urlRequest: URLRequest, data: Data? = nil, statusCode: StatusCode, headers: [String: String] = [:]
    ) throws(RequestError) -> Response<Data?> {
        guard let url = urlRequest.url else { throw .missingURL }
        let made = HTTPURLResponse(
            url: url, statusCode: statusCode.rawValue, httpVersion: "HTTP/1.1", headerFields: headers)
        guard let made else { throw .invalidURL(cause: URLError(.badURL)) }
        return Response(
            data: data, httpResponse: made, urlRequest: urlRequest, statusCode: statusCode,
            error: statusCode.makeError(cause: nil))
    }

    /// Makes an answer whose body is a value as JSON.
    ///
    /// - Parameters:
    ///   - urlRequest: What was asked.
    ///   - encodable: The body.
    ///   - statusCode: The status.
    ///   - headers: The header fields; `Content-Type` is added where they have none.
    ///   - encoder: Writes the value. By default one that writes dates as RFC 3339 has them.
    /// - Throws: ``RequestError/missingURL`` when the request has no address, and what the encoder throws.
    public static func makeMockJSONResponse(
        with urlRequest: URLRequest, encodable: some Encodable, statusCode: StatusCode,
        headers: [String: String] = [:], encoder: JSONEncoder? = nil
    ) throws -> Response<Data?> {
        var headers = HTTPHeaders(headers)
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        return try makeMockResponse(
            with: urlRequest, data: try (encoder ?? .rfc3339).encode(encodable), statusCode: statusCode,
            headers: headers.dictionary)
    }
}
