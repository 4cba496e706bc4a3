public import Dispatch
public import Foundation

/// A place that keeps the entities of resources between runs of the program.
///
/// ```swift
/// service.configure { $0.pipeline[.rawData].cacheUsing(entities) }
/// ```
///
/// Operations on one resource come one after the other. All but ``key(for:)`` run on ``workQueue``, and may be slow.
/// ``PersistentEntityCache`` is ready to use.
public protocol EntityCache<Key>: Sendable {
    /// What an entity is kept under.
    associatedtype Key: Sendable

    /// What the entity of a resource is kept under; `nil` for a resource that is not to be kept.
    ///
    /// Called once for each operation, when it is asked for. Who is signed in, for example, belongs into the key.
    func key(for resource: Resource) -> Key?

    /// The entity that is kept, if it is whole.
    func readEntity(forKey key: Key) -> Entity<any Sendable>?

    /// Keeps an entity in place of the one before. One that cannot be kept must not leave the one before.
    func writeEntity(_ entity: Entity<any Sendable>, forKey key: Key)

    /// Notes that what is kept was found to be right. By default reads the entity and writes it again.
    func updateEntityTimestamp(_ timestamp: TimeInterval, forKey key: Key)

    /// Forgets an entity.
    func removeEntity(forKey key: Key)

    /// Forgets the entities of all addresses that are meant, whoever they were kept for, so that nothing of them can be
    /// read again. By default does nothing: then a wipe reaches what is in memory alone.
    func removeEntities(ofResourcesWhere isMeant: @Sendable (URL) -> Bool)

    /// Where the work is done. By default a global queue.
    var workQueue: DispatchQueue { get }
}

extension EntityCache {
    /// Reads the entity and writes it again.
    public func updateEntityTimestamp(_ timestamp: TimeInterval, forKey key: Key) {
        guard var entity = readEntity(forKey: key) else { return }
        entity.timestamp = timestamp
        writeEntity(entity, forKey: key)
    }

    /// Nothing.
    public func removeEntities(ofResourcesWhere isMeant: @Sendable (URL) -> Bool) {}

    /// A global queue.
    public var workQueue: DispatchQueue { .global(qos: .userInitiated) }
}
