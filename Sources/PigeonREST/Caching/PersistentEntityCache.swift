public import Dispatch
public import Foundation
public import PigeonCore

/// Keeps entities in a cache of queries: in SQLite, in files, or in memory.
///
/// ```swift
/// let file = try SQLiteQueryCache(at: caches.appendingPathComponent("api.sqlite"))
/// service.configure("/users/*") {
///     $0.pipeline[.model].cacheUsing(
///         PersistentEntityCache<User>(in: file, isolation: .perUser(identifiedBy: userID)))
/// }
/// ```
///
/// Entities of one name, content type and user are never found by others. Content of another type than `Content` is not
/// kept; an entry that does not decode is removed.
public struct PersistentEntityCache<Content: Codable & Sendable>: EntityCache {
    private let cache: any QueryCacheType
    private let space: EntitySpace

    /// Where the work is done, in order.
    public let workQueue = DispatchQueue(label: "PersistentEntityCache", qos: .userInitiated)

    /// Creates a cache of entities in a cache of queries.
    ///
    /// - Parameters:
    ///   - cache: Where the entities are kept. It may keep other things too.
    ///   - name: Tells apart the caches of several services, or of several stages of one.
    ///   - isolation: Who may see what is kept. A new user needs a new cache: configure it anew on sign-in.
    public init(in cache: any QueryCacheType, name: String = "entities", isolation: DataIsolation) {
        self.cache = cache
        space = EntitySpace(name: name, contentType: Content.self, isolation: isolation)
    }

    /// Where the resource's entity is kept.
    public func key(for resource: Resource) -> QueryKey? {
        space.key.appending(resource.url.absoluteString)
    }

    /// The entity, if there is one that decodes.
    public func readEntity(forKey key: QueryKey) -> Entity<any Sendable>? {
        if let record: EntityRecord<Content> = cache.get(for: key) { return record.entity }
        // What is there and does not decode would be met again and again.
        if cache.savedAt(for: key) != nil { cache.invalidate(for: key) }
        return nil
    }

    /// Keeps an entity. One of other content is not kept, and the one before goes.
    public func writeEntity(_ entity: Entity<any Sendable>, forKey key: QueryKey) {
        guard let record = EntityRecord<Content>(entity) else { return cache.invalidate(for: key) }
        cache.save(record, for: key, andTimestamp: Date(timeIntervalSinceReferenceDate: entity.timestamp))
    }

    /// Removes an entity.
    public func removeEntity(forKey key: QueryKey) {
        cache.invalidate(for: key)
    }

    /// Removes the entities of all addresses that are meant, of this name and content type: those of all users, since
    /// who signed out may be another by now.
    public func removeEntities(ofResourcesWhere isMeant: @Sendable (URL) -> Bool) {
        try? cache.removeValues(under: space.root) { key in
            // An address that cannot be read cannot be asked for either.
            key.components.last.flatMap { URL(string: $0) }.map(isMeant) ?? true
        }
    }
}
