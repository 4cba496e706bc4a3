package import Foundation

/// A type-erased cache of a pipeline stage.
///
/// The cache does not order operations. The caller must wait for one operation to finish before it starts the next.
package struct StageCache: Sendable {
    private let doRead: @Sendable (Resource) async -> Entity<any Sendable>?
    private let doWrite: @Sendable (Entity<any Sendable>, Resource) async -> Void
    private let doTouch: @Sendable (TimeInterval, Resource) async -> Void
    private let doRemove: @Sendable (Resource) async -> Void
    private let doRemoveAll: @Sendable (@escaping @Sendable (URL) -> Bool) async -> Void

    init<Cache: EntityCache>(_ cache: Cache) {
        @Sendable func perform<Result: Sendable>(
            for resource: Resource, _ work: @escaping @Sendable (Cache.Key) -> Result?
        ) async -> Result? {
            guard let key = cache.key(for: resource) else { return nil }
            return await cache.workQueue.perform { work(key) }
        }
        doRead = { resource in await perform(for: resource) { cache.readEntity(forKey: $0) } }
        doWrite = { entity, resource in await perform(for: resource) { cache.writeEntity(entity, forKey: $0) } }
        doTouch = { timestamp, resource in
            await perform(for: resource) { cache.updateEntityTimestamp(timestamp, forKey: $0) }
        }
        doRemove = { resource in await perform(for: resource) { cache.removeEntity(forKey: $0) } }
        doRemoveAll = { isMeant in await cache.workQueue.perform { cache.removeEntities(ofResourcesWhere: isMeant) } }
    }

    /// Reads the cached entity of a resource.
    package func read(for resource: Resource) async -> Entity<any Sendable>? { await doRead(resource) }

    /// Stores an entity.
    package func write(_ entity: Entity<any Sendable>, for resource: Resource) async { await doWrite(entity, resource) }

    /// Updates the time at which the cached entity was last known to be current, in seconds since January 1, 2001.
    package func touch(timestamp: TimeInterval, for resource: Resource) async { await doTouch(timestamp, resource) }

    /// Removes the cached entity of a resource.
    package func remove(for resource: Resource) async { await doRemove(resource) }

    /// Removes the cached entities of all URLs that satisfy `isMeant`.
    package func removeAll(where isMeant: @escaping @Sendable (URL) -> Bool) async { await doRemoveAll(isMeant) }
}

extension DispatchQueue {
    /// Performs work on this queue, and returns its result. Does not block the calling thread.
    fileprivate func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: work()) }
        }
    }
}
