public import Foundation

/// An answer that a ``MockTransport`` gives without a network.
///
/// ```swift
/// mock.answer(.get, "/users/7", with: .status(.serviceUnavailable), then: try .json(user).after(.seconds(2)))
/// ```
public struct MockAnswer: Sendable {
    enum Body: Sendable {
        case data(Data)
        case stream(@Sendable () -> HTTPChunks)
    }

    /// The status.
    public var status: StatusCode
    /// The header fields.
    public var headers: HTTPHeaders
    /// How long the head of the answer takes, on the mock's clock. If `nil`, the mock's own delay applies.
    public var delay: Duration?
    let body: Body
    private(set) var error: HTTPError?

    private init(_ body: Body, _ status: StatusCode, _ headers: HTTPHeaders) {
        self.body = body
        self.status = status
        self.headers = headers
    }

    /// Returns the same answer with a delay.
    ///
    /// - Parameter delay: How long the head of the answer takes, on the mock's clock.
    public func after(_ delay: Duration) -> MockAnswer {
        var later = self
        later.delay = delay
        return later
    }
}

extension MockAnswer {
    /// Creates an answer without a body. The status is a name or a number: `.status(.unauthorized)`, `.status(401)`.
    public static func status(_ status: StatusCode, headers: HTTPHeaders = [:]) -> MockAnswer {
        .data(Data(), status: status, headers: headers)
    }

    /// Creates an answer of bytes.
    public static func data(_ data: Data, status: StatusCode = .ok, headers: HTTPHeaders = [:]) -> MockAnswer {
        MockAnswer(.data(data), status, headers)
    }

    /// Creates an answer of text in UTF-8. It is `text/plain` unless the headers say otherwise.
    public static func text(_ text: String, status: StatusCode = .ok, headers: HTTPHeaders = [:]) -> MockAnswer {
        .data(Data(text.utf8), status: status, headers: headers.or("text/plain; charset=utf-8"))
    }

    /// Creates an answer of JSON. It is `application/json` unless the headers say otherwise.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - encoder: Encodes the value. The default writes dates as in RFC 3339.
    /// - Throws: The encoder's error.
    public static func json(
        _ value: some Encodable, status: StatusCode = .ok, headers: HTTPHeaders = [:],
        encoder: JSONEncoder? = nil
    ) throws -> MockAnswer {
        .data(try (encoder ?? .rfc3339).encode(value), status: status, headers: headers.or("application/json"))
    }

    /// Creates an answer whose body arrives in pieces.
    ///
    /// - Parameters:
    ///   - pieces: The pieces of the body.
    ///   - error: The error that ends the body after the pieces, such as `URLError(.networkConnectionLost)`. If `nil`,
    ///     the body ends normally.
    ///   - status: The status of the answer.
    ///   - headers: The headers of the answer.
    public static func pieces(
        _ pieces: [Data], endingWith error: (any Error)? = nil, status: StatusCode = .ok, headers: HTTPHeaders = [:]
    ) -> MockAnswer {
        .stream(status: status, headers: headers) {
            HTTPChunks { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish(throwing: error)
            }
        }
    }

    /// Creates an answer whose body is a stream. The mock releases the stream when its reader does.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - headers: The headers of the answer.
    ///   - make: Called for each request that gets this answer.
    public static func stream(
        status: StatusCode = .ok, headers: HTTPHeaders = [:], _ make: @escaping @Sendable () -> HTTPChunks
    ) -> MockAnswer {
        MockAnswer(.stream(make), status, headers)
    }

    /// Creates an error in place of an answer, such as `URLError(.notConnectedToInternet)`.
    public static func error(_ error: any Error) -> MockAnswer {
        var answer = status(.ok)
        answer.error = HTTPError(error)
        return answer
    }
}

extension HTTPHeaders {
    /// The fields, with a content type if they have none.
    fileprivate func or(_ contentType: String) -> HTTPHeaders {
        var headers = self
        headers["Content-Type"] = headers["Content-Type"] ?? contentType
        return headers
    }
}
