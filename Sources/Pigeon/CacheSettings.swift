import PigeonCore

extension QueryClient {
    /// The cache of queries that name none: the global cache for the shared client, otherwise the client's own cache,
    /// or one in memory. Clients share no data.
    var cacheOfQueries: any QueryCacheType { self === QueryClient.shared ? QueryCache.global : cache ?? memory }
}
