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
