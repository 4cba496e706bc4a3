public import Foundation

/// A cache in `UserDefaults`, for a few small values.
///
/// All is kept under one namespace, so a key can never meet a setting of the app's, and emptying the cache touches
/// nothing else. Large or many values belong in `SQLiteQueryCache`.
public final class UserDefaultsQueryCache: QueryCacheType {
    /// The cache over `UserDefaults.standard`.
    public static let shared = UserDefaultsQueryCache()

    private let defaults: UncheckedDefaults
    private let namespace: String
    private let problems = Locked<[QueryCacheProblem]>([])

    private struct UncheckedDefaults: @unchecked Sendable {  // UserDefaults is documented as thread-safe
        let value: UserDefaults
    }

    /// Creates a cache over a defaults database.
    ///
    /// - Parameters:
    ///   - defaults: The database. Other settings in it are never touched.
    ///   - namespace: What every key begins with.
    public init(defaults: UserDefaults = .standard, namespace: String = "pigeon.query") {
        self.defaults = UncheckedDefaults(value: defaults)
        self.namespace = namespace.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F")
    }

    private func name(of key: QueryKey) -> String { "\(namespace)/\(key.queryKeyValue)" }

    private func staleName(of key: QueryKey) -> String { "\(namespace)%stale/\(key.queryKeyValue)" }

    private struct Stored<T: Codable>: Codable {
        var savedAt: Date
        var tags: [String]
        var value: T
    }

    private struct Stamp: Codable {
        var savedAt: Date
        var tags: [String]
    }

    /// Keeps a value as JSON. One that cannot be encoded is not kept, the old one is removed, and the problem is noted.
    public func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        do {
            let data = try JSONEncoder().encode(Stored(savedAt: timestamp, tags: key.tags, value: value))
            defaults.value.set(data, forKey: name(of: key))
            defaults.value.removeObject(forKey: staleName(of: key))
        } catch {
            defaults.value.removeObject(forKey: name(of: key))
            note(key, "a \(T.self) could not be encoded and was not kept")
        }
    }

    /// Removes the value and its time.
    public func invalidate(for key: QueryKey) {
        defaults.value.removeObject(forKey: name(of: key))
        defaults.value.removeObject(forKey: staleName(of: key))
    }

    /// Whether a value is kept, is not marked stale, and is within the policy.
    public func isValueValid(
        forKey key: QueryKey, timestamp: Date,
        andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool {
        guard let savedAt = savedAt(for: key), !isMarkedStale(key) else { return false }
        return policy.isValid(savedAt: savedAt, now: timestamp)
    }

    /// The value. One that does not decode as `T` is a miss, and is removed so that it can never pass for valid.
    public func get<T: Codable>(for key: QueryKey) -> T? {
        guard let data = defaults.value.data(forKey: name(of: key)) else { return nil }
        do {
            return try JSONDecoder().decode(Stored<T>.self, from: data).value
        } catch {
            defaults.value.removeObject(forKey: name(of: key))
            note(key, "the record did not decode as \(T.self) and was removed")
            return nil
        }
    }

    /// When the value was saved.
    public func savedAt(for key: QueryKey) -> Date? {
        guard let data = defaults.value.data(forKey: name(of: key)) else { return nil }
        return try? JSONDecoder().decode(Stamp.self, from: data).savedAt
    }

    /// Marks the values of a scope stale. Looks at every value in the namespace unless the scope is one key.
    public func markStale(_ scope: QueryRecordScope) {
        if case .key(let key) = scope {
            if defaults.value.data(forKey: name(of: key)) != nil {
                defaults.value.set(true, forKey: staleName(of: key))
            }
            return
        }
        let prefix = "\(namespace)/"
        for (name, stored) in defaults.value.dictionaryRepresentation() where name.hasPrefix(prefix) {
            let key = QueryKey(canonical: String(name.dropFirst(prefix.count)))
            let tags = (stored as? Data).flatMap { try? JSONDecoder().decode(Stamp.self, from: $0).tags }
            if scope.contains(key, tags: tags ?? []) { defaults.value.set(true, forKey: staleName(of: key)) }
        }
    }

    /// Whether a value is kept and marked stale.
    public func isMarkedStale(_ key: QueryKey) -> Bool {
        defaults.value.bool(forKey: staleName(of: key))
    }

    /// Removes what is in the namespace, and nothing else.
    public func removeAll() {
        for name in defaults.value.dictionaryRepresentation().keys
        where name.hasPrefix("\(namespace)/") || name.hasPrefix("\(namespace)%stale/") {
            defaults.value.removeObject(forKey: name)
        }
    }

    /// Removes the values that are meant. Looks at every value in the namespace.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) {
        let prefix = "\(namespace)/"
        for name in defaults.value.dictionaryRepresentation().keys where name.hasPrefix(prefix) {
            let key = QueryKey(canonical: String(name.dropFirst(prefix.count)))
            if key.isWithin(path), isMeant(key) { invalidate(for: key) }
        }
    }

    /// Hands over the problems met since the last call.
    public func takeProblems() -> [QueryCacheProblem] {
        problems.withLock { problems in
            defer { problems = [] }
            return problems
        }
    }

    private func note(_ key: QueryKey, _ description: String) {
        problems.withLock { problems in
            if problems.count < 100 { problems.append(QueryCacheProblem(key: key, description: description)) }
        }
    }
}
