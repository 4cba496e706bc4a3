public import Foundation

/// All that can go wrong between a request and its value, by the side it went wrong on.
///
/// ```swift
/// do {
///     let user: User = try await dispatcher.value(from: request)
/// } catch .status(let answer) where answer.statusCode == .notFound {
///     showNobody()
/// } catch {
///     show(error)
/// }
/// ```
public enum HTTPError: Error, Sendable {
    /// The request has no address. Nothing was sent.
    case request(RequestError)
    /// The request's method, a header field or its body is wrong. Nothing was sent.
    case defect(RequestDefect)
    /// There was no answer, or not all of it.
    case transport(URLError)
    /// The server answered with a status that is no success. The answer is at hand, its body included.
    case status(ErrorResponse<Data?>)
    /// The server answered, and the body was not understood. The answer is at hand.
    case decoding(SerializationError, Response<Data?>)
    /// The answer's body is longer than the limit, in bytes. The rest was not read.
    case bodyTooLarge(limit: Int)
    /// The server redirected more often than is followed, or to where no request may go.
    case redirection(String)
    /// Something else that took part threw: an adapter, a token's refresh, a dispatcher of your own.
    case other(any Error)
    /// The task or the future was cancelled.
    case cancelled
}
