/// Writes records, one batch at a time and in order.
actor RecordWriter {
    /// Writes all that waits. When it returns, everything that was waiting before the call is written or was put back.
    func write(for client: QueryClient) {
        client.writePendingRecords()
    }

    /// Has each cache write to disk what it holds in memory only.
    func flush(_ caches: [any QueryCacheType]) {
        for cache in caches { cache.flush() }
    }
}
