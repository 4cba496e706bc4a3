/// Names a stage of a pipeline. Keys are told apart by identity, not by their text.
///
/// ```swift
/// extension PipelineStageKey {
///     static let decryption = PipelineStageKey(description: "decryption")
/// }
///
/// service.configure { $0.pipeline.order.insert(.decryption, at: 0) }
/// ```
public final class PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
    /// What logs call it.
    public let description: String

    /// Creates the key of a stage of your own. Put it into ``Pipeline/order``.
    public init(description: String) {
        self.description = description
    }

    /// The bytes as they came: decompress or decrypt here.
    public static let rawData = PipelineStageKey(description: "rawData")
    /// From bytes to text.
    public static let decoding = PipelineStageKey(description: "decoding")
    /// From bytes or text to JSON, XML, a picture.
    public static let parsing = PipelineStageKey(description: "parsing")
    /// To the program's own types.
    public static let model = PipelineStageKey(description: "model")
    /// What is left to do, such as reading the server's words out of errors.
    public static let cleanup = PipelineStageKey(description: "cleanup")

    /// Whether both are the same key.
    public static func == (one: PipelineStageKey, other: PipelineStageKey) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
