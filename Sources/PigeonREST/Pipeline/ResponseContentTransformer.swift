public import Foundation

/// Makes another content of an entity's content. What most transformers are.
///
/// ```swift
/// service.configure("/links/*") {
///     $0.pipeline[.model].add(ResponseContentTransformer { (link: Entity<String>) in URL(string: link.content) })
/// }
/// ```
///
/// An empty body, as 204 has it, is no content: it goes past the transformer as it is, unless the transformer takes
/// `Any` or was told otherwise. So a model can be configured for all methods of a resource.
public struct ResponseContentTransformer<In, Out: Sendable>: ResponseTransformer {
    /// What to do with content of another type than the transformer takes.
    public enum InputTypeMismatchAction: Sendable {
        /// Fail with ``RequestError/Cause/WrongInputTypeInTranformerPipeline``.
        case error
        /// Leave it.
        case skip
        /// Leave it if it is what the transformer makes; else fail.
        case skipIfOutputTypeMatches
    }

    /// What to do with a body of no bytes.
    public enum EmptyBodyAction: Sendable {
        /// Leave it, unless `In` is `Any` or `any Sendable`.
        case skip
        /// Leave it.
        case alwaysSkip
        /// Transform it like any other.
        case transform
    }

    /// Makes the content; `nil` and what is thrown become errors.
    public typealias Processor = @Sendable (Entity<In>) throws -> Out?

    private let processor: Processor
    private let mismatchAction: InputTypeMismatchAction
    private let emptyBodyAction: EmptyBodyAction
    private let transformErrors: Bool

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - onInputTypeMismatch: What to do with content of another type than `In`.
    ///   - onEmptyBody: What to do with a body of no bytes.
    ///   - transformErrors: Whether the bodies of errors are transformed too. One that cannot be stays as it is.
    ///   - processor: Makes the content. A ``RequestError`` that it throws is told as it is; others are its cause.
    public init(
        onInputTypeMismatch: InputTypeMismatchAction = .error, onEmptyBody: EmptyBodyAction = .skip,
        transformErrors: Bool = false, processor: @escaping Processor
    ) {
        self.processor = processor
        self.transformErrors = transformErrors
        mismatchAction = onInputTypeMismatch
        emptyBodyAction = onEmptyBody
    }

    /// The response with its content transformed.
    public func process(_ response: Response) -> Response {
        switch response {
        case .success(let entity): return process(entity)
        case .failure(var error):
            guard transformErrors, let entity = error.entity, case .success(let body) = process(entity) else {
                return response
            }
            error.entity = body
            return .failure(error)
        }
    }

    private func process(_ entity: Entity<any Sendable>) -> Response {
        guard !isEmpty(entity.content) else { return .success(entity) }
        guard let input: Entity<In> = entity.withContentRetyped() else { return mismatch(entity) }
        do {
            guard let output = try processor(input) else {
                return failure(RequestError.Cause.TransformerReturnedNil(transformer: self))
            }
            return .success(entity.with(content: output))
        } catch {
            return failure(error)
        }
    }

    private func isEmpty(_ content: any Sendable) -> Bool {
        switch emptyBodyAction {
        case .transform: false
        case .skip where In.self == Any.self || In.self == (any Sendable).self: false
        case .skip, .alwaysSkip: (content as? Data)?.isEmpty == true
        }
    }

    private func mismatch(_ entity: Entity<any Sendable>) -> Response {
        switch mismatchAction {
        case .skip: return .success(entity)
        case .skipIfOutputTypeMatches where ContentCast.cast(entity.content, to: Out.self) != nil:
            return .success(entity)
        case .error, .skipIfOutputTypeMatches:
            return failure(
                RequestError.Cause.WrongInputTypeInTranformerPipeline(
                    expectedType: In.self, actualType: type(of: entity.content), transformer: self))
        }
    }

    private func failure(_ cause: any Error) -> Response {
        .failure(RequestError(ofTransform: cause))
    }
}

extension ResponseContentTransformer {
    /// What it takes and what it makes.
    public var debugDescription: String { "\(In.self) → \(Out.self)\(transformErrors ? ", errors too" : "")" }
}

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
