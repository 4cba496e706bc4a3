package import Foundation

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
