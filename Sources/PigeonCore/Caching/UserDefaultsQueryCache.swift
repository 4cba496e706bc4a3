public import Foundation

/// A cache in `UserDefaults`, for a few small values.
///
/// All values are stored in one namespace, so a key cannot collide with a setting of the app, and emptying the cache
/// leaves other settings alone. For large or many values use `SQLiteQueryCache`. tvOS ends a program whose settings exceed
/// 1 MB, so on tvOS the cache refuses values beyond 512 KB and reports them.
///
/// Saved values are available to the next process. On Apple platforms, the system writes them to disk. Elsewhere, the
/// cache does so within 100 ms, on ``QueryClient/flush()``, and when the process exits, but not if the process is
/// killed before that.
public final class UserDefaultsQueryCache: QueryCacheType {
    /// The cache over `UserDefaults.standard`.
    public static let shared = UserDefaultsQueryCache()

    private let defaults: SavedDefaults
    private let namespace: String
    private let problems = QueryCacheProblems()
    /// The largest size of all values and their names. `nil` for any.
    private let byteLimit: Int?

    /// Half of what tvOS allows. The app's own settings have the other half.
    #if os(tvOS)
        package static let systemByteLimit: Int? = 512 << 10
    #else
        package static let systemByteLimit: Int? = nil
    #endif

    /// Creates a cache over a defaults database.
    ///
    /// - Parameters:
    ///   - defaults: The database. Other settings in it are never touched.
    ///   - namespace: The prefix of every key in the database.
    public convenience init(defaults: UserDefaults = .standard, namespace: String = "pigeon.query") {
        self.init(defaults: defaults, namespace: namespace, clock: SystemClock())
    }

    /// - Parameters:
    ///   - clock: Clock that times the writes to disk.
    ///   - byteLimit: The largest size of all values and their names. `nil` for any.
    package init(
        defaults: UserDefaults, namespace: String = "pigeon.query", clock: any QueryClock,
        byteLimit: Int? = UserDefaultsQueryCache.systemByteLimit
    ) {
        self.byteLimit = byteLimit
        self.defaults = SavedDefaults(defaults, clock: clock)
        self.namespace = namespace.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F")
    }

    private func name(of key: QueryKey) -> String { "\(namespace)/\(key.queryKeyValue)" }

    private func staleName(of key: QueryKey) -> String { "\(staleNamespace)/\(key.queryKeyValue)" }

    private var staleNamespace: String { "\(namespace)%stale" }

    /// The key that has this name in the database, or `nil` if the name is in another namespace.
    private func key(named name: String, in namespace: String) -> QueryKey? {
        // Compares bytes, because "/" followed by a combining mark is one character.
        let prefix = "\(namespace)/".utf8
        guard name.utf8.starts(with: prefix) else { return nil }
        return QueryKey(canonical: String(decoding: name.utf8.dropFirst(prefix.count), as: UTF8.self))
    }

    private struct StoredItem<T: Codable>: Codable {
        var savedAt: Date
        var tags: [String]
        var value: T
    }

    private struct Stamp: Codable {
        var savedAt: Date
        var tags: [String]
    }

    /// Saves a value as JSON. If it cannot be encoded, or is too large for tvOS, removes the old value and records a problem.
    public func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        do {
            let data = try JSONEncoder().encode(StoredItem(savedAt: timestamp, tags: key.tags, value: value))
            guard hasRoom(for: data, named: name(of: key)) else {
                invalidate(for: key)
                return problems.note(
                    "a \(T.self) of \(data.count) bytes exceeds the cache's limit and was not kept", key: key)
            }
            defaults.change {
                $0.set(data, forKey: name(of: key))
                $0.removeObject(forKey: staleName(of: key))
            }
        } catch {
            defaults.change { $0.removeObject(forKey: name(of: key)) }
            problems.note("a \(T.self) could not be encoded and was not kept", key: key)
        }
    }

    private func hasRoom(for data: Data, named name: String) -> Bool {
        guard let byteLimit else { return true }
        let prefix = "\(namespace)/".utf8
        var size = name.utf8.count + data.count
        for (other, stored) in defaults.values.dictionaryRepresentation()
        where other != name && other.utf8.starts(with: prefix) {
            size += other.utf8.count + ((stored as? Data)?.count ?? 0)
        }
        return size <= byteLimit
    }

    /// Removes the value and its time.
    public func invalidate(for key: QueryKey) {
        defaults.change {
            $0.removeObject(forKey: name(of: key))
            $0.removeObject(forKey: staleName(of: key))
        }
    }

    /// True if the cache has a value that is not marked stale and is valid by the policy.
    public func isValueValid(
        forKey key: QueryKey, timestamp: Date,
        andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool {
        guard let savedAt = savedAt(for: key), !isMarkedStale(key) else { return false }
        return policy.isValid(savedAt: savedAt, now: timestamp)
    }

    /// Returns the value, or `nil` if there is none. Removes a value that does not decode as `T`, so that it cannot
    /// count as valid.
    public func get<T: Codable>(for key: QueryKey) -> T? {
        guard let data = defaults.values.data(forKey: name(of: key)) else { return nil }
        do {
            return try JSONDecoder().decode(StoredItem<T>.self, from: data).value
        } catch {
            defaults.change { $0.removeObject(forKey: name(of: key)) }
            problems.note("the record did not decode as \(T.self) and was removed", key: key)
            return nil
        }
    }

    /// Returns the date at which the value was saved. `nil` if there is no value.
    public func savedAt(for key: QueryKey) -> Date? {
        guard let data = defaults.values.data(forKey: name(of: key)) else { return nil }
        return try? JSONDecoder().decode(Stamp.self, from: data).savedAt
    }

    /// Marks the values of a scope stale. Visits every value in the namespace unless the scope is one key.
    public func markStale(_ scope: QueryRecordScope) {
        for key in keys(in: scope) { defaults.change { $0.set(true, forKey: staleName(of: key)) } }
    }

    /// Removes the values of a scope. Visits every value in the namespace unless the scope is one key.
    public func remove(_ scope: QueryRecordScope) {
        if case .key(let key) = scope { return invalidate(for: key) }
        for key in keys(in: scope) { invalidate(for: key) }
    }

    /// The keys of a scope. Decodes values only to find a tag.
    private func keys(in scope: QueryRecordScope) -> [QueryKey] {
        if case .key(let key) = scope { return defaults.values.data(forKey: name(of: key)) == nil ? [] : [key] }
        return defaults.values.dictionaryRepresentation().compactMap { name, stored in
            guard let key = key(named: name, in: namespace) else { return nil }
            guard case .tag = scope else { return scope.contains(key, tags: []) ? key : nil }
            let tags = (stored as? Data).flatMap { try? JSONDecoder().decode(Stamp.self, from: $0).tags }
            return scope.contains(key, tags: tags ?? []) ? key : nil
        }
    }

    /// True if the cache has a value that is marked stale.
    public func isMarkedStale(_ key: QueryKey) -> Bool {
        defaults.values.bool(forKey: staleName(of: key))
    }

    /// Removes all values in the namespace, also from disk. Leaves other settings alone.
    public func removeAll() {
        for name in defaults.values.dictionaryRepresentation().keys
        where key(named: name, in: namespace) != nil || key(named: name, in: staleNamespace) != nil {
            defaults.change { $0.removeObject(forKey: name) }
        }
        defaults.save()
    }

    /// Removes the values below a path whose keys satisfy `isMeant`, also from disk. Visits every value in the
    /// namespace.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) {
        for key in keys(in: .path(path)) where isMeant(key) { invalidate(for: key) }
        defaults.save()
    }

    /// Writes unsaved changes to disk. Does nothing on Apple platforms, where the system writes them.
    public func flush() {
        defaults.save()
    }

    /// True if every change is on disk, or passed to the system to be written.
    package var isFlushed: Bool { defaults.isSaved }

    /// Returns the problems since the last call, and clears them.
    public func takeProblems() -> [QueryCacheProblem] { problems.take() }
}
