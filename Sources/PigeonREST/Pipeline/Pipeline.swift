package import Foundation

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
    package var caches: [StageCache] {
        stages.values.contains { $0.cache != nil } ? activeStages.compactMap(\.cache) : []
    }

    /// The caches of all stages, also of those that do not run, in no order: where something may be kept.
    package var everyCache: [StageCache] { stages.values.compactMap(\.cache) }
}

/// A response that went through a pipeline, and what of it may be kept.
package struct PipelineOutcome: Sendable {
    /// The response after all stages.
    package var response: Response

    /// What a load may keep of it, in order of the stages. Nothing for a response that ended as an error: what cannot
    /// be shown must not take the place of what can.
    package var cacheWrites: [CacheWrite] = []
}

/// An entity that is to be kept.
package struct CacheWrite: Sendable {
    /// Where.
    package let cache: StageCache
    /// What.
    package let entity: Entity<any Sendable>
}

extension Pipeline {
    /// Takes a response through the stages, away from the caller's actor if there is a transformer to run.
    package func process(_ response: Response) async -> PipelineOutcome {
        await Self.run(activeStages[...], response)
    }

    /// Without a transformer there is no reason to leave the caller's actor.
    static func run(_ stages: ArraySlice<PipelineStage>, _ response: Response) async -> PipelineOutcome {
        guard stages.contains(where: { !$0.transformers.isEmpty }) else { return transform(stages, response) }
        return await transformElsewhere(stages, response)
    }

    @concurrent
    private static func transformElsewhere(
        _ stages: ArraySlice<PipelineStage>, _ response: Response
    ) async -> PipelineOutcome {
        transform(stages, response)
    }

    private static func transform(_ stages: ArraySlice<PipelineStage>, _ response: Response) -> PipelineOutcome {
        var outcome = PipelineOutcome(response: response)
        for stage in stages {
            for transformer in stage.transformers {
                outcome.response = transformer.process(outcome.response).keepingOrigin(of: response)
                SiestaLog.log(.pipeline, "\(transformer.debugDescription): \(outcome.response.kind)")
            }
            guard let cache = stage.cache, case .success(let entity) = outcome.response else { continue }
            outcome.cacheWrites.append(CacheWrite(cache: cache, entity: entity))
        }
        if case .failure = outcome.response { outcome.cacheWrites = [] }
        return outcome
    }
}

extension Response {
    /// What it is, for logs: the type of its content, or its error.
    fileprivate var kind: String {
        switch self {
        case .success(let entity): "\(Swift.type(of: entity.content as Any))"
        case .failure(let error): "\(error)"
        }
    }

    /// With the status and the body as the server sent it, where an answer turned out not to be understood.
    fileprivate func keepingOrigin(of response: Response) -> Response {
        guard case .failure(var error) = self, case .success(let origin) = response else { return self }
        error.httpStatusCode = error.httpStatusCode ?? origin.statusCode
        error.entity = error.entity ?? origin
        return .failure(error)
    }
}

extension Pipeline {
    /// What the caches have of a resource: the entity after all stages, and what later stages' caches lack of it.
    ///
    /// Asks from the last stage backwards. What is found goes through the stages after it; if they fail, an earlier
    /// cache is asked. Times in the future are not believed.
    ///
    /// - Parameter now: By the wall clock, in seconds since 2001.
    package func rehydrate(
        for resource: Resource, now: TimeInterval = Date.timeIntervalSinceReferenceDate
    ) async -> Rehydration? {
        let stages = activeStages
        for (index, stage) in stages.enumerated().reversed() {
            guard let cache = stage.cache, let found = await cache.read(for: resource) else { continue }
            let outcome = await Self.run(stages[(index + 1)...], .success(found.clamped(now: now)))
            guard case .success(let entity) = outcome.response else { continue }
            return Rehydration(entity: entity, cacheWrites: outcome.cacheWrites)
        }
        return nil
    }
}

/// What was found in a cache.
package struct Rehydration: Sendable {
    /// After all stages, with the time it was kept with.
    package var entity: Entity<any Sendable>
    /// What caches of later stages may keep of it.
    package var cacheWrites: [CacheWrite]
}
