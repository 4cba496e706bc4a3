/// Names the built-in caches, and stores the global cache, which queries use if they name neither a cache nor a client.
public struct QueryCache: Sendable {
    private let wrappedCache: any QueryCacheType

    /// Wraps a cache for `setGlobal`.
    public init(wrappedCache: any QueryCacheType) {
        self.wrappedCache = wrappedCache
    }

    /// The cache of queries that name neither a cache nor a client. A query reads it when it is created. Initially the
    /// shared cache in memory.
    public static var global: any QueryCacheType { SharedState.current.cache.withLock { $0 } }

    /// Replaces ``global`` for queries that are created later.
    ///
    /// ```swift
    /// QueryCache.setGlobal(.userDefaults)
    /// ```
    public static func setGlobal(_ wrapper: QueryCache) {
        setGlobal(wrapper.wrappedCache)
    }

    /// Replaces ``global`` with a cache of your own for queries that are created later.
    @_disfavoredOverload  // `.userDefaults` must mean the `QueryCache`, as `.inMemory` does
    public static func setGlobal(_ cache: some QueryCacheType) {
        SharedState.current.cache.update { $0 = cache }
    }

    /// The shared cache in memory, wrapped for `setGlobal`.
    public static var inMemory: QueryCache { QueryCache(wrappedCache: InMemoryQueryCache.shared) }

    /// The shared cache in `UserDefaults`, wrapped for `setGlobal`.
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

/// The client, cache and configuration of queries that name none.
///
/// The engine never uses it. Only default arguments in the libraries above do. A test may run with its own.
package final class SharedState: Sendable {
    /// The shared state of the program, or of the running test.
    @TaskLocal package static var current = program
    static let program = SharedState()

    let cache = Locked<any QueryCacheType>(InMemoryQueryCache.shared)
    let config = Locked(QueryCacheConfig())
    private let known: Locked<QueryClient?>

    package init(client: QueryClient? = nil) {
        known = Locked(client)
    }

    /// The shared client. Made when it is first needed, unless the program has set one.
    package var client: QueryClient {
        if let client = known.withLock({ $0 }) { return client }
        let made = QueryClient()
        return known.withLock { known in
            let client = known ?? made
            known = client
            return client
        }
    }

    /// - Returns: The client that was the shared one until now.
    func replaceClient(by client: QueryClient) -> QueryClient? {
        known.withLock { known in
            defer { known = client }
            return known
        }
    }
}
