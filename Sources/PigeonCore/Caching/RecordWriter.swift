/// Writes records, one batch at a time and in order.
actor RecordWriter {
    /// Writes all pending work. When it returns, all work that was pending before the call is written or queued again.
    ///
    /// - Returns: The values that could not be written.
    @discardableResult
    func write(for client: QueryClient) -> [QueryCacheProblem] {
        client.writePendingRecords()
    }

    /// Makes each cache write to disk the changes that are only in memory.
    func flush(_ caches: [any QueryCacheType]) {
        for cache in caches { cache.flush() }
    }
}
