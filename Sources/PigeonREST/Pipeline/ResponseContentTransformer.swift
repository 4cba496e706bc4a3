public import Foundation

/// A transformer that converts the content of entities. Most transformers use it.
///
/// ```swift
/// service.configure("/links/*") {
///     $0.pipeline[.model].add(ResponseContentTransformer { (link: Entity<String>) in URL(string: link.content) })
/// }
/// ```
///
/// An empty body, such as that of a 204 response, counts as no content. The transformer does not change it, unless its
/// input is `Any` or it is configured otherwise. A model can therefore be configured for all methods of a resource.
public struct ResponseContentTransformer<In, Out: Sendable>: ResponseTransformer {
    /// The action for content whose type differs from the transformer's input type.
    public enum InputTypeMismatchAction: Sendable {
        /// Fails with ``RequestError/Cause/WrongInputTypeInTranformerPipeline``.
        case error
        /// Leaves the content unchanged.
        case skip
        /// Leaves the content unchanged if it has the output type. Fails otherwise.
        case skipIfOutputTypeMatches
    }

    /// The action for an empty body.
    public enum EmptyBodyAction: Sendable {
        /// Leaves the body unchanged, unless `In` is `Any` or `any Sendable`.
        case skip
        /// Leaves the body unchanged.
        case alwaysSkip
        /// Transforms the body like any other.
        case transform
    }

    /// Converts the content. `nil` and thrown errors become errors of the request.
    public typealias Processor = @Sendable (Entity<In>) throws -> Out?

    private let processor: Processor
    private let mismatchAction: InputTypeMismatchAction
    private let emptyBodyAction: EmptyBodyAction
    private let transformErrors: Bool

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - onInputTypeMismatch: The action for content of a type other than `In`.
    ///   - onEmptyBody: The action for an empty body.
    ///   - transformErrors: True if the bodies of errors are transformed too. A body that cannot be transformed stays
    ///     unchanged.
    ///   - processor: Converts the content. A thrown ``RequestError`` is reported unchanged. Any other thrown error
    ///     becomes the cause of one.
    public init(
        onInputTypeMismatch: InputTypeMismatchAction = .error, onEmptyBody: EmptyBodyAction = .skip,
        transformErrors: Bool = false, processor: @escaping Processor
    ) {
        self.processor = processor
        self.transformErrors = transformErrors
        mismatchAction = onInputTypeMismatch
        emptyBodyAction = onEmptyBody
    }

    /// Returns the response with its content transformed.
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
    /// The input and output types.
    public var debugDescription: String { "\(In.self) → \(Out.self)\(transformErrors ? ", errors too" : "")" }
}

extension ResponseContentTransformer where In == any Sendable, Out: Decodable {
    /// Creates a transformer that decodes JSON.
    ///
    /// ```swift
    /// service.configure("/users/*") { $0.pipeline[.model].add(ResponseContentTransformer(decoding: User.self)) }
    /// ```
    ///
    /// Accepts bytes, text, or the output of the JSON transformer, so it works with and without
    /// ``StandardTransformer/json``. Without that transformer, the body is parsed once instead of twice.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. It must not be changed afterwards.
    ///   - transformErrors: True if the bodies of errors are decoded too.
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
    static func data(of content: any Sendable, for type: Any.Type) throws -> Data {
        if let data = content as? Data { return data }
        if let text = content as? String { return Data(text.utf8) }
        guard content is [Any] || content is [String: Any], JSONSerialization.isValidJSONObject(content) else {
            throw RequestError.Cause.WrongContentType(expected: type, actual: Swift.type(of: content))
        }
        return try JSONSerialization.data(withJSONObject: content)
    }
}
