internal import Foundation

// Takes the changes that others, such as an app extension, make in a cache that this client uses too (A66).
extension QueryClient {
    /// Listens to the changes that others make in a store, for as long as the client exists.
    func follow(_ store: any QueryRecordStore, of queue: RecordQueue) {
        let reference = reference
        let subscription = store.onChange { [weak queue] change in
            if let queue, let client = reference.client { client.take(change, from: store, of: queue) }
        }
        if let subscription { subscriptions.withLock { $0.append(subscription) } }
    }

    private func take(_ change: QueryCacheChange, from store: any QueryRecordStore, of queue: RecordQueue) {
        let slots = state.withLock { state in
            var scope = QueryRecordScope.all
            if case .records(let named) = change { scope = named }
            let slots = state.entries.slots(in: scope).filter { $0.extras?.queue === queue }
            if change == .replaced { for slot in slots { slot.extras?.recordMark = 0 } }
            return slots
        }
        // Neighbours in the store are read one after the other.
        for slot in slots.sorted(by: { $0.key.queryKeyValue < $1.key.queryKeyValue }) { renew(slot, from: store) }
        report(store.takeProblems())
    }

    /// Compares an entry with its record, and takes what others have changed. Reads the disk and calls user code, so it
    /// must not be called under a lock.
    private func renew(_ slot: Slot, from store: any QueryRecordStore) {
        guard let known = state.withLock({ _ in KnownRecord(of: slot) }) else { return }
        do {
            guard let record = try store.record(for: known.key) else { return remove(slot, known) }
            if known.mark == record.mark {
                if record.isStale { invalidate(slot, known) }
            } else if known.mark != 0 || isNewer(record, than: known) {
                // The last write counts, whatever its date: a change on top of an older value has that value's date.
                take(record, known, at: slot, from: store)
            }
        } catch {
            report([QueryCacheProblem(key: slot.key, description: Persistence.unreachable(error))])
        }
    }

    private func take(_ record: QueryRecord, _ known: KnownRecord, at slot: Slot, from store: any QueryRecordStore) {
        // A record that cannot be decoded may be that of a newer program.
        guard case .found(let found) = known.persistence.finding(of: record, known.key, in: store) else { return }
        let age = age(since: record.savedAt)
        // The value may not include the changes of this client's mutations.
        commit(
            to: slot, as: .addition(isCompared: true), base: { _ in found.payload },
            unless: { _ in !known.isCurrent(slot) },
            answerDetails: FetchRun.AnswerDetails(
                metadata: found.metadata, freshFor: found.freshFor, age: age?.clampedNanoseconds ?? 0)
        ) { candidate in
            // In the transaction, so that no write of this client comes between.
            slot.extras?.recordMark = found.mark
            var candidate = candidate
            candidate.freshFor = found.freshFor
            return .renewRecord(candidate, isStale: found.isStale || age == nil)
        }
    }

    private func invalidate(_ slot: Slot, _ known: KnownRecord) {
        transact { state in
            guard known.isCurrent(slot), !slot.entry.isInvalidated else { return }
            state.send(.invalidate(.otherProcess, refetch: .active), to: slot)
        }
    }

    private func remove(_ slot: Slot, _ known: KnownRecord) {
        guard known.mark != 0 else { return }
        let isEmptied = transact { state in
            guard known.isCurrent(slot) else { return false }
            state.forget(slot, .otherProcess)
            return !slot.isRemoved
        }
        if isEmptied { applyRunningEdits(on: [slot]) }
    }

    /// True if a record is newer than a value whose own record is unknown.
    private func isNewer(_ record: QueryRecord, than known: KnownRecord) -> Bool {
        guard known.writtenAt.nanoseconds > .min else { return true }
        let age = known.writtenAt.duration(to: clock.now()).inSeconds
        return record.savedAt > environment.wallClock().addingTimeInterval(-age)
    }
}

/// The last known state of an entry's record. Exists only while no change of this client waits to be written.
private struct KnownRecord {
    let key: QueryKey
    let persistence: Persistence
    let mark: Int
    let writtenAt: MonotonicInstant

    /// Called under the client's lock.
    init?(of slot: Slot) {
        guard !slot.isRemoved, let extras = slot.extras, extras.isHydrated, let persistence = extras.persistence,
            let queue = extras.queue
        else { return nil }
        key = slot.key.adding(tags: slot.tags)
        guard case .nothing = queue.pending(for: key) else { return nil }
        self.persistence = persistence
        mark = extras.recordMark
        writtenAt = slot.entry.writtenAt
    }

    /// True if the entry and its record are as they were. Called under the client's lock.
    func isCurrent(_ slot: Slot) -> Bool {
        guard let now = KnownRecord(of: slot) else { return false }
        return now.mark == mark && now.writtenAt == writtenAt
    }
}
