/// The client, cache and configuration of queries that name none.
///
/// The engine never uses it. Only default arguments in the libraries above do. A test may run with its own.
package final class SharedState: Sendable {
    /// The shared state of the program, or of the running test.
    @TaskLocal package static var current = SharedState()

    package let client: QueryClient
    let cache = Locked<any QueryCacheType>(InMemoryQueryCache.shared)
    let config = Locked(QueryCacheConfig())

    package init(client: QueryClient = QueryClient()) {
        self.client = client
    }
}
