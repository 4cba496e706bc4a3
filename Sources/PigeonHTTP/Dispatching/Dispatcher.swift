public import Foundation

/// Turns requests into answers.
///
/// One function is enough for a dispatcher of your own, over another HTTP library for example: ``future(from:)``. All
/// else has a default built on it.
public protocol Dispatcher: Sendable {
    /// Returns a future that asks when it is started, and not before.
    ///
    /// An answer with any status is a success of the future; ``Response/error`` says what a status of 400 or more means.
    func future(from request: any Request) -> ResponseFuture<Response<Data?>>

    /// Asks, and returns the answer whatever its status.
    func response(
        from request: any Request, report: TransferReport?
    ) async throws(HTTPError) -> Response<Data?>

    /// Asks, and returns as soon as the head of the answer is there, whatever its status. The default returns when the
    /// whole answer is there, with a body of one piece.
    func stream(from request: any Request, report: TransferReport?) async throws(HTTPError) -> Response<HTTPChunks>
}

extension Dispatcher {
    /// Returns a future that asks when it is started: ``future(from:)-(Request)``, for `.get("/users/1")` and its like.
    public func future(from request: some Request) -> ResponseFuture<Response<Data?>> {
        future(from: request as any Request)
    }

    /// Asks by a future.
    public func response(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<Data?> {
        do {
            let future = future(from: request)
            if let report { future.progress { report($0) } }
            return try await future.value
        } catch {
            throw HTTPError(error)
        }
    }

    /// Waits for the whole answer and gives its body in one piece.
    public func stream(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<HTTPChunks> {
        let whole = try await response(from: request, report: report)
        return whole.withData(HTTPChunks(piece: whole.data))
    }
}

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

extension Dispatcher {
    /// Asks for a value, unless the copy at hand is still right: sends its validators, understands 304, and passes on how
    /// long the server says that the answer is fresh.
    ///
    /// ```swift
    /// let user = QueryDefinition<User>("users", id) { context in
    ///     try await dispatcher.value(from: .get("/users/\(id)"), for: context)
    /// }
    /// ```
    ///
    /// A server that allows no age (`no-cache`, `max-age=0`) leaves it to the definition how long its copy is good for: many
    /// servers say so of all they answer.
    ///
    /// - Parameters:
    ///   - request: What to ask.
    ///   - context: Knows the copy; an engine's fetch context is one.
    ///   - decoder: How to decode. By default JSON with dates as RFC 3339 has them.
    /// - Throws: ``HTTPError``, as ``value(_:from:decoder:)`` does.
    public func value<Context: Revalidation>(
        from request: some Request, for context: Context, decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Context.Value where Context.Value: Decodable {
        let asksForChange = context.previous != nil && !context.validators.isEmpty
        var asked = AmendedRequest(request)
        if asksForChange {
            asked[header: "If-None-Match"] = context.validators.eTag
            asked[header: "If-Modified-Since"] = context.validators.lastModified
        }
        let response = try await response(from: asked, report: nil)
        let freshness = response.freshness().flatMap { $0 > .zero ? $0 : nil }
        if asksForChange, response.statusCode == .notModified {
            if let freshness { context.isFresh(for: freshness) }
            do { return try context.notModified() } catch { throw HTTPError(error) }
        }
        let value = try response.orStatusError().value(Context.Value.self, decoder: decoder)
        if let freshness { context.isFresh(for: freshness) }
        context.validators = response.validators
        return value
    }
}
