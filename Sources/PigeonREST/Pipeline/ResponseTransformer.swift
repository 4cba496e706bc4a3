internal import PigeonHTTP

/// Converts a response to another one. It can parse the content, read a message from an error, or turn a success into a
/// failure.
///
/// ```swift
/// struct ServerMessage: ResponseTransformer {
///     func process(_ response: ResourceResponse) -> ResourceResponse {
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
/// A transformer runs in a background task, once for each response, even if several requests share the response. It may
/// be slow, but must not wait for other tasks.
public protocol ResponseTransformer: Sendable, CustomDebugStringConvertible {
    /// Returns the new response, or the same one if it does not concern this transformer.
    func process(_ response: Response) -> Response
}

extension ResponseTransformer {
    /// The default is the name of the type.
    public var debugDescription: String { "\(Self.self)" }
}

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
    fileprivate var contentType: String? {
        switch self {
        case .success(let entity): entity.contentType
        case .failure(let error): error.entity?.contentType
        }
    }
}
