/// What becomes of responses: stages in order, each with transformers and perhaps a cache.
///
/// ```swift
/// service.configure {
///     $0.pipeline[.parsing].add(XMLResponseTransformer(), contentTypes: ["*/xml"])
///     $0.pipeline[.model].cacheUsing(entities)
/// }
/// ```
public struct Pipeline: Sendable {
    /// The stages that run, first to last. A stage that is not listed does not run; one that is listed twice runs at
    /// its first place.
    public var order: [PipelineStageKey] = [.rawData, .decoding, .parsing, .model, .cleanup]

    private var stages: [PipelineStageKey: PipelineStage] = [:]

    /// Creates a pipeline that leaves responses as they are.
    public init() {}

    /// The stage of a key; one that does nothing if it was never changed.
    public subscript(key: PipelineStageKey) -> PipelineStage {
        get { stages[key] ?? PipelineStage() }
        set { stages[key] = newValue }
    }

    /// Removes the transformers of all stages.
    public mutating func removeAllTransformers() {
        for key in stages.keys { stages[key]?.removeTransformers() }
    }

    /// Removes the caches of all stages. What is in them stays.
    public mutating func removeAllCaches() {
        for key in stages.keys { stages[key]?.doNotCache() }
    }

    /// Removes transformers and caches.
    public mutating func clear() {
        stages = [:]
    }

    /// Adds a transformer that comes with its stage and content types.
    public mutating func add(_ transformer: StandardTransformer) {
        self[transformer.stage].add(transformer.transformer, contentTypes: transformer.contentTypes)
    }

    /// The stages that run and do something, in order.
    var activeStages: [PipelineStage] {
        var seen: Set<PipelineStageKey> = []
        return order.compactMap { seen.insert($0).inserted ? stages[$0] : nil }
            .filter { !$0.transformers.isEmpty || $0.cache != nil }
    }

    /// The caches of the stages that run, first to last.
    package var caches: [StageCache] { activeStages.compactMap(\.cache) }

    /// The caches of all stages, also of those that do not run, in no order: where something may be kept.
    package var everyCache: [StageCache] { stages.values.compactMap(\.cache) }
}
