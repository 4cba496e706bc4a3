// What faces need of a client beside what programs do.

extension QueryClient {
    /// The picture of the entry of a key, whoever observes it. `nil` when there is none, or it holds another type.
    package func picture<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EntryPicture? {
        var old: EntryPicture?
        return state.withLock { state in
            guard let slot = state.slots[key], slot.valueType == ObjectIdentifier(type) else { return nil }
            state.uses += 1
            slot.lastUsed = state.uses
            // Nobody would have one of an entry that is not observed replaced: it would hold on to the value.
            guard !slot.observers.isEmpty else { return EntryPicture(slot.entry, at: clock.now(), origin: origin) }
            return pictureNow(of: slot, replacing: &old)
        }
    }

    /// What is under way at a key, and until when what is there counts. `nil` when there is no entry.
    package func standing(of key: QueryKey, freshFor staleAfter: StaleTime, retryAfter: Duration) -> EntryStanding? {
        state.withLock { state in
            guard let slot = state.slots[key] else { return nil }
            state.uses += 1
            slot.lastUsed = state.uses
            return slot.standing(staleAfter, retryAfter, at: clock.now())
        }
    }

    /// Whether anybody else than one observer watches a key, or waits for it.
    package func isUsed(_ key: QueryKey, besides core: ObserverCore?) -> Bool {
        state.withLock { state in
            guard let slot = state.slots[key] else { return false }
            return !slot.waiters.isEmpty || slot.observers.contains { $0 !== core }
        }
    }

    /// Begins a fetch beside those that run, and does not wait for it.
    ///
    /// - Parameter begun: Told under the client's lock which fetch that is, before it does anything.
    /// - Throws: ``QueryError/typeMismatch(key:existing:requested:)``.
    package func beginFetch<Value>(
        _ definition: QueryDefinition<Value>, _ cause: Cause, begun: (_ generation: UInt64) -> Void = { _ in }
    ) throws {
        try withSlot(for: definition) { state, work, moment, slot in
            state.send(.fetch(cause, mode: .overtake, fromStart: false), to: slot, moment, &work)
            begun(slot.entry.flight?.generation ?? slot.entry.generation)
        }
    }

    /// Cancels a fetch, if it is under way. Others of the key go on.
    package func cancelFetch(_ generation: UInt64, of key: QueryKey) {
        transact { state, work, moment in
            guard let slot = state.slots[key], slot.entry.isUnderWay(generation) else { return }
            state.send(.cancelFetch(generation: generation, .requested), to: slot, moment, &work)
        }
    }

    // MARK: Caches of a face's own

    /// The entry of a key, where nothing is known yet. `nil` when something is, or there is no entry.
    package func emptyPlace<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EmptyPlace? {
        state.withLock { state in
            guard let slot = state.slots[key], slot.valueType == ObjectIdentifier(type) else { return nil }
            guard slot.entry.shown == nil, slot.entry.base == nil else { return nil }
            return EmptyPlace(slot: slot, valueVersion: slot.entry.valueVersion)
        }
    }

    /// Shows what was found in a cache, if nothing has come to the place, or was taken away from it, since.
    ///
    /// - Returns: What is shown.
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

    /// Whether a value that was found in a cache is still what counts.
    package func holds(_ payload: Payload, at place: EmptyPlace) -> Bool {
        state.withLock { _ in place.slot.holds(payload) }
    }

    /// Forgets entries and all below them, in memory. Those who observe any of them are told once all are empty.
    package func remove(within paths: [QueryKey]) {
        transact { state, work, moment in
            for path in paths {
                for slot in state.slots(in: .path(path)) { state.forget(slot, .requested, moment, &work) }
            }
        }
    }

    /// The keys of the entries below a key.
    package func keys(within path: QueryKey) -> [QueryKey] {
        state.withLock { $0.slots(in: .path(path)).map(\.key) }
    }

    // MARK: Use

    /// Protects the entry of a key from eviction, for an object of the program that uses it without observing it.
    ///
    /// There need not be an entry yet. Balance each call with ``release(_:)``.
    package func hold(_ key: QueryKey) {
        state.withLock { $0.holds[key, default: 0] += 1 }
    }

    /// Ends the protection of one ``hold(_:)``.
    package func release(_ key: QueryKey) {
        state.withLock { state in
            let count = state.holds[key, default: 0] - 1
            state.holds[key] = count > 0 ? count : nil
            if count <= 0, let slot = state.slots[key] { state.noteIfEvictable(slot) }
        }
    }

    /// Drops entries below a key that nobody uses, least recently used first, until no more than `count` are left.
    package func dropUnused(within path: QueryKey, downTo count: Int, _ cause: Cause = .unused) {
        withMatches(.path(path)) { state, slots, moment, work in
            var left = slots.count
            for slot in state.unused(among: slots) {
                guard left > count else { return }
                left -= 1
                state.emit(.removed, key: slot.key, cause, moment, &work)
                state.remove(slot, &work)
            }
        }
    }
}

/// An entry at a moment when nothing was known of it.
package struct EmptyPlace: Sendable, Equatable {
    let slot: Slot
    let valueVersion: UInt64

    package static func == (one: EmptyPlace, other: EmptyPlace) -> Bool {
        one.slot === other.slot && one.valueVersion == other.valueVersion
    }
}

/// How an entry stands, for a face that says itself what counts as fresh.
package struct EntryStanding: Sendable {
    /// Whether a fetch is under way, or waits to be.
    package let isFetching: Bool
    /// Whether the value is fresh; after a failure, whether it is too early to try again.
    package let isUpToDate: Bool
}

extension Slot {
    /// Field by field: to hand on the entry would count up all that it holds.
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
