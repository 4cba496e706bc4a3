/// Writes records, one batch at a time and in order.
actor RecordWriter {
    /// Writes all that waits. When it returns, everything that was waiting before the call is written or was put back.
    ///
    /// - Returns: What could not be written.
    @discardableResult
    func write(for client: QueryClient) -> [QueryCacheProblem] {
        client.writePendingRecords()
    }

    /// Has each cache write to disk what it holds in memory only.
    func flush(_ caches: [any QueryCacheType]) {
        for cache in caches { cache.flush() }
    }
}
