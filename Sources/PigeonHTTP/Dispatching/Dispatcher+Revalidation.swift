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
