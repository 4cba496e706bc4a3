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
