extension QueryClient {
    /// Refetches the matching entries that are observed or were fetched before, and waits until all fetches have ended.
    public func refetch(_ filter: KeyFilter) async {
        await refetch(filter, cause: .requested)
    }

    package func refetch(_ filter: KeyFilter, cause: Cause, mode: FetchMode = .restart) async {
        var refetched: [SlotRequest] = []
        withMatches(filter) { state, slots in
            for slot in slots where slot.entry.mayRefetch && !state.isOwnFetch(of: slot) {
                state.send(.fetch(cause, mode: mode, fromStart: false), to: slot)
                refetched.append((slot, slot.entry.generation))
            }
        }
        await settle(refetched)
    }

    /// Waits until all running fetches of matching entries have ended. Does not wait for paused fetches.
    package func settle(_ filter: KeyFilter) async {
        var running: [SlotRequest] = []
        withMatches(filter) { _, slots in running = slots.map { ($0, $0.entry.generation) } }
        await settle(running)
    }

    /// A slot, and the number of a request that its entry is to answer.
    package typealias SlotRequest = (slot: Slot, number: UInt64)

    /// Waits until no fetch is in flight that was requested with these numbers or smaller ones.
    func settle(_ requests: [SlotRequest]) async {
        for (slot, number) in requests {
            var isFirst = true
            while true {
                guard !Task.isCancelled else { return }
                let waiter = WaitingCaller()
                let mustWait = transact { state in
                    // A fetch that has yielded a value may still run.
                    guard slot.entry.activity == .fetching, isFirst || slot.entry.answeredRequest < number else {
                        return false
                    }
                    // A fetcher must not wait for its own end.
                    return (try? state.awaitOutcome(waiter, at: slot, takesAny: true)) != nil
                }
                guard mustWait else { break }
                isFirst = false
                _ = try? await outcome(of: waiter, at: slot)
            }
        }
    }

    /// Cancels fetches in flight. Entries return to their state before the fetch. Waiting callers receive the cached
    /// value, or a `CancellationError`.
    public func cancel(_ filter: KeyFilter) {
        cancel(filter, cause: .requested)
    }

    package func cancel(_ filter: KeyFilter, cause: Cause) {
        withMatches(filter) { state, slots in
            for slot in slots { state.send(.cancel(cause), to: slot) }
        }
    }

    /// Resets entries to the initial values of their definitions, and refetches those that are observed.
    public func reset(_ filter: KeyFilter) {
        reset(filter, cause: .requested)
    }

    package func reset(_ filter: KeyFilter, cause: Cause) {
        var found: [(slot: Slot, initial: Slot.Extras.Initial?, costOf: (@Sendable (Payload) -> Int)?)] = []
        withMatches(filter) { _, slots in found = slots.map { ($0, $0.extras?.initial, $0.extras?.costOf) } }
        // User code: outside the lock.
        let starts = found.map { slot, initial, costOf in
            let initial = initial?()
            return (slot, initial, cost(of: initial?.payload, by: costOf))
        }
        transact { state in
            for (slot, initial, cost) in starts where !slot.isRemoved {
                if slot.extras?.persistence != nil { state.removeRecords(.key(slot.key)) }
                state.tellOfKey(of: slot, cause)
                state.clearSource(of: slot)
                state.send(.reset(initial: initial?.payload, age: initial?.age ?? .zero, cause), to: slot)
                state.charge(slot, cost)
                slot.extras?.noteEmptied()
                guard slot.entry.isActive, slot.entry.hasFetcher else { continue }
                state.send(.fetch(cause, mode: .restart, fromStart: true), to: slot)
            }
        }
        // Running mutations continue, so their edits are applied again.
        applyRunningEdits(on: starts.map(\.0))
    }

    /// Removes entries from memory and from the caches. An observed entry stays, without a value.
    ///
    /// A filter without conditions also removes records that have no entry in memory. In a cache that cannot list its
    /// keys, such records are marked stale.
    public func remove(_ filter: KeyFilter) {
        remove(filter, cause: .requested)
    }

    package func remove(_ filter: KeyFilter, cause: Cause) {
        var emptied: [Slot] = []
        withMatches(filter) { state, slots in
            if let scope = filter.recordScope {
                state.removeRecords(scope)
                state.tell(.removed(scope), cause)
            }
            // The pages of a list that is not in memory are unknown, so all its page records are removed.
            if case .key(let key) = filter.recordScope, slots.isEmpty {
                state.removeRecords(.path(key.pageRecords))
            }
            for slot in slots {
                if slot.extras?.persistence != nil { state.removeRecords(.key(slot.key)) }
                if filter.recordScope == nil { state.tellOfKey(of: slot, cause, isRemoved: true) }
                state.forget(slot, cause)
                if !slot.isRemoved { emptied.append(slot) }
            }
        }
        applyRunningEdits(on: emptied)
    }

    /// Signs out: cancels all fetches and mutations, and empties memory, queues, caches, an outbox, and the sources of
    /// truth of entries in use. Answers to earlier requests are not stored afterwards, in memory or on disk. Observed entries stay,
    /// without a value, and do not refetch by themselves.
    ///
    /// - Returns: The number of changes that were not sent yet and are discarded. `client.outbox.snapshot.count` is the
    ///   number before. Both include changes that are being sent, which the server may have made.
    /// - Throws: The error of a cache, an outbox's store or a source of truth that could not be emptied. Everything else is
    ///   empty all the same. The client tries again, and reads nothing from that cache until it is empty. If the process
    ///   ends before that, the cache keeps its content, or its file the bytes of removed data.
    @discardableResult
    public func clear() async throws -> ClearingReport {
        var waiters: [WaitingCaller] = []
        let dropped = transact { state in
            for slot in state.entries.slots(in: .all) {
                if let source = state.forget(slot, .cleared) { waiters.append(source) }
            }
            state.clearMutations()
            state.emit(.cleared, .cleared)
            state.work.hasUndelayedRecords = true
            let caches = state.records.clear()
            waiters += caches.waiters
            return caches.dropped
        }
        _ = dropped  // user values are released outside the lock
        var problem: (any Error)?
        let cleared = parts.map { $0.clear() }
        for part in cleared {
            do { try await part.stored() } catch { problem = problem ?? error }
        }
        // The writer finishes the current write and completes the sign-out, even if this caller is cancelled.
        _ = await environment.writing.during { await writer.writeAll(for: self) }
        for waiter in waiters {
            do { try await waiter.outcome.value(onCancel: .isIgnored) } catch { problem = problem ?? error }
        }
        if let problem { throw problem }
        return ClearingReport(discardedMutations: cleared.reduce(0) { $0 + $1.discarded })
    }

    /// Removes every entry from memory that is not observed, not being fetched, and not held by an object that stands for
    /// it. Caches keep their records.
    public func dropUnobserved() {
        dropUnobserved(.requested)
    }

    func dropUnobserved(_ cause: Cause) {
        transact { state in state.evict(cause) }
    }

    /// Descriptions of the matching entries in memory, ordered by key. Does not read caches, so records without an
    /// entry are not listed.
    public func entries(matching filter: KeyFilter = .all) -> [EntryInfo] {
        var infos: [EntryInfo] = []
        withMatches(filter) { state, slots in
            infos = slots.map { slot in
                state.catchUp(slot)
                return slot.info(state.context)
            }
        }
        return infos.sorted { $0.key.queryKeyValue < $1.key.queryKeyValue }
    }

    /// Number of entries in memory.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Sets default options for all keys at or below a path.
    ///
    /// They override the client's defaults, and a definition's own options override them. If two paths match, the one
    /// that was set later wins. Setting the defaults of a path again replaces them without changing their position.
    /// Entries take the new defaults when they are used next. The client calls `change` outside locks.
    ///
    /// ```swift
    /// client.setDefaults(for: "users") { $0.retry = .standard }
    /// ```
    public func setDefaults(for path: QueryKey, _ change: @escaping @Sendable (inout QueryOptions) -> Void) {
        options.set(change, for: path)
    }

    // MARK: One definition

    /// Marks the entry of a definition stale, in memory and in the caches, and refetches it if it is observed.
    public func invalidate<Value>(_ definition: QueryDefinition<Value>, refetch: RefetchScope = .active) {
        invalidate(.query(definition), refetch: refetch)
    }

    /// Marks the entry of a definition stale, in memory and in the caches, and waits until the resulting fetch has
    /// succeeded or failed, and until those who share the value can know of it.
    ///
    /// Does not wait for a paused fetch, nor for the store of a fleet that cannot be reached.
    public func invalidate<Value>(_ definition: QueryDefinition<Value>, refetch: RefetchScope = .active) async {
        await invalidate(.query(definition), refetch: refetch)
    }

    /// Marks the entry of a definition stale, and starts the resulting fetch without waiting for it. See
    /// ``invalidateWithoutWaiting(_:refetch:)-(KeyFilter,_)``.
    public func invalidateWithoutWaiting<Value>(_ definition: QueryDefinition<Value>, refetch: RefetchScope = .active) {
        invalidateWithoutWaiting(.query(definition), refetch: refetch)
    }

    /// Cancels the fetch of a definition that is in flight. See ``cancel(_:)-(KeyFilter)``.
    public func cancel<Value>(_ definition: QueryDefinition<Value>) {
        cancel(.query(definition))
    }

    /// Resets the entry of a definition to its initial value, and refetches it if it is observed.
    public func reset<Value>(_ definition: QueryDefinition<Value>) {
        reset(.query(definition))
    }

    /// Removes the entry of a definition from memory and from the caches. An observed entry stays, without a value.
    public func remove<Value>(_ definition: QueryDefinition<Value>) {
        remove(.query(definition))
    }

    /// Returns true if a fetch of a definition runs.
    public func isFetching<Value>(_ definition: QueryDefinition<Value>) -> Bool {
        isFetching(.query(definition))
    }

    /// Returns true if a fetch or a page load of any matching entry runs. A paused fetch does not run. To observe it, see
    /// ``activities(of:)``.
    public func isFetching(_ filter: KeyFilter = .all) -> Bool { activity(of: filter).isFetching }

    // MARK: Matching

    /// The entries that contain all items of a filter. `nil` if it has none. Calls code of the program.
    func holders(for filter: KeyFilter) -> [Slot]? {
        var found: [Slot]?
        for item in filter.conditions.compactMap(\.item) {
            let holders = slots(containing: item)
            found = found?.filter { slot in holders.contains { $0 === slot } } ?? holders
        }
        return found
    }

    /// Runs `body` with the matching slots. A filter without conditions is matched with the index, under the lock.
    /// Conditions are user code, so they are evaluated outside the lock, on the `EntryInfo` of the entries in the filter's
    /// scope.
    func withMatches(_ filter: KeyFilter, _ body: (inout ClientState, [Slot]) -> Void) {
        guard !filter.conditions.isEmpty else {
            return transact { state in
                body(&state, state.entries.slots(in: filter.scope))
            }
        }
        let holders = holders(for: filter)
        let candidates = transact { state in
            let found = holders?.filter { !$0.isRemoved && filter.scope.contains($0.key, tags: $0.tags) }
            return (found ?? state.entries.slots(in: filter.scope)).map { slot in
                state.catchUp(slot)
                return (slot, slot.info(state.context))
            }
        }
        let matches = candidates.filter { _, info in filter.accepts(info) }.map(\.0)
        transact { state in
            body(&state, matches.filter { !$0.isRemoved })
        }
    }
}

extension ClientState {
    /// Empties an entry, and removes it unless it is observed.
    @discardableResult
    mutating func forget(_ slot: Slot, _ cause: Cause) -> WaitingCaller? {
        let emptied = clearSource(of: slot)
        forgetInMemory(slot, cause)
        return emptied
    }

    /// Empties an entry, but not its source of truth, and removes it unless it is observed.
    mutating func forgetInMemory(_ slot: Slot, _ cause: Cause) {
        if !slot.isIdle {
            // The reset ends all fetches in flight, so no answer can be stored, even if its fetcher still runs.
            send(.clear(cause), to: slot)
        }
        guard slot.observers.isEmpty else {
            slot.extras?.noteEmptied()
            return
        }
        slot.isForgotten = true
        emit(.removed, key: slot.key, cause)
        remove(slot)
    }
}

extension Slot {
    func info(_ context: EntryContext) -> EntryInfo {
        let isStale =
            entry.observers.isEmpty
            ? entry.shown == nil || entry.isInvalidated
            : entry.isStaleForAnyObserver(at: context.now)
        return EntryInfo(
            key: key.adding(tags: tags), isActive: entry.isActive, observerCount: observers.count, isStale: isStale,
            activity: entry.activity, hasValue: entry.shown != nil, hasFailed: entry.failure != nil)
    }
}

/// The result of ``QueryClient/clear()``.
public struct ClearingReport: Sendable, Hashable {
    /// The number of enqueued mutations of the session that the server had not confirmed and that are gone. It includes
    /// those that ran: the server may have carried them out.
    public let discardedMutations: Int
}
