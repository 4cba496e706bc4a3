public import Foundation

/// Sends requests and returns their responses.
///
/// A dispatcher of your own, over another HTTP library for example, needs one function: ``response(from:report:)``. All
/// others have a default built on it.
public protocol Dispatcher: Sendable {
    /// Sends the request and returns the response, whatever its status.
    ///
    /// ``Response/error`` is the meaning of a status of 400 or more.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - report: Called with the progress, on any thread.
    func response(
        from request: any Request, report: TransferReport?
    ) async throws(HTTPError) -> Response<Data?>

    /// Sends the request and returns as soon as the head of the response has arrived, whatever its status. The default
    /// waits for the whole response and returns its body in one piece.
    func stream(from request: any Request, report: TransferReport?) async throws(HTTPError) -> Response<HTTPChunks>
}

extension Dispatcher {
    /// Sends the request and returns the response, whatever its status, without reports of its progress.
    @_disfavoredOverload
    public func response(from request: any Request) async throws(HTTPError) -> Response<Data?> {
        try await response(from: request, report: nil)
    }

    /// Waits for the whole response and returns its body in one piece.
    public func stream(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<HTTPChunks> {
        let whole = try await response(from: request, report: report)
        return whole.withData(HTTPChunks(piece: whole.data))
    }
}

extension Dispatcher {
    /// Requests a value as JSON.
    ///
    /// ```swift
    /// let user: User = try await dispatcher.value(from: .get("/users/1"))
    /// ```
    ///
    /// Cancelling the task cancels the request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - type: The type to decode. An `Optional` is `nil` if the response has no body.
    ///   - decoder: Decodes the body. The default reads JSON with dates as in RFC 3339.
    /// - Throws: ``HTTPError/status(_:)`` for a status outside of 200 to 299, ``HTTPError/decoding(_:_:)`` for a body
    ///   that cannot be decoded. Both carry the response.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, from request: some Request, decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Value {
        try await success(of: request).value(type, decoder: decoder)
    }

    /// Requests bytes. An empty body gives empty data.
    ///
    /// - Throws: ``HTTPError``, such as ``HTTPError/status(_:)`` for a status outside of 200 to 299.
    public func data(from request: some Request) async throws(HTTPError) -> Data {
        try await success(of: request).data ?? Data()
    }

    /// Requests a text, in the character set that the response names, or UTF-8.
    ///
    /// - Throws: ``HTTPError``, such as ``HTTPError/status(_:)`` for a status outside of 200 to 299.
    public func string(from request: some Request) async throws(HTTPError) -> String {
        let response = try await success(of: request)
        guard response.data?.isEmpty == false else { return "" }
        return try response.decoding { (response) throws in try response.decodeString() }
    }

    /// Sends a request whose response is needed only to confirm success.
    ///
    /// - Throws: ``HTTPError``, such as ``HTTPError/status(_:)`` for a status outside of 200 to 299.
    public func send(_ request: some Request) async throws(HTTPError) {
        _ = try await success(of: request)
    }

    private func success(of request: some Request) async throws(HTTPError) -> Response<Data?> {
        try await response(from: request, report: nil).orStatusError()
    }
}

extension Response where T == Data? {
    /// The response itself if it is a success. Any other status is thrown as an error, that of a redirect included.
    func orStatusError() throws(HTTPError) -> Self {
        guard statusCode.type != .success else { return self }
        throw .status(ErrorResponse(data: data, response: self, error: error ?? .unknown(cause: nil)))
    }

    package func value<Value: Decodable & Sendable>(
        _ type: Value.Type, decoder: JSONDecoder?
    ) throws(HTTPError) -> Value {
        if data?.isEmpty != false, let none = (type as? any Absent.Type)?.absent as? Value { return none }
        return try decoding { (response) throws in try response.decode(type, decoder: decoder) }
    }

    /// Returns the result of `decode`. An error that it throws is passed on together with the response.
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

/// A type with a value that means "nothing".
private protocol Absent {
    static var absent: Any { get }
}

extension Optional: Absent {
    fileprivate static var absent: Any { none as Any }
}

extension Dispatcher {
    /// Requests a value unless the cached copy is still valid: sends the copy's validators, handles 304, and passes on
    /// how long the response is fresh.
    ///
    /// ```swift
    /// let user = QueryDefinition<User>("users", id) { context in
    ///     try await dispatcher.value(from: .get("/users/\(id)"), for: context)
    /// }
    /// ```
    ///
    /// If a server allows no age (`no-cache`, `max-age=0`), the definition decides how long its copy is fresh: many
    /// servers send that with every response. The server's `stale-while-revalidate` and `stale-if-error` apply to callers
    /// whose policy is to follow the server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Describes the cached copy. An engine's fetch context is one.
    ///   - decoder: Decodes the body. The default reads JSON with dates as in RFC 3339.
    /// - Throws: ``HTTPError``, as ``value(_:from:decoder:)`` does.
    public func value<Context: Revalidation>(
        from request: some Request, for context: Context, decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Context.Value where Context.Value: Decodable {
        try await answer(to: request, for: context) { response throws(HTTPError) in
            try response.value(Context.Value.self, decoder: decoder)
        }
    }

    /// Requests bytes unless the cached copy is still valid, as ``value(from:for:decoder:)`` does for a value.
    ///
    /// ```swift
    /// let photo = QueryDefinition<Data>("photos", id) { context in
    ///     try await dispatcher.data(from: .get("/photos/\(id)"), for: context)
    /// }
    /// ```
    ///
    /// - Throws: ``HTTPError``, as ``data(from:)`` does.
    public func data<Context: Revalidation>(
        from request: some Request, for context: Context
    ) async throws(HTTPError) -> Data where Context.Value == Data {
        try await answer(to: request, for: context) { response throws(HTTPError) in response.data ?? Data() }
    }

    private func answer<Context: Revalidation>(
        to request: some Request, for context: Context,
        _ read: (Response<Data?>) throws(HTTPError) -> Context.Value
    ) async throws(HTTPError) -> Context.Value {
        let asksForChange = context.previous != nil && !context.validators.isEmpty
        var asked = AmendedRequest(request)
        if asksForChange { asked.headers.set(context.validators) }
        let response = try await response(from: asked, report: nil)
        if asksForChange, response.statusCode == .notModified {
            response.report(freshnessTo: context)
            do { return try context.notModified() } catch { throw HTTPError(error) }
        }
        let value = try read(response.orStatusError())
        response.report(freshnessTo: context)
        context.validators = response.validators
        return value
    }
}

extension ResponseInterface {
    /// Passes on how long the response is fresh, and how long it may be used after that.
    fileprivate func report(freshnessTo context: some Revalidation) {
        if let freshness = freshness(), freshness > .zero { context.isFresh(for: freshness) }
        context.allowsStale(whileRevalidating: staleWhileRevalidate, ifError: staleIfError)
    }
}
