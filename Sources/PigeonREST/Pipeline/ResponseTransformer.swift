/// Makes another response of a response: parses it, reads an error's text out of it, turns a success into a failure.
///
/// ```swift
/// struct ServerMessage: ResponseTransformer {
///     func process(_ response: Response) -> Response {
///         guard case .failure(var error) = response, let message = error.jsonDict["message"] as? String else {
///             return response
///         }
///         error.userMessage = message
///         return .failure(error)
///     }
/// }
///
/// service.configure { $0.pipeline[.cleanup].add(ServerMessage()) }
/// ```
///
/// Runs on a background task, once for each answer, whoever waits for it. May be slow; must not wait for other tasks.
public protocol ResponseTransformer: Sendable, CustomDebugStringConvertible {
    /// The response to go on with: the same one if it is no concern of this transformer.
    func process(_ response: Response) -> Response
}

extension ResponseTransformer {
    /// The name of the type.
    public var debugDescription: String { "\(Self.self)" }
}
