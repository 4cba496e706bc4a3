/// What queries use when they name nothing: the program's one client, cache and configuration.
///
/// Nothing in the engine refers to it; only the faces' default arguments do. A test may run with one of its own.
package final class SharedState: Sendable {
    /// The program's own, or that of the test that runs.
    @TaskLocal package static var current = SharedState()

    package let client: QueryClient
    let cache = Locked<any QueryCacheType>(InMemoryQueryCache.shared)
    let config = Locked(QueryCacheConfig())

    package init(client: QueryClient = QueryClient()) {
        self.client = client
    }
}
