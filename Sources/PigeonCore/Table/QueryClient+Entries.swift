internal import Foundation

extension ClientState {
    /// Finds or creates the slot at which to observe a definition. A definition that can only observe accepts any type
    /// that it can read.
    mutating func slot<Value>(toWatch definition: QueryDefinition<Value>, _ options: ResolvedOptions) throws -> Slot {
        guard definition.onlyWatches, let slot = entries[definition.key],
            slot.isUnowned || slot.canBeRead(as: Value.self)
        else { return try self.slot(for: definition, options) }
        catchUp(slot)
        entries.use(slot)
        entries.tag(slot, with: definition.key.tags)
        return slot
    }

    /// Finds or creates the slot of a definition. The slot takes the definition's fetcher and options.
    mutating func slot<Value>(for definition: QueryDefinition<Value>, _ options: ResolvedOptions) throws -> Slot {
        var found = entries[definition.key]
        if let found { catchUp(found) }
        if let slot = found, slot.isUnowned, !slot.observers.isEmpty, !definition.onlyWatches {
            claim(slot, as: Value.self, definition.extras?.reading, options)
        }
        if let slot = found, slot.valueType != ObjectIdentifier(Value.self) {
            guard slot.isVacant else {
                let error = slot.mismatch(with: Value.self)
                emit(.misuse(error.description), key: definition.key, .requested)
                throw error
            }
            remove(slot)
            found = nil
        }
        let slot = found ?? entries.makeSlot(key: definition.key, Value.self, options)
        if found == nil { reportMismatchedEdits(of: slot) }
        if let fetcher = definition.fetcher {
            if let old = slot.fetcher, old !== fetcher { discard(old) }
            adopt(fetcher, slot)
        } else if slot.fetcher == nil {
            slot.entry.hasFetcher = false
        }
        // A definition without a fetcher only reads, so the entry does not take its options.
        if found != nil, definition.fetcher != nil {
            if slot.entry.options !== options { discard(slot.entry.options) }
            slot.entry.adopt(options)
        }
        entries.use(slot)
        if let extras = definition.extras { adopt(extras, slot) }
        entries.tag(slot, with: definition.key.tags)
        entries.noteChange(of: slot)
        return slot
    }

    /// Changes the type of a slot that was only observed to the type of its first value or fetcher. Observers that
    /// cannot read the new type show an error.
    private mutating func claim(
        _ slot: Slot, as type: any Sendable.Type, _ reading: Reading?, _ options: ResolvedOptions
    ) {
        slot.type = type
        slot.entry.adopt(options)
        if let reading { slot.makeExtras().reading = reading }
        for core in slot.observers where !slot.canBeRead(as: core.type) {
            let error = slot.mismatch(with: core.type)
            emit(.misuse(error.description), key: slot.key, .requested)
            work.expulsions.append((core, slot, error))
        }
    }

    mutating func adopt(_ fetcher: AnyFetcher, _ slot: Slot) {
        slot.fetcher = fetcher
        slot.entry.hasFetcher = true
        slot.entry.hasSource = fetcher.source != nil
        fetcher.source?.use(sourceQueues.queue(of: slot.key))
    }

    private mutating func adopt<Value>(_ extras: QueryDefinition<Value>.Extras, _ slot: Slot) {
        let mine = slot.makeExtras()
        if let persistence = extras.persistence, mine.persistence == nil, !slot.entry.hasSource {
            mine.persistence = persistence
            mine.queue = (persistence.cache ?? cache).map { records.queue(of: $0) }
            if mine.queue == nil { mine.persistence = nil }
        }
        if hasSharer, mine.sharing == nil { mine.sharing = extras.sharing }
        if let reading = extras.reading {
            discard(mine.reading)
            mine.reading = reading
        }
        if mine.initial == nil, let initial = extras.initial {
            mine.initial = { initial().map { (PayloadOf($0), $1) } }
        }
        if mine.costOf == nil, let cost = extras.cost {
            mine.costOf = { ($0 as? PayloadOf<Value>).map { max(0, cost($0.value)) } ?? 0 }
        }
        if mine.isFinal == nil, let isFinal = extras.isFinal {
            mine.isFinal = { ($0 as? PayloadOf<Value>).map { isFinal($0.value) } ?? false }
        }
        if mine.freshFor == nil, let freshFor = extras.freshFor {
            mine.freshFor = { payload in
                guard let payload = payload as? PayloadOf<Value> else { return nil }
                return switch freshFor(payload.value).kind {
                case .after(let nanoseconds): nanoseconds
                case .never, .immutable: .max
                }
            }
        }
    }
}

/// A value that was found in a cache or in another process, or the initial value of a definition.
struct FoundValue {
    let payload: Payload
    let age: Duration
    var isStale = false
    /// The freshness lifetime that the server named, in nanoseconds.
    var freshFor: Int64?
    var metadata = AnswerMetadata()
}

/// The slots that the current task is reading from a cache. A cache that calls the client sees them as they are.
private enum Hydration {
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
        show(found, at: slot) { state in
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

    /// Shows a value that was found, if any, unless the entry has one, and the edits of running mutations. Calls user code,
    /// so it must not be called under a lock.
    ///
    /// - Parameter isWanted: Called in the same transaction, just before. Returns false to do nothing.
    /// - Returns: True if the value was taken.
    @discardableResult
    func show(_ found: FoundValue?, at slot: Slot, if isWanted: (inout ClientState) -> Bool) -> Bool {
        let (costOf, checksEnd) = state.withLock { _ in (slot.extras?.costOf, slot.extras?.isFinal) }
        let cost = cost(of: found?.payload, by: costOf)
        let isFinal = found.map { checksEnd?($0.payload) ?? false } ?? false
        let isTaken = commit {
            PreparedLayers(of: slot, in: self, found: found?.payload)
        } ifCurrent: { prepared, state -> Bool? in
            guard !slot.isRemoved else { return false }
            guard prepared.isCurrent(&state) else { return nil }
            guard isWanted(&state) else { return false }
            var isTaken = false
            if let found {
                state.send(
                    .hydrate(
                        found.payload, age: found.age, isStale: found.isStale, freshFor: found.freshFor,
                        isFinal: isFinal), to: slot)
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

    /// Finds or creates the slot of a definition whose value is about to be replaced. Reads its cache only if the old
    /// value matters: if it is stored in parts, some of which may have to be removed, or if running mutations edit it.
    func slot<Value>(toReplace definition: QueryDefinition<Value>) throws -> Slot {
        let options = options.resolve(definition)
        let slot = try transact { state in
            let slot = try state.slot(for: definition, options)
            let isPlain = slot.extras?.persistence?.isIncremental != true && state.missingEdits(of: slot).isEmpty
            return isPlain ? slot : nil
        }
        return try slot ?? withSlot(for: definition, with: options) { _, slot in slot }
    }

    func withSlot<Value, Result>(
        for definition: QueryDefinition<Value>, with options: ResolvedOptions? = nil,
        _ body: (inout ClientState, Slot) throws -> Result
    ) throws -> Result {
        let options = options ?? self.options.resolve(definition)
        return try withSlot(finding: { try $0.slot(for: definition, options) }, body)
    }

    func withSlot<Value, Result>(
        toWatch definition: QueryDefinition<Value>, with options: ResolvedOptions,
        _ body: (inout ClientState, Slot) throws -> Result
    ) throws -> Result {
        try withSlot(finding: { try $0.slot(toWatch: definition, options) }, body)
    }

    /// Finds or creates a slot, and runs `body` on it in the same transaction. If its cache was not read yet, reads the cache
    /// outside of the lock, and finds the slot again.
    func withSlot<Result>(
        finding find: (inout ClientState) throws -> Slot,
        _ body: (inout ClientState, Slot) throws -> Result
    ) throws -> Result {
        while true {
            var cold: Slot?
            var unedited: Slot?
            let result = try transact { state -> Result? in
                let slot = try find(&state)
                if slot.needsHydration {
                    if !Hydration.slots.contains(ObjectIdentifier(slot)) { cold = slot }
                } else if !state.missingEdits(of: slot).isEmpty {
                    unedited = slot
                }
                return cold == nil && unedited == nil ? try body(&state, slot) : nil
            }
            if let result { return result }
            if let cold { hydrate(cold) }
            if let unedited { applyRunningEdits(on: [unedited]) }
        }
    }

    /// Runs `body` on the slot of a key, under the lock. `nil` if the key has none.
    func read<Result>(_ key: QueryKey, _ body: (inout ClientState, Slot) -> Result?) -> Result? {
        while true {
            var isBehind = false
            let result = state.withLock { state -> Result? in
                guard let slot = state.entries[key] else { return nil }
                isBehind = state.entries.isBehind(slot)
                return isBehind ? nil : body(&state, slot)
            }
            guard isBehind else { return result }
            transact { state in
                if let slot = state.entries[key] { state.catchUp(slot) }
            }
        }
    }

    /// The slot of a definition. Reads the cache if the definition is persisted and the value is not in memory. `nil`
    /// if the key has neither an entry, nor a cache or a source of truth, or if it holds another type.
    func cachedSlot<Value>(of definition: QueryDefinition<Value>) -> Slot? {
        let isPersisted =
            definition.fetcher?.source != nil
            || definition.extras?.persistence.map { ($0.cache ?? cache) != nil } ?? false
        let (found, isRead) = state.withLock { state -> (Slot?, Bool) in
            guard let slot = state.entries[definition.key] else { return (nil, !isPersisted) }
            guard slot.valueType == ObjectIdentifier(Value.self) else { return (nil, !isPersisted || !slot.isVacant) }
            let isKnown = slot.extras?.isHydrated == true || slot.entry.sourceWork.wasRead
            return (slot, !isPersisted || slot.entry.shown != nil || isKnown)
        }
        guard !isRead else { return found }
        return try? withSlot(for: definition) { state, slot in
            // The slot may never be used again, so its unused time starts now.
            state.touch(slot)
            return slot
        }
    }
}
