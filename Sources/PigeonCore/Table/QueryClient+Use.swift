extension QueryClient {
    /// Protects the entry of a key from eviction while an object of the program uses it without observing it.
    ///
    /// The entry need not exist yet. Balance each call with ``release(_:)``.
    package func hold(_ key: QueryKey) {
        state.withLock { $0.entries.hold(key) }
    }

    /// Ends the protection of one call to ``hold(_:)``.
    package func release(_ key: QueryKey) {
        state.withLock { state in
            if let slot = state.entries.release(key) { state.budget.noteIfUnused(slot, among: state.entries.count) }
        }
    }

    /// Removes unused entries below a key, least recently used first, until at most `count` entries are left.
    package func dropUnused(within path: QueryKey, downTo count: Int, _ cause: Cause = .unused) {
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

    /// True if another observer than `core` observes a key, or a caller waits for it.
    package func isUsed(_ key: QueryKey, besides core: ObserverCore?) -> Bool {
        state.withLock { state in
            guard let slot = state.entries[key] else { return false }
            return slot.entry.isAwaited || slot.observers.contains { $0 !== core }
        }
    }

    /// Removes entries and all entries below them from memory. Notifies their observers once all are empty.
    package func remove(within paths: [QueryKey]) {
        transact { state in
            for path in paths {
                for slot in state.entries.slots(in: .path(path)) { state.forget(slot, .requested) }
            }
        }
    }

    /// Prepares the entries of some keys for their source of truth being emptied: cancels their fetches, and removes the
    /// entries without observers. The others show what their source contains.
    package func letGo(of keys: [QueryKey]) {
        transact { state in
            for slot in keys.compactMap({ state.entries[$0] }) {
                guard slot.observers.isEmpty else {
                    state.send(.cancel(.requested), to: slot)
                    continue
                }
                state.forgetInMemory(slot, .requested)
            }
        }
    }

    /// Applies a definition's fetcher and options to its entry, if there is one.
    package func adopt<Value>(_ definition: QueryDefinition<Value>) {
        guard state.withLock({ $0.entries[definition.key] != nil }) else { return }
        _ = try? withSlot(for: definition) { _, _ in }
    }

    package func keys(within path: QueryKey) -> [QueryKey] {
        state.withLock { $0.entries.slots(in: .path(path)).map(\.key) }
    }
}
