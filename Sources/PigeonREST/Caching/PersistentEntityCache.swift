public import Dispatch
public import Foundation
public import PigeonCore
internal import PigeonHTTP

/// Stores entities in a query cache, such as one in SQLite or in memory.
///
/// ```swift
/// let file = try SQLiteQueryCache(at: caches.appendingPathComponent("api.sqlite"))
/// service.configure("/users/*") {
///     $0.pipeline[.model].cacheUsing(
///         PersistentEntityCache<User>(in: file, isolation: .perUser(identifiedBy: userID)))
/// }
/// ```
///
/// Entities are separated by the cache's name, the content type and the user. Content that does not have the type
/// `Content` is not stored. A record that cannot be decoded is removed.
public struct PersistentEntityCache<Content: Codable & Sendable>: EntityCache {
    private let cache: any QueryCacheType
    private let space: EntitySpace

    /// The serial queue on which the cache's functions run.
    public let workQueue = DispatchQueue(label: "PersistentEntityCache", qos: .userInitiated)

    /// Creates an entity cache in a query cache.
    ///
    /// - Parameters:
    ///   - cache: The query cache. It may contain other values too.
    ///   - name: Distinguishes the caches of several services, or of several stages of one service.
    ///   - isolation: The users for whom the entities are stored. A new user needs a new cache, so configure it again
    ///     on sign-in.
    public init(in cache: any QueryCacheType, name: String = "entities", isolation: DataIsolation) {
        self.cache = cache
        space = EntitySpace(name: name, contentType: Content.self, isolation: isolation)
    }

    /// Returns the key of the resource's entity.
    public func key(for resource: Resource) -> QueryKey? {
        space.key.appending(resource.url.absoluteString)
    }

    /// Returns the entity. `nil` if there is none, or if it cannot be decoded.
    public func readEntity(forKey key: QueryKey) -> Entity<any Sendable>? {
        if let record: EntityRecord<Content> = cache.get(for: key) { return record.entity }
        // Removes a record that cannot be decoded. Otherwise, each later read would fail in the same way.
        if cache.savedAt(for: key) != nil { cache.invalidate(for: key) }
        return nil
    }

    /// Stores an entity. If its content does not have the type `Content`, removes the previous entity instead.
    public func writeEntity(_ entity: Entity<any Sendable>, forKey key: QueryKey) {
        guard let record = EntityRecord<Content>(entity) else { return cache.invalidate(for: key) }
        cache.save(record, for: key, andTimestamp: Date(timeIntervalSinceReferenceDate: entity.timestamp))
    }

    /// Removes an entity.
    public func removeEntity(forKey key: QueryKey) {
        cache.invalidate(for: key)
    }

    /// Removes the entities with this cache's name and content type for all URLs that satisfy `isMeant`. Includes the
    /// entities of all users, because another user may be signed in by now.
    public func removeEntities(ofResourcesWhere isMeant: @Sendable (URL) -> Bool) {
        try? cache.removeValues(under: space.root) { key in
            // An entity without a readable URL cannot be requested, so it is removed too.
            key.components.last.flatMap { URL(string: $0) }.map(isMeant) ?? true
        }
    }
}

/// The users for whom a cache stores entities.
public enum DataIsolation: Sendable, Hashable {
    /// All users of the program on this device share the entities.
    case sharedByAllUsers
    /// Each user has separate entities. The cache never returns the entities of another user.
    ///
    /// - Parameter identifiedBy: A number or name that identifies the user. The cache stores only its hash.
    case perUser(identifiedBy: String)

    /// The session of an ``/PigeonOutbox/Outbox`` for the requests of the same user. It contains only a hash of the
    /// identification. `nil` for ``sharedByAllUsers``.
    ///
    /// ```swift
    /// client.outbox.setSession(DataIsolation.perUser(identifiedBy: token).session)
    /// ```
    public var session: String? {
        guard case .perUser(let name) = self else { return nil }
        return SHA256.hexDigest(of: QueryKey("session", name).queryKeyValue)
    }
}

extension DataIsolation: CustomStringConvertible {
    /// The name of the case. Does not contain the user.
    public var description: String {
        switch self {
        case .sharedByAllUsers: "shared by all users"
        case .perUser: "per user"
        }
    }
}

/// The keys of all entities with one format, name and content type, and of the entities of one user among them.
///
/// The keys contain hashes instead of user names, so that no user name is stored.
struct EntitySpace {
    /// Must change when older records can no longer be read.
    private static let format = 1

    /// The prefix of all keys.
    let root: QueryKey

    /// The prefix of the keys of one user.
    let key: QueryKey

    init(name: String, contentType: Any.Type, isolation: DataIsolation) {
        // Hashes a key, not concatenated text, because the components of a key remain distinct.
        let kind = QueryKey(first: Self.format, rest: [name, String(reflecting: contentType)])
        root = QueryKey("entities", SHA256.hexDigest(of: kind.queryKeyValue))
        switch isolation {
        case .sharedByAllUsers: key = root.appending("shared")
        case .perUser(let name): key = root.appending(SHA256.hexDigest(of: kind.appending(name).queryKeyValue))
        }
    }
}

/// The stored form of an entity, without header fields that contain secrets, such as `Set-Cookie`.
struct EntityRecord<Content: Codable & Sendable>: Codable, Sendable {
    private let content: Content
    private let headers: [String: String]
    private let charset: String?
    private let timestamp: TimeInterval

    /// Returns `nil` if the content does not have the type `Content`, or if the timestamp is not finite.
    init?(_ entity: Entity<any Sendable>) {
        guard let content: Content = ContentCast.cast(entity.content), entity.timestamp.isFinite else { return nil }
        self.content = content
        headers = entity.headers.filter { !Redaction.isSecret(header: $0.key.lowercased()) }
        charset = entity.charset
        timestamp = entity.timestamp
    }

    var entity: Entity<any Sendable> {
        Entity(content: content, charset: charset, headers: headers, timestamp: timestamp)
    }
}
