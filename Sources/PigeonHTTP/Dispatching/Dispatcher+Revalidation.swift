public import Foundation

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
        let asked: any Request =
            asksForChange ? ConditionalRequest(request: request, validators: context.validators) : request
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

/// A request that asks only for what has changed.
private struct ConditionalRequest<Base: Request>: Request {
    let request: Base
    let validators: FetchValidators

    var method: HTTPMethod { request.method }
    var path: String { request.path }
    var queryItems: [URLQueryItem] { request.queryItems }
    var httpBody: Data? { request.httpBody }
    var body: HTTPBody? { request.body }
    var timeout: Duration? { request.timeout }
    var defect: RequestError? { request.defect }

    var headers: [String: String] {
        var headers = request.headers
        headers.set(validators.eTag, for: "If-None-Match")
        headers.set(validators.lastModified, for: "If-Modified-Since")
        return headers
    }
}
