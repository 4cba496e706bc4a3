public import Dispatch
public import Foundation
public import PigeonCore
internal import PigeonHTTP

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

/// Who may see what a cache keeps.
public enum DataIsolation: Sendable, Hashable {
    /// All who use the program on this device.
    case sharedByAllUsers
    /// The one who is signed in. What was kept for another is never found.
    ///
    /// - Parameter identifiedBy: Tells users apart: a number or a name. It is not written to the cache in clear.
    case perUser(identifiedBy: String)
}

extension DataIsolation: CustomStringConvertible {
    /// Which case it is. Not who.
    public var description: String {
        switch self {
        case .sharedByAllUsers: "shared by all users"
        case .perUser: "per user"
        }
    }
}

/// Which entities belong together: those of one format, name and content type, and among them those of one user.
///
/// Hashes stand in keys, so that no user's name is written down.
struct EntitySpace {
    /// Changes when older records must not be read.
    private static let format = 1

    /// What the keys of all its entities begin with.
    let root: QueryKey

    /// What the keys of one user's begin with.
    let key: QueryKey

    init(name: String, contentType: Any.Type, isolation: DataIsolation) {
        // As a key, since parts of keys never run together.
        let kind = QueryKey(first: Self.format, rest: [name, String(reflecting: contentType)])
        root = QueryKey("entities", SHA256.hexDigest(of: kind.queryKeyValue))
        switch isolation {
        case .sharedByAllUsers: key = root.appending("shared")
        case .perUser(let name): key = root.appending(SHA256.hexDigest(of: kind.appending(name).queryKeyValue))
        }
    }
}

/// An entity as it is kept: without header fields that hold secrets, such as `Set-Cookie`.
struct EntityRecord<Content: Codable & Sendable>: Codable, Sendable {
    private let content: Content
    private let headers: [String: String]
    private let charset: String?
    private let timestamp: TimeInterval

    /// `nil` for content of another type.
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
