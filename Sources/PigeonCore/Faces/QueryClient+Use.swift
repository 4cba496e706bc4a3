extension QueryClient {
    /// Protects the entry of a key from eviction while an object of the program uses it without observing it.
    ///
    /// The entry need not exist yet. An unused entry is still removed after the time that its definition keeps it: see
    /// ``QueryDefinition/keepFor(_:)``. Balance each call with ``release(_:)``.
    public func hold(_ key: QueryKey) {
        state.withLock { $0.entries.hold(key) }
    }

    /// Ends the protection of one call to ``hold(_:)``.
    public func release(_ key: QueryKey) {
        state.withLock { state in
            if let slot = state.entries.release(key) { state.budget.noteIfUnused(slot, among: state.entries.count) }
        }
    }

    /// Removes unused entries of a key and those below it from memory, least recently used first, until at most `count`
    /// entries are left. Entries that are observed, fetched, held or awaited stay.
    ///
    /// ```swift
    /// client.removeUnused(within: "pictures", keeping: 100)
    /// ```
    public func removeUnused(within path: QueryKey, keeping count: Int) {
        removeUnused(within: path, keeping: count, .unused)
    }

    package func removeUnused(within path: QueryKey, keeping count: Int, _ cause: Cause) {
        withMatches(.path(path)) { state, slots in
            var left = slots.count
            for slot in state.entries.unused(among: slots) {
                guard left > count else { return }
                left -= 1
                state.emit(.removed, key: slot.key, cause)
                state.remove(slot)
            }
        }
    }
}
