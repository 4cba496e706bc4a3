public import Foundation
public import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// The names of PiuPiu 1.4 to 1.11 for the parts of a response.

/// A response of a server. Every response here is one of HTTP, so it is a `Response`.
public typealias HTTPResponse<Body: Sendable> = Response<Body>

extension ResponseInterface {
    /// The type of `data`.
    public typealias Body = T

    /// Foundation's form of the response: `httpResponse`.
    public var urlResponse: URLResponse { httpResponse }
}

extension Response {
    /// Creates a response with the status of Foundation's.
    public init(data: T, urlRequest: URLRequest, urlResponse: HTTPURLResponse) {
        self.init(data: data, urlRequest: urlRequest, httpResponse: urlResponse)
    }

    /// Creates a response with other data, such as the value that the bytes were decoded into.
    public init<R: ResponseInterface>(response: R, data: T) {
        self.init(
            data: data, head: response.head, statusCode: response.statusCode,
            error: response.statusCode.makeError(cause: nil))
    }
}

extension Response where T == Data? {
    /// Returns this response: every response here is one of HTTP.
    ///
    /// - Throws: Nothing. It is marked as throwing so that existing code with `try` needs no change.
    public func makeHTTPResponse() throws -> HTTPResponse<Data?> { self }

    /// Returns the response with its body decoded as JSON, whatever its status.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Decodes the body. The default reads dates as in RFC 3339.
    /// - Throws: `SerializationError` if there is no body, or if it cannot be decoded.
    public func decoded<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D> {
        withData(try decode(type, decoder: decoder))
    }

    /// Returns the response with its body decoded, as ``decoded(_:using:)`` does. The data is `nil` for a 204, an empty
    /// body and `null`.
    ///
    /// - Throws: `SerializationError` if the body cannot be decoded.
    public func decodedIfPresent<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D?> {
        withData(try decodeIfPresent(type, decoder: decoder))
    }

    /// Returns the response with its body decoded. An old name.
    @available(*, deprecated, renamed: "decoded(_:using:)")
    public func decodedResponse<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D> {
        try decoded(type, using: decoder)
    }

    /// Returns the response with its body decoded, if there is one. An old name.
    @available(*, deprecated, renamed: "decodedIfPresent(_:using:)")
    public func decodedResponseIfPresent<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D?> {
        try decodedIfPresent(type, using: decoder)
    }
}

extension ResponseInterface where T == Data? {
    /// Decodes the body as JSON, as `decode(_:decoder:)` does.
    public func decode<D: Decodable>(_ type: D.Type, using decoder: JSONDecoder) throws(SerializationError) -> D {
        try decode(type, decoder: decoder)
    }

    /// Decodes the body as JSON, if there is one, as `decodeIfPresent(_:decoder:)` does.
    public func decodeIfPresent<D: Decodable>(
        _ type: D.Type, using decoder: JSONDecoder
    ) throws(SerializationError) -> D? {
        try decodeIfPresent(type, decoder: decoder)
    }
}

extension StatusCode {
    /// The system's text for the status, in the user's language if available.
    public var localizedDescription: String { HTTPURLResponse.localizedString(forStatusCode: rawValue) }
}

extension TransferProgress {
    /// The sent part of the body, from 0 to 1. `nil` if there is nothing to send, or its size is not known.
    public var percentSent: Float? { Self.part(sent, of: expectedToSend) }

    /// The received part of the response, from 0 to 1. `nil` as long as its size is not known.
    public var percentRecieved: Float? { Self.part(received, of: expectedToReceive) }

    /// The completed part of both transfers, from 0 to 1. `nil` as long as neither size is known.
    public var percentTransferred: Float? {
        let parts = [percentSent, percentRecieved].compactMap(\.self)
        return parts.isEmpty ? nil : parts.reduce(0, +) / Float(parts.count)
    }

    /// The state of a transfer whose progress is reported: it runs.
    @available(*, deprecated, message: "Progress is reported only while the transfer runs.")
    public var state: URLSessionTask.State { .running }

    private static func part(_ count: Int64, of total: Int64?) -> Float? {
        guard let total, total > 0 else { return nil }
        return Float(Double(count) / Double(total))
    }
}

extension PathComponent {
    /// The `description`.
    public var displayValue: String { description }
}

extension Sequence where Element == PathComponent {
    /// The components as a path, such as `posts/:integer`.
    public var displayValue: String { map(\.displayValue).joined(separator: "/") }
}

extension Sequence where Element == PathValue {
    /// The values as a path, such as `posts/7`.
    public var string: String { map(\.string).joined(separator: "/") }
}
