public import PigeonCore

extension QueryOptions {
    /// The way in which a query uses its cache. `nil` for other definitions.
    ///
    /// Setting it also sets `cacheValidity`, and makes the definition belong to the face of queries.
    public var cacheConfig: QueryCacheConfig? {
        get { (face as? CachedQueries)?.config }
        set {
            face = newValue.map { CachedQueries(config: $0) }
            cacheValidity = newValue?.invalidationPolicy
        }
    }
}

extension QueryDefinition {
    func cacheConfig(_ config: QueryCacheConfig) -> Self { options { $0.cacheConfig = config } }
}

extension Snapshot {
    /// The cache configuration of the query that fetches this entry.
    var config: QueryCacheConfig? { (face as? CachedQueries)?.config }
}

extension QueryClient {
    /// The cache of queries that name none: the global cache for the shared client, otherwise the client's own cache,
    /// or one in memory. Clients share no data.
    var cacheOfQueries: any QueryCacheType { self === QueryClient.shared ? QueryCache.global : cache ?? ownMemory }

    /// A cache in memory that no other client uses.
    private var ownMemory: InMemoryQueryCache {
        attachments.withLock { attachments in
            if let known = attachments["Pigeon memory"] as? InMemoryQueryCache { return known }
            let memory = InMemoryQueryCache()
            attachments["Pigeon memory"] = memory
            return memory
        }
    }
}

/// The face of queries that use a cache. A consumer shows the state of the query that fetches its entry, so it needs that
/// query's configuration.
private struct CachedQueries: QueryFace {
    let config: QueryCacheConfig

    /// Queries are what most programs use, so their causes need no name.
    var name: String? { nil }
}
