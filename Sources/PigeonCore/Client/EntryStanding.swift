/// The fetch state and the freshness of an entry, for a caller with its own rules of freshness.
package struct EntryStanding: Sendable {
    /// True if a fetch is in flight or paused.
    package let isFetching: Bool
    /// True if the value is fresh or, after a failure, if it is too early to try again.
    package let isUpToDate: Bool
}

extension QueryClient {
    /// The picture of the entry of a key. `nil` if there is no entry, or if it holds another type.
    package func picture<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EntryPicture? {
        var old: EntryPicture?
        return read(key) { state, slot in
            guard slot.valueType == ObjectIdentifier(type) else { return nil }
            state.entries.use(slot)
            // The picture of an unobserved entry is not stored: no notification would replace it, so it would retain
            // the value.
            guard !slot.observers.isEmpty else { return EntryPicture(slot.entry, at: clock.now(), origin: origin) }
            return pictureNow(of: slot, replacing: &old)
        }
    }

    /// The fetch state and the freshness of the entry of a key. `nil` if there is no entry.
    package func standing(of key: QueryKey, freshFor staleAfter: StaleTime, retryAfter: Duration) -> EntryStanding? {
        read(key) { state, slot in
            state.entries.use(slot)
            return slot.standing(staleAfter, retryAfter, at: clock.now())
        }
    }
}

extension Slot {
    /// Reads single fields, because passing the entry would retain everything in it.
    fileprivate func standing(
        _ staleAfter: StaleTime, _ retryAfter: Duration, at now: MonotonicInstant
    ) -> EntryStanding {
        let isFetching = entry.activity != .idle
        if entry.failure != nil, let failedAt = entry.failedAt {
            let isEarly = !entry.wasInvalidatedByName && failedAt.duration(to: now) <= retryAfter
            return EntryStanding(isFetching: isFetching, isUpToDate: isEarly)
        }
        let isStale =
            entry.shown == nil
            || staleAfter.isStale(
                writtenAt: entry.writtenAt, freshFor: entry.freshFor, isInvalidated: entry.isInvalidated, at: now)
        return EntryStanding(isFetching: isFetching, isUpToDate: !isStale)
    }
}
