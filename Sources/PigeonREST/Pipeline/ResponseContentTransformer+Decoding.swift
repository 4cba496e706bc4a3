public import Foundation

extension ResponseContentTransformer where In == any Sendable, Out: Decodable {
    /// Creates a transformer that decodes JSON.
    ///
    /// ```swift
    /// service.configure("/users/*") { $0.pipeline[.model].add(ResponseContentTransformer(decoding: User.self)) }
    /// ```
    ///
    /// Takes bytes, text, or what the pipeline's own JSON transformer made: the pipeline may have one or not. Without
    /// it the body is parsed once, not twice.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - decoder: Decodes it. Not to be changed afterwards.
    ///   - transformErrors: Whether the bodies of errors are decoded too.
    public init(
        decoding type: Out.Type = Out.self, with decoder: JSONDecoder = JSONDecoder(), transformErrors: Bool = false
    ) {
        self.init(onEmptyBody: .alwaysSkip, transformErrors: transformErrors) { entity in
            if let done: Out = ContentCast.cast(entity.content) { return done }
            return try decoder.decode(Out.self, from: JSONContent.data(of: entity.content, for: Out.self))
        }
    }
}

extension JSONContent {
    /// The bytes of a content that JSON can be read from.
    static func data(of content: any Sendable, for type: Any.Type) throws -> Data {
        if let data = content as? Data { return data }
        if let text = content as? String { return Data(text.utf8) }
        guard content is [Any] || content is [String: Any], JSONSerialization.isValidJSONObject(content) else {
            throw RequestError.Cause.WrongContentType(expected: type, actual: Swift.type(of: content))
        }
        return try JSONSerialization.data(withJSONObject: content)
    }
}
