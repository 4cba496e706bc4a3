package import Foundation
internal import PigeonBase

/// Processes responses in ordered stages. Each stage has transformers and, optionally, a cache.
///
/// ```swift
/// service.configure {
///     $0.pipeline[.parsing].add(XMLResponseTransformer(), contentTypes: ["*/xml"])
///     $0.pipeline[.model].cacheUsing(entities)
/// }
/// ```
public struct Pipeline: Sendable {
    /// The stages that run, first to last. A stage that is not listed does not run. A stage that is listed twice runs
    /// only at its first position.
    public var order: [PipelineStageKey] = [.rawData, .decoding, .parsing, .model, .cleanup]

    private var stages: [PipelineStageKey: PipelineStage] = [:]

    /// Creates a pipeline that does not change responses.
    public init() {}

    /// The stage of a key. A stage that was never changed does nothing.
    public subscript(key: PipelineStageKey) -> PipelineStage {
        get { stages[key] ?? PipelineStage() }
        set { stages[key] = newValue }
    }

    /// Removes the transformers of all stages.
    public mutating func removeAllTransformers() {
        for key in stages.keys { stages[key]?.removeTransformers() }
    }

    /// Removes the caches of all stages from the pipeline. The entities in them stay.
    public mutating func removeAllCaches() {
        for key in stages.keys { stages[key]?.doNotCache() }
    }

    /// Removes the transformers and caches of all stages.
    public mutating func clear() {
        stages = [:]
    }

    /// Adds a transformer to its stage, for its content types.
    public mutating func add(_ transformer: StandardTransformer) {
        self[transformer.stage].add(transformer.transformer, contentTypes: transformer.contentTypes)
    }

    /// The stages that run and have been changed, in order.
    var activeStages: [PipelineStage] {
        guard !stages.isEmpty else { return [] }
        var seen: Set<PipelineStageKey> = []
        return order.compactMap { seen.insert($0).inserted ? stages[$0] : nil }
            .filter { !$0.transformers.isEmpty || $0.cache != nil }
    }

    /// The caches of the stages that run, first to last.
    package var caches: [StageCache] {
        stages.values.contains { $0.cache != nil } ? activeStages.compactMap(\.cache) : []
    }

    /// The caches of all stages, including those that do not run, in no particular order.
    package var everyCache: [StageCache] { stages.values.compactMap(\.cache) }
}

/// The result of processing a response, with the entities to cache.
package struct PipelineOutcome: Sendable {
    /// The response after all stages.
    package var response: Response

    /// The entities that a load may cache, in the order of the stages. Empty if the response became an error, because
    /// an entity that cannot be shown must not replace one that can.
    package var cacheWrites: [CacheWrite] = []
}

package struct CacheWrite: Sendable {
    package let cache: StageCache
    package let entity: Entity<any Sendable>
}

extension Pipeline {
    /// Processes a response in all stages. If there is a transformer to run, leaves the caller's actor and the main
    /// thread.
    package func process(_ response: Response) async -> PipelineOutcome {
        await Self.run(activeStages[...], response)
    }

    /// Processes a response in some stages. Stays on the caller's actor if there is no transformer to run.
    static func run(_ stages: ArraySlice<PipelineStage>, _ response: Response) async -> PipelineOutcome {
        guard stages.contains(where: { !$0.transformers.isEmpty }) else { return transform(stages, response) }
        return await transformElsewhere(stages, response)
    }

    /// Runs the transformers on no actor, and not on the main thread. A load's task may have started there, and stays there
    /// until it first suspends, even in a concurrent function. A child task starts on a thread of the pool.
    @concurrent
    private static func transformElsewhere(
        _ stages: ArraySlice<PipelineStage>, _ response: Response
    ) async -> PipelineOutcome {
        guard MainActor.isCurrent else { return transform(stages, response) }
        async let outcome = transform(stages, response)
        return await outcome
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
    /// The type of the content, or the error, for logs.
    fileprivate var kind: String {
        switch self {
        case .success(let entity): "\(Swift.type(of: entity.content as Any))"
        case .failure(let error): "\(error)"
        }
    }

    /// If a transformer has failed, returns its error with the status and the body of the original response.
    fileprivate func keepingOrigin(of response: Response) -> Response {
        guard case .failure(var error) = self, case .success(let origin) = response else { return self }
        error.httpStatusCode = error.httpStatusCode ?? origin.statusCode
        error.entity = error.entity ?? origin
        return .failure(error)
    }
}

extension Pipeline {
    /// Reads a resource's entity from the caches. Returns it after all stages, with the entities that the caches of
    /// later stages lack.
    ///
    /// Reads the caches from the last stage to the first. A cached entity is processed by the stages after its own. If
    /// they fail, the cache of an earlier stage is read. A timestamp in the future counts as unknown.
    ///
    /// - Parameters:
    ///   - records: The records of the resource in ``caches``.
    ///   - now: The wall-clock time, in seconds since 2001.
    package func rehydrate(from records: CacheRecords, now: TimeInterval) async -> Rehydration? {
        let stages = activeStages
        for (index, stage) in stages.enumerated().reversed() {
            guard let cache = stage.cache, let found = await records[cache]?.read() else { continue }
            let outcome = await Self.run(stages[(index + 1)...], .success(found.clamped(now: now)))
            guard case .success(let entity) = outcome.response else { continue }
            return Rehydration(entity: entity, cacheWrites: outcome.cacheWrites)
        }
        return nil
    }
}

/// An entity that was found in a cache.
package struct Rehydration: Sendable {
    /// The entity after all stages, with its original timestamp.
    package var entity: Entity<any Sendable>
    package var cacheWrites: [CacheWrite]
}
