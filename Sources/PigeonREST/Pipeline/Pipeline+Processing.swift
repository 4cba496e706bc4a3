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
