internal import Foundation
internal import PigeonHTTP

/// A transformer with its stage and its content types.
///
/// ```swift
/// let yaml = StandardTransformer(
///     name: "YAML", stage: .parsing, contentTypes: ["*/yaml", "*/*+yaml"], transformer: YAMLResponseTransformer())
/// let service = Service(baseURL: "https://example.com", standardTransformers: [.json, yaml])
/// ```
public struct StandardTransformer: Sendable, CustomStringConvertible {
    let name: String
    let stage: PipelineStageKey
    let contentTypes: [String]
    let transformer: any ResponseTransformer

    /// Creates a custom transformer.
    ///
    /// - Parameters:
    ///   - name: The name of the transformer in logs.
    ///   - stage: The stage in which it runs.
    ///   - contentTypes: The content types that it accepts. See ``PipelineStage/add(_:contentTypes:)``.
    ///   - transformer: The transformer itself.
    public init(
        name: String, stage: PipelineStageKey = .parsing, contentTypes: [String], transformer: any ResponseTransformer
    ) {
        self.name = name
        self.stage = stage
        self.contentTypes = contentTypes
        self.transformer = transformer
    }

    /// Parses JSON of any content type, with ``JSONResponseTransformer(_:)``.
    public static let json = StandardTransformer(
        name: "JSON", contentTypes: ["*/json", "*/*+json"], transformer: JSONResponseTransformer())

    /// Decodes text, with ``TextResponseTransformer(_:)``.
    public static let text = StandardTransformer(
        name: "text", contentTypes: ["text/*"], transformer: TextResponseTransformer())

    /// Decodes images, with ``ImageResponseTransformer(_:)``.
    public static let image = StandardTransformer(
        name: "image", contentTypes: ["image/*"], transformer: ImageResponseTransformer())

    /// The name.
    public var description: String { name }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a transformer that decodes bytes to text, with the charset of the response, or with ISO-8859-1 if the
/// response names none (RFC 2616, 3.7.1).
///
/// An empty body becomes an empty text. Content that is not bytes, including text, fails with
/// ``RequestError/Cause/WrongInputTypeInTranformerPipeline``.
///
/// - Parameter transformErrors: True if the bodies of errors are decoded too.
public func TextResponseTransformer(_ transformErrors: Bool = true) -> any ResponseTransformer {
    ResponseContentTransformer<Data, String>(
        onEmptyBody: .transform, transformErrors: transformErrors
    ) { entity in
        guard !entity.content.isEmpty else { return "" }
        let name = entity.charset ?? "ISO-8859-1"
        guard let encoding = String.Encoding(charset: name) else {
            throw RequestError(RequestError.Cause.InvalidTextEncoding(encodingName: name))
        }
        guard let text = String(data: entity.content, encoding: encoding) else {
            throw RequestError(RequestError.Cause.UndecodableText(encoding: encoding))
        }
        return text
    }
}
