/// A stage of a pipeline, with ordered transformers and a cache for their results.
public struct PipelineStage: Sendable {
    /// The treatment of existing transformers when another one is configured.
    public enum MutationAction: Sendable {
        /// The existing transformers are removed.
        case replaceExisting
        /// The existing transformers run first.
        case appendToExisting
    }

    private(set) var transformers: [any ResponseTransformer] = []
    private(set) var cache: StageCache?

    /// Creates a stage that does nothing.
    public init() {}

    /// Adds a transformer after the existing ones.
    public mutating func add(_ transformer: any ResponseTransformer) {
        transformers.append(transformer)
    }

    /// Adds a transformer for some content types.
    ///
    /// - Parameters:
    ///   - transformer: The transformer. It receives only responses of these types.
    ///   - contentTypes: Content types such as "text/plain". `*` stands for any characters except a slash: "text/*",
    ///     "*/*+json". Case, and parameters such as "; charset=utf-8", are ignored.
    public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        add(ContentTypeTransformer(transformer, contentTypes: contentTypes))
    }

    /// Removes the transformers.
    public mutating func removeTransformers() {
        transformers = []
    }

    /// Stores the results of this stage in a cache, which is read if a resource has no content in memory.
    public mutating func cacheUsing<T: EntityCache>(_ cache: T) {
        self.cache = StageCache(cache)
    }

    /// Removes the cache of this stage. By default, a stage has none.
    public mutating func doNotCache() {
        cache = nil
    }
}

/// Identifies a stage of a pipeline. Keys are compared by identity, not by their description.
///
/// ```swift
/// extension PipelineStageKey {
///     static let decryption = PipelineStageKey(description: "decryption")
/// }
///
/// service.configure { $0.pipeline.order.insert(.decryption, at: 0) }
/// ```
public final class PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
    /// The name of the stage in logs.
    public let description: String

    /// Creates the key of a custom stage. Add it to ``Pipeline/order``.
    public init(description: String) {
        self.description = description
    }

    /// The stage for the raw bytes. Decompress or decrypt here.
    public static let rawData = PipelineStageKey(description: "rawData")
    /// The stage that converts bytes to text.
    public static let decoding = PipelineStageKey(description: "decoding")
    /// The stage that converts bytes or text to JSON, XML or images.
    public static let parsing = PipelineStageKey(description: "parsing")
    /// The stage that converts content to the program's own types.
    public static let model = PipelineStageKey(description: "model")
    /// The stage for final work, such as extracting the server's messages from errors.
    public static let cleanup = PipelineStageKey(description: "cleanup")

    /// Returns true if both are the same key.
    public static func == (one: PipelineStageKey, other: PipelineStageKey) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
