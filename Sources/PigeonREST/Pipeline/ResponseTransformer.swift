internal import PigeonHTTP

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

/// Has a transformer work on some types of content alone.
struct ContentTypeTransformer: ResponseTransformer {
    private let transformer: any ResponseTransformer
    private let patterns: [String]
    private let globs: [Glob]

    init(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        self.transformer = transformer
        patterns = contentTypes
        globs = contentTypes.map { Glob($0.mediaType.utf8, only: .star) }
    }

    func process(_ response: Response) -> Response {
        guard let type = response.contentType?.mediaType, globs.contains(where: { $0.matches(type.utf8) }) else {
            return response
        }
        return transformer.process(response)
    }

    var debugDescription: String { "\(transformer.debugDescription) for \(patterns.joined(separator: ", "))" }
}

extension Response {
    /// The type of the content, of an error too.
    fileprivate var contentType: String? {
        switch self {
        case .success(let entity): entity.contentType
        case .failure(let error): error.entity?.contentType
        }
    }
}

extension String {
    /// In small letters and without parameters (RFC 9110, 8.3.1).
    fileprivate var mediaType: String { prefix { $0 != ";" }.trimmed.lowercased() }
}
