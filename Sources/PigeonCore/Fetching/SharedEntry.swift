internal import Foundation

/// The facts of an entry whose value a ``SharingPart`` shares with others.
package struct SharedEntry: Sendable {
    /// The key, with its tags.
    package let key: QueryKey
    /// True if a caller wants an answer of the server, whatever others know.
    package let isDemanded: Bool
    /// True if there is no value, or if it must be fetched again.
    package let isStale: Bool
    /// The time of the value that is fetched again.
    package let writtenAt: MonotonicInstant
    package let refreshEarly: Duration
    package let rememberFailures: Duration
    private let coding: Persistence
    private let freshness: QueryClient.Lifetime

    /// Called under the client's lock. `nil` if the entry is not shared.
    init?(_ slot: Slot, at now: MonotonicInstant) {
        guard let extras = slot.extras, let coding = extras.sharing else { return nil }
        let options = slot.entry.options.values
        key = slot.key.adding(tags: slot.tags)
        self.coding = coding
        isDemanded = slot.entry.flight?.isDemanded ?? false
        isStale = slot.entry.shown == nil || slot.entry.isStale(for: options.staleAfter, at: now)
        writtenAt = slot.entry.writtenAt
        (refreshEarly, rememberFailures) = (options.refreshEarly, options.rememberFailures)
        freshness = QueryClient.Lifetime(slot)
    }

    /// The time for which a value is fresh. `nil` for ever.
    ///
    /// - Parameter named: The time that the server named, in nanoseconds.
    package func lifetime(of payload: Payload, named: Int64?) -> Duration? {
        freshness.whole(payload, named: named).map { .nanoseconds($0) }
    }

    /// The time for which the value of a record is fresh. `nil` for ever.
    package func lifetime(of payload: Payload, in record: QueryRecord) -> Duration? {
        lifetime(of: payload, named: record.freshForNanoseconds)
    }

    /// Encodes a value, with the details of its answer. `nil` if that fails. Calls user code.
    package func record(of payload: Payload, _ answerDetails: FetchRun.AnswerDetails = FetchRun.AnswerDetails())
        -> QueryRecord?
    {
        guard let part = (try? coding.parts(payload, key, nil))?.saved.first?.part,
            let data = try? RecordData.data(of: part)
        else {
            return nil
        }
        return QueryRecord(
            data: data, savedAt: Date(timeIntervalSince1970: 0), schema: coding.schema,
            freshFor: answerDetails.freshFor,
            metadata: answerDetails.metadata, tags: key.tags)
    }

    /// Decodes a value. `nil` if that fails. Calls user code.
    package func payload(of record: QueryRecord) -> Payload? {
        try? coding.value(of: record, key, in: nil)?.payload
    }
}

extension FetchRun {
    /// Takes the value of a record that others have fetched as the answer.
    package func take(_ payload: Payload, of record: QueryRecord, age: Duration) -> FetchOutcome {
        noteReceived(
            age: age, freshFor: record.freshFor.flatMap { Duration(untrustedSeconds: $0) }, metadata: record.metadata)
        return .value(payload)
    }

    /// Shows a value that others have fetched while the entry has none, and lets the fetch revalidate it.
    package func begin(with payload: Payload, of record: QueryRecord, age: Duration, isStale: Bool) {
        guard previous == nil else { return }
        (previous, validators) = (payload, record.validators)
        let found = FoundValue(
            payload: payload, age: age, isStale: isStale, freshFor: record.freshForNanoseconds,
            metadata: record.metadata)
        client.client?.take(found, at: slot) { _ in !self.isStopped }
    }
}

extension QueryClient {
    /// Makes a fetch go through the part that shares values, if it shares this entry.
    func shared(
        _ fetch: @escaping @Sendable (FetchRun) async -> FetchOutcome, of slot: Slot, by sharer: any SharingPart
    ) -> @Sendable (FetchRun) async -> FetchOutcome {
        guard let entry = state.withLock({ _ in SharedEntry(slot, at: clock.now()) }) else { return fetch }
        return { run in await sharer.fetch(run, entry, from: fetch) }
    }

    /// Returns the current value of a shared entry, if the program has written it. `nil` if there is none, or if it was
    /// invalidated since.
    package func written(at key: QueryKey) -> (entry: SharedEntry, payload: Payload)? {
        state.withLock { state in
            guard let slot = state.entries[key], !state.entries.isBehind(slot), !slot.entry.isInvalidated,
                let entry = SharedEntry(slot, at: clock.now()), let payload = slot.entry.confirmedValue
            else { return nil }
            return (entry, payload)
        }
    }

    /// Marks shared values stale of which it is not known whether others have changed them.
    ///
    /// - Parameter isMeant: Selects the entries. Called under the client's lock.
    package func invalidateShared(where isMeant: (QueryKey, Entry) -> Bool) {
        transact { state in
            let slots = state.entries.slots.values.filter { $0.extras?.sharing != nil && isMeant($0.key, $0.entry) }
            for slot in slots.sorted(by: { $0.lastUsed < $1.lastUsed }) {
                state.send(.invalidate(.otherProcess, refetch: .active), to: slot)
            }
        }
    }
}

// Changes that others are notified of.
extension ClientState {
    /// Notifies others of a change, unless it came from another process.
    mutating func tell(_ change: ClientChange, _ cause: Cause) {
        guard hasSharer, cause.origin != .otherProcess else { return }
        work.addRare { $0.changes.append(change) }
    }

    /// Notifies others of the change of one entry, if it is shared.
    mutating func tellOfKey(of slot: Slot, _ cause: Cause, isRemoved: Bool = false) {
        guard slot.extras?.sharing != nil else { return }
        tell(isRemoved ? .removed(.key(slot.key)) : .stale(.key(slot.key)), cause)
    }

    /// Notifies others that the program has written the value of an entry, if it is shared. Called after the entry's input.
    mutating func tellOfWrite(to slot: Slot) {
        guard slot.extras?.sharing != nil else { return }
        work.addRare { $0.changes.append(.written(slot.key)) }
    }
}
