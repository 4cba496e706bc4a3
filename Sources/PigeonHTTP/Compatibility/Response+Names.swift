public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// The names that PiuPiu 1.4 to 1.11 has for what is known of an answer.

/// An answer of a server. Here each answer is one of HTTP, so it is a ``Response``.
public typealias HTTPResponse<Body: Sendable> = Response<Body>

extension ResponseInterface {
    /// The type of ``data``.
    public typealias Body = T

    /// The answer as Foundation has it: ``httpResponse``.
    public var urlResponse: URLResponse { httpResponse }
}

extension Response {
    /// The error that a status outside of 100 to 399 means: ``HTTPError/status(_:)``, with this answer.
    public var httpError: HTTPError? {
        error.map { .status(ErrorResponse(data: (data as? Data?) ?? nil, response: self, error: $0)) }
    }

    /// Creates an answer. Its status is that of Foundation's answer.
    public init(data: T, urlRequest: URLRequest, httpResponse: HTTPURLResponse) {
        let status = StatusCode(rawValue: httpResponse.statusCode)
        self.init(
            data: data, httpResponse: httpResponse, urlRequest: urlRequest, statusCode: status,
            error: status.makeError(cause: nil))
    }

    /// Creates an answer. Its status is that of Foundation's answer.
    public init(data: T, urlRequest: URLRequest, urlResponse: HTTPURLResponse) {
        self.init(data: data, urlRequest: urlRequest, httpResponse: urlResponse)
    }

    /// Creates an answer with something else as its data, such as what the bytes were decoded into.
    public init<R: ResponseInterface>(response: R, data: T) {
        self.init(
            data: data, head: response.head, statusCode: response.statusCode,
            error: response.statusCode.makeError(cause: nil))
    }
}

extension Response where T == Data? {
    /// This answer: an answer here is always one of HTTP.
    ///
    /// - Throws: Nothing; it is marked so that existing code with `try` needs no change.
    public func makeHTTPResponse() throws -> HTTPResponse<Data?> { self }

    /// The answer with the value that its body, which is JSON, stands for, whatever its status.
    ///
    /// - Parameters:
    ///   - type: What it stands for.
    ///   - decoder: Reads the body. By default one that reads dates as RFC 3339 has them.
    /// - Throws: ``SerializationError``: no body, or none that stands for such a value.
    public func decoded<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D> {
        withData(try decode(type, decoder: decoder ?? .rfc3339))
    }

    /// The answer with the value that its body stands for, as ``decoded(_:using:)``; `nil` for a 204, an empty body and
    /// `null`.
    ///
    /// - Throws: ``SerializationError`` for a body that does not stand for such a value.
    public func decodedIfPresent<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D?> {
        withData(try decodeIfPresent(type, decoder: decoder ?? .rfc3339))
    }

    /// The answer with the value that its body stands for, under an old name.
    @available(*, deprecated, renamed: "decoded(_:using:)")
    public func decodedResponse<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D> {
        try decoded(type, using: decoder)
    }

    /// The answer with the value that its body stands for, if there is one, under an old name.
    @available(*, deprecated, renamed: "decodedIfPresent(_:using:)")
    public func decodedResponseIfPresent<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Response<D?> {
        try decodedIfPresent(type, using: decoder)
    }
}

extension ResponseInterface where T == Data? {
    /// The value that the body, which is JSON, stands for: ``decode(_:decoder:)``.
    public func decode<D: Decodable>(_ type: D.Type, using decoder: JSONDecoder) throws(SerializationError) -> D {
        try decode(type, decoder: decoder)
    }

    /// The value that the body, which is JSON, stands for, if there is one: ``decodeIfPresent(_:decoder:)``.
    public func decodeIfPresent<D: Decodable>(
        _ type: D.Type, using decoder: JSONDecoder
    ) throws(SerializationError) -> D? {
        try decodeIfPresent(type, decoder: decoder)
    }
}

extension StatusCode {
    /// The system's words for the status, in the user's language where it has them.
    public var localizedDescription: String { HTTPURLResponse.localizedString(forStatusCode: rawValue) }
}

extension TransferProgress {
    /// The part of the body that was sent, from 0 to 1. `nil` if nothing is to be sent, or its size is not known.
    public var percentSent: Float? { Self.part(sent, of: expectedToSend) }

    /// The part of the answer that was received, from 0 to 1. `nil` as long as its size is not known.
    public var percentRecieved: Float? { Self.part(received, of: expectedToReceive) }

    /// The part of both transfers that is done, from 0 to 1. `nil` as long as neither size is known.
    public var percentTransferred: Float? {
        let parts = [percentSent, percentRecieved].compactMap(\.self)
        return parts.isEmpty ? nil : parts.reduce(0, +) / Float(parts.count)
    }

    private static func part(_ count: Int64, of total: Int64?) -> Float? {
        guard let total, total > 0 else { return nil }
        return Float(Double(count) / Double(total))
    }
}

/// What a wildcard of a path pattern stands for.
public typealias WildcardType = PathWildcardType

extension PathComponent: CustomStringConvertible {
    /// The text of a constant, or the type of a wildcard after a colon, such as `:integer`.
    public var description: String {
        switch self {
        case .constant(let text): text
        case .wildcard(let type): ":\(type)"
        }
    }

    /// The ``description``.
    public var displayValue: String { description }
}

extension Sequence where Element == PathComponent {
    /// The components as a path, such as `posts/:integer`.
    public var displayValue: String { map(\.displayValue).joined(separator: "/") }
}

extension PathValue: CustomStringConvertible {
    /// The ``string``.
    public var description: String { string }
}

extension Sequence where Element == PathValue {
    /// The values as a path, such as `posts/7`.
    public var string: String { map(\.string).joined(separator: "/") }
}
