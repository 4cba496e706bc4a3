public import Foundation

extension Dispatcher {
    /// Asks for a value as JSON.
    ///
    /// ```swift
    /// let user: User = try await dispatcher.value(from: .get("/users/1"))
    /// ```
    ///
    /// Cancelling the task ends the request.
    ///
    /// - Parameters:
    ///   - request: What to ask.
    ///   - type: What to decode. An `Optional` is `nil` where the answer has no body.
    ///   - decoder: How to decode. By default JSON with dates as RFC 3339 has them.
    /// - Throws: ``HTTPError/status(_:)`` for an answer that is no success (2xx), ``HTTPError/decoding(_:_:)`` for one that
    ///   is not understood; both have the answer.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, from request: some Request, decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Value {
        try await success(of: request).value(type, decoder: decoder)
    }

    /// Asks for bytes, which may be none.
    ///
    /// - Throws: ``HTTPError``; ``HTTPError/status(_:)`` for an answer that is no success (2xx).
    public func data(from request: some Request) async throws(HTTPError) -> Data {
        try await success(of: request).data ?? Data()
    }

    /// Asks for a text, in the character set that the answer names, or UTF-8.
    ///
    /// - Throws: ``HTTPError``; ``HTTPError/status(_:)`` for an answer that is no success (2xx).
    public func string(from request: some Request) async throws(HTTPError) -> String {
        let response = try await success(of: request)
        guard response.data?.isEmpty == false else { return "" }
        return try response.decoding { (response) throws in try response.decodeString() }
    }

    /// Asks, and wants no more than a success.
    ///
    /// - Throws: ``HTTPError``; ``HTTPError/status(_:)`` for an answer that is no success (2xx).
    public func send(_ request: some Request) async throws(HTTPError) {
        _ = try await success(of: request)
    }

    private func success(of request: some Request) async throws(HTTPError) -> Response<Data?> {
        try await response(from: request, report: nil).orStatusError()
    }
}

extension Response where T == Data? {
    /// The answer itself where it is a success; its status is an error else, that of a redirect included.
    package func orStatusError() throws(HTTPError) -> Self {
        guard statusCode.type != .success else { return self }
        throw .status(ErrorResponse(data: data, response: self, error: error ?? .unknown(cause: nil)))
    }

    /// The value that the body holds.
    package func value<Value: Decodable & Sendable>(
        _ type: Value.Type, decoder: JSONDecoder?
    ) throws(HTTPError) -> Value {
        if data?.isEmpty != false, let none = (type as? any Absent.Type)?.absent as? Value { return none }
        return try decoding { (response) throws in
            guard let decoder else { return try response.decode(type) }
            return try response.decode(type, decoder: decoder)
        }
    }

    /// What `decode` makes of the answer; what it throws goes along with the answer.
    package func decoding<Value>(_ decode: (Self) throws -> Value) throws(HTTPError) -> Value {
        do {
            return try decode(self)
        } catch let error as SerializationError {
            throw .decoding(error, self)
        } catch {
            throw .decoding(.failedToDecodeResponseData(cause: error), self)
        }
    }
}

/// A type that has a value for "nothing".
private protocol Absent {
    static var absent: Any { get }
}

extension Optional: Absent {
    fileprivate static var absent: Any { none as Any }
}
