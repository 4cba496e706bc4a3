// Functions of a client that only the libraries above it use.

extension QueryClient {
    /// The picture of the entry of a key. `nil` if there is no entry, or if it holds another type.
    package func picture<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EntryPicture? {
        var old: EntryPicture?
        return state.withLock { state in
            guard let slot = state.entries[key], slot.valueType == ObjectIdentifier(type) else { return nil }
            state.entries.use(slot)
            // The picture of an unobserved entry is not stored: no notification would replace it, so it would retain
            // the value.
            guard !slot.observers.isEmpty else { return EntryPicture(slot.entry, at: clock.now(), origin: origin) }
            return pictureNow(of: slot, replacing: &old)
        }
    }

    /// The fetch state and the freshness of the entry of a key. `nil` if there is no entry.
    package func standing(of key: QueryKey, freshFor staleAfter: StaleTime, retryAfter: Duration) -> EntryStanding? {
        state.withLock { state in
            guard let slot = state.entries[key] else { return nil }
            state.entries.use(slot)
            return slot.standing(staleAfter, retryAfter, at: clock.now())
        }
    }

    /// True if another observer than `core` observes a key, or a caller waits for it.
    package func isUsed(_ key: QueryKey, besides core: ObserverCore?) -> Bool {
        state.withLock { state in
            guard let slot = state.entries[key] else { return false }
            return !slot.waiters.isEmpty || slot.observers.contains { $0 !== core }
        }
    }

    /// Starts a fetch beside those in flight, and does not wait for it.
    ///
    /// - Parameter begun: Called under the client's lock with the fetch's generation, before the fetch starts.
    /// - Throws: ``QueryError/typeMismatch(key:existing:requested:)``.
    package func beginFetch<Value>(
        _ definition: QueryDefinition<Value>, _ cause: Cause, begun: (_ generation: UInt64) -> Void = { _ in }
    ) throws {
        try withSlot(for: definition) { state, work, moment, slot in
            state.send(.fetch(cause, mode: .overtake, fromStart: false), to: slot, moment, &work)
            begun(slot.entry.flight?.generation ?? slot.entry.generation)
        }
    }

    /// Cancels a fetch, if it is in flight. Other fetches of the key continue.
    package func cancelFetch(_ generation: UInt64, of key: QueryKey) {
        transact { state, work, moment in
            guard let slot = state.entries[key], slot.entry.isUnderWay(generation) else { return }
            state.send(.cancelFetch(generation: generation, .requested), to: slot, moment, &work)
        }
    }

    // MARK: Caches of a face's own

    /// The place of an entry that has no value yet. `nil` if it has a value, or if there is no entry.
    package func emptyPlace<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EmptyPlace? {
        state.withLock { state in
            guard let slot = state.entries[key], slot.valueType == ObjectIdentifier(type) else { return nil }
            guard slot.entry.shown == nil, slot.entry.base == nil else { return nil }
            return EmptyPlace(slot: slot, valueVersion: slot.entry.valueVersion)
        }
    }

    /// Shows a cached value, unless the entry has received or lost a value since the place was taken.
    ///
    /// - Returns: The payload that is shown. `nil` if the value was not taken.
    package func show<Value: Sendable>(cached value: Value, age: Duration, at place: EmptyPlace) -> Payload? {
        let payload = PayloadOf(value)
        let cost = budget == nil ? 0 : payload.estimatedCost
        return transact { state, work, moment in
            let slot = place.slot
            guard !slot.isRemoved, slot.entry.valueVersion == place.valueVersion else { return nil }
            state.send(.hydrate(payload, age: age, isStale: false, freshFor: nil), to: slot, moment, &work)
            guard slot.entry.shown === payload else { return nil }
            if budget != nil { state.charge(slot, cost, moment, &work) }
            return payload
        }
    }

    /// True if a value that was found in a cache is still the current one.
    package func holds(_ payload: Payload, at place: EmptyPlace) -> Bool {
        state.withLock { _ in place.slot.holds(payload) }
    }

    /// Removes entries and all entries below them from memory. Notifies their observers once all are empty.
    package func remove(within paths: [QueryKey]) {
        transact { state, work, moment in
            for path in paths {
                for slot in state.entries.slots(in: .path(path)) { state.forget(slot, .requested, moment, &work) }
            }
        }
    }

    /// The keys of the entries below a key.
    package func keys(within path: QueryKey) -> [QueryKey] {
        state.withLock { $0.entries.slots(in: .path(path)).map(\.key) }
    }

    // MARK: Use

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
        withMatches(.path(path)) { state, slots, moment, work in
            var left = slots.count
            for slot in state.entries.unused(among: slots) {
                guard left > count else { return }
                left -= 1
                state.emit(.removed, key: slot.key, cause, moment, &work)
                state.remove(slot, &work)
            }
        }
    }
}

/// Identifies an entry that had no value, and the state that it had then.
package struct EmptyPlace: Sendable, Equatable {
    let slot: Slot
    let valueVersion: UInt64

    package static func == (one: EmptyPlace, other: EmptyPlace) -> Bool {
        one.slot === other.slot && one.valueVersion == other.valueVersion
    }
}

/// The fetch state and the freshness of an entry, for a caller with its own rules of freshness.
package struct EntryStanding: Sendable {
    /// True if a fetch is in flight or paused.
    package let isFetching: Bool
    /// True if the value is fresh or, after a failure, if it is too early to try again.
    package let isUpToDate: Bool
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
