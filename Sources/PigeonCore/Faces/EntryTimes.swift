/// The activity of an entry and the times of its value, for a face with rules of freshness of its own.
package struct EntryTimes: Sendable {
    /// The time of the reading.
    package let now: MonotonicInstant
    package let activity: Activity
    /// The time at which the value was received. `nil` if there is no value.
    package let writtenAt: MonotonicInstant?
    /// The time of the last fetch, if it has failed.
    package let failedAt: MonotonicInstant?
    /// True if the value counts as stale whatever its age.
    package let isInvalidated: Bool
    /// True if the program has invalidated the entry since the last answer.
    package let wasInvalidatedByName: Bool
    /// The freshness lifetime that the server named, in nanoseconds.
    let freshFor: Int64?

    /// True if there is no value, or if it is stale.
    package func isStale(for staleAfter: StaleTime) -> Bool {
        guard let writtenAt else { return true }
        return staleAfter.isStale(writtenAt: writtenAt, freshFor: freshFor, isInvalidated: isInvalidated, at: now)
    }
}

extension EntryState {
    /// The times of the entry when this state was taken.
    package var times: EntryTimes {
        EntryTimes(
            now: takenAt, activity: activity, writtenAt: payload == nil ? nil : writtenAt,
            failedAt: failure == nil ? nil : failedAt, isInvalidated: isInvalidated,
            wasInvalidatedByName: wasInvalidatedByName, freshFor: freshFor)
    }
}

extension QueryClient {
    /// The times of the entry of a key. `nil` if there is no entry.
    package func times(of key: QueryKey) -> EntryTimes? {
        read(key) { state, slot in
            state.entries.use(slot)
            return slot.times(at: clock.now())
        }
    }

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
}

extension Slot {
    /// Reads single fields, because passing the entry would retain everything in it.
    func times(at now: MonotonicInstant) -> EntryTimes {
        EntryTimes(
            now: now, activity: entry.activity, writtenAt: entry.shown == nil ? nil : entry.writtenAt,
            failedAt: entry.failure == nil ? nil : entry.failedAt, isInvalidated: entry.isInvalidated,
            wasInvalidatedByName: entry.wasInvalidatedByName, freshFor: entry.freshFor)
    }
}
