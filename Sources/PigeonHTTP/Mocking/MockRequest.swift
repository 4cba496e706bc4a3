public import Foundation

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
