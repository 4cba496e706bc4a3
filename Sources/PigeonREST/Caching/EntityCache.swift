public import Dispatch
public import Foundation

/// A cache that stores the entities of resources between runs of the program.
///
/// ```swift
/// service.configure { $0.pipeline[.rawData].cacheUsing(entities) }
/// ```
///
/// Operations on one resource run one after the other. All functions except ``key(for:)`` run on ``workQueue``, and may
/// be slow. ``PersistentEntityCache`` is an implementation for any query cache.
public protocol EntityCache<Key>: Sendable {
    /// The type of the keys.
    associatedtype Key: Sendable

    /// Returns the key of a resource's entity. `nil` if the resource must not be cached.
    ///
    /// Called on the thread that requests an operation, before the request returns. The operation is carried out later
    /// with this key, even if another user signs in first. The key should identify the signed-in user if the content
    /// depends on the user.
    func key(for resource: Resource) -> Key?

    /// Returns the cached entity. `nil` if there is none, or if it cannot be read completely.
    func readEntity(forKey key: Key) -> Entity<any Sendable>?

    /// Stores an entity, replacing the previous one. If it cannot be stored, the previous one must be removed.
    func writeEntity(_ entity: Entity<any Sendable>, forKey key: Key)

    /// Updates the time at which the cached entity was last known to be current. The default reads the entity and
    /// writes it again.
    func updateEntityTimestamp(_ timestamp: TimeInterval, forKey key: Key)

    /// Removes an entity.
    func removeEntity(forKey key: Key)

    /// Removes the entities of all users for all URLs that satisfy `isMeant`, so that they cannot be read again. The
    /// default does nothing, so a wipe then removes only entities in memory.
    func removeEntities(ofResourcesWhere isMeant: @Sendable (URL) -> Bool)

    /// The queue on which the cache's functions run. The default is a global queue.
    var workQueue: DispatchQueue { get }
}

extension EntityCache {
    /// The default reads the entity and writes it again.
    public func updateEntityTimestamp(_ timestamp: TimeInterval, forKey key: Key) {
        guard var entity = readEntity(forKey: key) else { return }
        entity.timestamp = timestamp
        writeEntity(entity, forKey: key)
    }

    /// The default does nothing.
    public func removeEntities(ofResourcesWhere isMeant: @Sendable (URL) -> Bool) {}

    /// The default is a global queue.
    public var workQueue: DispatchQueue { .global(qos: .userInitiated) }
}
