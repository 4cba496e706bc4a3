/// The fetch state and the freshness of an entry, for a caller with its own rules of freshness.
package struct UpdateStatus: Sendable {
    /// True if a fetch is in flight or paused.
    package let isFetching: Bool
    /// True if the value is fresh or, after a failure, if it is too early to try again.
    package let isUpToDate: Bool

    /// - Parameters:
    ///   - failedAt: The time of the last fetch if it has failed.
    ///   - isInvalidated: True if the program has invalidated the entry since.
    ///   - isStale: True if the value is missing or stale. Evaluated only if the last fetch has not failed.
    fileprivate init(
        isFetching: Bool, failedAt: MonotonicInstant?, isInvalidated: Bool, retryAfter: Duration,
        at now: MonotonicInstant, isStale: @autoclosure () -> Bool
    ) {
        self.isFetching = isFetching
        isUpToDate = failedAt.map { !isInvalidated && $0.duration(to: now) <= retryAfter } ?? !isStale()
    }
}

extension EntryState {
    /// The fetch state and the freshness at the time of this state.
    package func updateStatus(freshFor staleAfter: StaleTime, retryAfter: Duration) -> UpdateStatus {
        UpdateStatus(
            isFetching: activity != .idle, failedAt: failure == nil ? nil : failedAt,
            isInvalidated: wasInvalidatedByName, retryAfter: retryAfter, at: takenAt,
            isStale: isStale(for: staleAfter, at: takenAt))
    }
}

extension QueryClient {
    /// The state of the entry of a key. `nil` if there is no entry, or if it holds another type.
    package func entryState<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EntryState? {
        var old: EntryState?
        return read(key) { state, slot in
            guard slot.valueType == ObjectIdentifier(type) else { return nil }
            state.entries.use(slot)
            // The state of an unobserved entry is not stored: no notification would replace it, so it would retain
            // the value.
            guard !slot.observers.isEmpty else {
                return EntryState(slot.entry, key: slot.key, at: clock.now(), origin: origin)
            }
            return captureEntryState(of: slot, replacing: &old)
        }
    }

    /// The fetch state and the freshness of the entry of a key. `nil` if there is no entry.
    package func updateStatus(of key: QueryKey, freshFor staleAfter: StaleTime, retryAfter: Duration) -> UpdateStatus? {
        read(key) { state, slot in
            state.entries.use(slot)
            return slot.updateStatus(staleAfter, retryAfter, at: clock.now())
        }
    }
}

extension Slot {
    /// Reads single fields, because passing the entry would retain everything in it.
    fileprivate func updateStatus(
        _ staleAfter: StaleTime, _ retryAfter: Duration, at now: MonotonicInstant
    ) -> UpdateStatus {
        UpdateStatus(
            isFetching: entry.activity != .idle, failedAt: entry.failure == nil ? nil : entry.failedAt,
            isInvalidated: entry.wasInvalidatedByName, retryAfter: retryAfter, at: now,
            isStale: entry.shown == nil
                || staleAfter.isStale(
                    writtenAt: entry.writtenAt, freshFor: entry.freshFor, isInvalidated: entry.isInvalidated, at: now)
        )
    }
}
