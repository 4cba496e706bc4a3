/// One step of a pipeline: transformers in order, and a cache for what comes of them.
public struct PipelineStage: Sendable {
    /// What becomes of the transformers that are there when another is configured.
    public enum MutationAction: Sendable {
        /// They are removed.
        case replaceExisting
        /// They go first.
        case appendToExisting
    }

    private(set) var transformers: [any ResponseTransformer] = []
    private(set) var cache: StageCache?

    /// Creates a stage that does nothing.
    public init() {}

    /// Adds a transformer after those that are there.
    public mutating func add(_ transformer: any ResponseTransformer) {
        transformers.append(transformer)
    }

    /// Adds a transformer for some types of content.
    ///
    /// - Parameters:
    ///   - transformer: Gets the responses of these types; others go past it.
    ///   - contentTypes: Types such as "text/plain", where `*` stands for any characters but a slash: "text/*",
    ///     "*/*+json". Case and parameters such as "; charset=utf-8" do not count.
    public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        add(ContentTypeTransformer(transformer, contentTypes: contentTypes))
    }

    /// Removes the transformers.
    public mutating func removeTransformers() {
        transformers = []
    }

    /// Keeps what comes of this stage in a cache, which is asked when a resource has nothing in memory.
    public mutating func cacheUsing<T: EntityCache>(_ cache: T) {
        self.cache = StageCache(cache)
    }

    /// Keeps nothing, which is the default.
    public mutating func doNotCache() {
        cache = nil
    }
}

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
