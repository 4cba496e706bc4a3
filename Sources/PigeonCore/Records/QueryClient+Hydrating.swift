internal import Foundation

/// A value that was found in a cache or in another process, or the initial value of a definition.
package struct FoundValue {
    let payload: Payload
    let age: Duration
    var isStale = false
    /// The freshness lifetime that the server named, in nanoseconds.
    var freshFor: Int64?
    var metadata = AnswerMetadata()
}

extension FoundValue {
    package init(payload: Payload, age: Duration, isStale: Bool, freshFor: Int64?) {
        self.init(payload: payload, age: age, isStale: isStale, freshFor: freshFor, metadata: AnswerMetadata())
    }
}

/// The slots that the current task is reading from a cache. A cache that calls the client sees them as they are.
enum Hydration {
    @TaskLocal static var slots: [ObjectIdentifier] = []
}

extension QueryClient {
    /// Reads the value of a new entry from its cache, or takes the definition's initial value. Runs outside the lock,
    /// because it reads the disk and calls user code. The entry takes the value only if it has received no other in the
    /// meantime.
    func hydrate(_ slot: Slot) {
        let (key, persistence, queue, initial, isEmpty, pending, validity, unfollowed, isShared) = state.withLock {
            state in
            (
                slot.key, slot.extras?.persistence, slot.extras?.queue, slot.extras?.initial,
                slot.entry.shown == nil,
                slot.extras?.queue?.pending(for: slot.key.adding(tags: slot.tags)),
                slot.entry.options.values.cacheValidity, slot.extras?.queue?.beginFollowing(),
                slot.extras?.sharing != nil
            )
        }
        if let queue, let unfollowed { follow(unfollowed, of: queue) }
        let cache = queue?.cache
        var found: FoundValue?
        var recordMark = 0
        var problem: QueryCacheProblem?
        var isCorrupt = false
        if isEmpty, let persistence, let cache, let pending {
            let finding = Hydration.$slots.withValue(Hydration.slots + [ObjectIdentifier(slot)]) {
                persistence.load(
                    key, from: cache, pending: pending, at: clock.now(), environment.wallClock(),
                    policy: validity)
            }
            switch finding {
            case .none: break
            case .found(let record):
                problem = record.problem.map { QueryCacheProblem(key: key, description: $0) }
                recordMark = record.mark
                let age = age(since: record.savedAt)
                // Others may have invalidated a shared value since.
                found = FoundValue(
                    payload: record.payload, age: age ?? .zero, isStale: record.isStale || age == nil || isShared,
                    freshFor: record.freshFor, metadata: record.metadata)
            case .unreachable(let reason):
                problem = QueryCacheProblem(key: key, description: reason)
            case .unreadable(let reason):
                isCorrupt = true
                problem = QueryCacheProblem(key: key, description: "the record \(reason)")
            }
            report(cache.takeProblems())
        }
        let makeInitial = found == nil && isEmpty ? initial : nil
        let value = Hydration.$slots.withValue(Hydration.slots + [ObjectIdentifier(slot)]) { makeInitial?() }
        if let value { found = FoundValue(payload: value.payload, age: value.age) }
        take(found, at: slot) { state in
            // An entry that was emptied in the meantime stays empty, because the value predates that.
            guard slot.needsHydration else { return false }
            slot.extras?.isHydrated = true
            slot.extras?.recordMark = recordMark
            if let problem {
                state.emit(.cacheProblem(problem.description), key: slot.key, .cached)
                // A value that arrived in the meantime replaces the record.
                if isCorrupt, slot.entry.base == nil { state.removeRecords(.key(slot.key)) }
            }
            return true
        }
    }

    /// Commits a value that was found, if any, unless the entry has one, and the edits of running mutations. Calls user code,
    /// so it must not be called under a lock.
    ///
    /// - Parameter isWanted: Called in the same transaction, just before. Returns false to do nothing.
    /// - Returns: True if the value was taken.
    @discardableResult
    func take(_ found: FoundValue?, at slot: Slot, if isWanted: (inout ClientState) -> Bool) -> Bool {
        let (costOf, checksEnd) = state.withLock { _ in (slot.extras?.costOf, slot.extras?.isFinal) }
        let cost = cost(of: found?.payload, by: costOf)
        let isFinal = found.map { checksEnd?($0.payload) ?? false } ?? false
        let isTaken = prepareAndCommit {
            PreparedLayers(of: slot, in: self, found: found?.payload)
        } ifCurrent: { prepared, state -> Bool? in
            guard !slot.isRemoved else { return false }
            guard prepared.isCurrent(&state) else { return nil }
            guard isWanted(&state) else { return false }
            var isTaken = false
            if let found {
                state.send(.hydrate(found, isFinal: isFinal), to: slot)
                isTaken = slot.holds(found.payload)
                if isTaken, !slot.isRemoved {
                    slot.keep(found.metadata)
                    if budget != nil { state.charge(slot, cost) }
                }
            }
            prepared.commit(&state)
            if isTaken { state.serveWaiters(of: slot) }
            return isTaken
        }
        return isTaken ?? false
    }

    /// The age of a value that was saved at a date. `nil` if it is unknown, as for a date in the future: a clock that
    /// was set back must not make a value fresh again at each start (A4).
    func age(since savedAt: Date?) -> Duration? {
        guard let savedAt else { return nil }
        let now = environment.wallClock()
        return savedAt > now ? nil : Duration(untrustedSeconds: now.timeIntervalSince(savedAt))
    }
}
