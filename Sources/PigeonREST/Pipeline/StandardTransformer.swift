internal import Foundation
internal import PigeonHTTP

/// A transformer with the stage and the types of content it is for.
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

    /// Creates one of your own.
    ///
    /// - Parameters:
    ///   - name: What logs call it.
    ///   - stage: Where it goes.
    ///   - contentTypes: What it is for. See ``PipelineStage/add(_:contentTypes:)``.
    ///   - transformer: What it does.
    public init(
        name: String, stage: PipelineStageKey = .parsing, contentTypes: [String], transformer: any ResponseTransformer
    ) {
        self.name = name
        self.stage = stage
        self.contentTypes = contentTypes
        self.transformer = transformer
    }

    /// Parses JSON, whatever kind of it: ``JSONResponseTransformer(_:)``.
    public static let json = StandardTransformer(
        name: "JSON", contentTypes: ["*/json", "*/*+json"], transformer: JSONResponseTransformer())

    /// Reads text: ``TextResponseTransformer(_:)``.
    public static let text = StandardTransformer(
        name: "text", contentTypes: ["text/*"], transformer: TextResponseTransformer())

    /// Reads pictures: ``ImageResponseTransformer(_:)``.
    public static let image = StandardTransformer(
        name: "image", contentTypes: ["image/*"], transformer: ImageResponseTransformer())

    /// The name.
    public var description: String { name }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Makes text of bytes, by the charset of the answer; by ISO-8859-1 if it names none (RFC 2616, 3.7.1).
///
/// An empty body is an empty text. Content that is not bytes, a text included, fails with
/// ``RequestError/Cause/WrongInputTypeInTranformerPipeline``.
///
/// - Parameter transformErrors: Whether the bodies of errors become text too.
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
