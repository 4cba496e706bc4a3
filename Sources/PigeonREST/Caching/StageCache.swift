package import Foundation

/// A type-erased cache of a pipeline stage.
package struct StageCache: Sendable {
    /// Distinguishes the cache from those of other stages.
    fileprivate let number = Serial.next()
    private let doFind: @Sendable (Resource) -> (any CacheRecord)?
    private let doRemoveAll: @Sendable (@escaping @Sendable (URL) -> Bool) async -> Void

    init<Cache: EntityCache>(_ cache: Cache) {
        doFind = { resource in cache.key(for: resource).map { RecordOf(cache: cache, key: $0) } }
        doRemoveAll = { isMeant in await cache.workQueue.perform { cache.removeEntities(ofResourcesWhere: isMeant) } }
    }

    /// Returns `nil` if the resource must not be cached.
    package func record(of resource: Resource) -> (any CacheRecord)? { doFind(resource) }

    package func removeAll(where isMeant: @escaping @Sendable (URL) -> Bool) async { await doRemoveAll(isMeant) }
}

/// The record of a resource in a cache, whose key is known. The record need not exist.
///
/// The cache does not order operations. The caller must wait for one operation to finish before it starts the next.
package protocol CacheRecord: Sendable {
    func read() async -> Entity<any Sendable>?

    func write(_ entity: Entity<any Sendable>) async

    /// Updates the time at which the cached entity was last known to be current, in seconds since January 1, 2001.
    func touch(timestamp: TimeInterval) async

    func remove() async
}

private struct RecordOf<Cache: EntityCache>: CacheRecord {
    let cache: Cache
    let key: Cache.Key

    func read() async -> Entity<any Sendable>? {
        await cache.workQueue.perform { cache.readEntity(forKey: key) }
    }

    func write(_ entity: Entity<any Sendable>) async {
        await cache.workQueue.perform { cache.writeEntity(entity, forKey: key) }
    }

    func touch(timestamp: TimeInterval) async {
        await cache.workQueue.perform { cache.updateEntityTimestamp(timestamp, forKey: key) }
    }

    func remove() async {
        await cache.workQueue.perform { cache.removeEntity(forKey: key) }
    }
}

/// The records of a resource in several caches.
package struct CacheRecords: Sendable {
    private let found: [(cache: UInt64, record: any CacheRecord)]

    /// Calls code of the program, which names the key of the resource's entity in each cache.
    package init(of resource: Resource, in caches: [StageCache]) {
        found = caches.compactMap { cache in
            cache.record(of: resource).map { (cache: cache.number, record: $0) }
        }
    }

    /// True if none of the caches may store the resource.
    package var isEmpty: Bool { found.isEmpty }

    /// The records, in the order of the caches.
    package var all: [any CacheRecord] { found.map(\.record) }

    /// `nil` if that cache must not store the resource.
    package subscript(cache: StageCache) -> (any CacheRecord)? {
        found.first { $0.cache == cache.number }?.record
    }
}

extension DispatchQueue {
    /// Does not block the calling thread.
    fileprivate func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: work()) }
        }
    }
}
