/// Names the stock caches, and holds the one that queries use when they name neither a cache nor a client.
public struct QueryCache: Sendable {
    private let wrappedCache: any QueryCacheType

    /// Wraps a cache, to make it the global one.
    public init(wrappedCache: any QueryCacheType) {
        self.wrappedCache = wrappedCache
    }

    /// The cache of queries that name neither a cache nor a client. Read when a query is created. At first the one in memory.
    public static var global: any QueryCacheType { SharedState.current.cache.withLock { $0 } }

    /// Replaces ``global`` for queries created from now on.
    ///
    /// ```swift
    /// QueryCache.setGlobal(.userDefaults)
    /// ```
    public static func setGlobal(_ wrapper: QueryCache) {
        setGlobal(wrapper.wrappedCache)
    }

    /// Replaces ``global`` with a cache of your own for queries created from now on.
    @_disfavoredOverload  // `.userDefaults` is a `QueryCache`, so that it can stand beside `.inMemory`
    public static func setGlobal(_ cache: some QueryCacheType) {
        let old = SharedState.current.cache.withLock { current in
            defer { current = cache }
            return current
        }
        _ = old  // freed after the lock is
    }

    /// The shared cache in memory, as `setGlobal` takes it.
    public static var inMemory: QueryCache { QueryCache(wrappedCache: InMemoryQueryCache.shared) }

    /// The shared cache in `UserDefaults`, as `setGlobal` takes it.
    public static var userDefaults: QueryCache { QueryCache(wrappedCache: UserDefaultsQueryCache.shared) }
}

extension QueryCacheType where Self == InMemoryQueryCache {
    /// The shared cache in memory.
    public static var inMemory: InMemoryQueryCache { .shared }
}

extension QueryCacheType where Self == UserDefaultsQueryCache {
    /// The shared cache in `UserDefaults`.
    public static var userDefaults: UserDefaultsQueryCache { .shared }
}
