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
        if slot.valueType == ObjectIdentifier(Value.self), let containment = definition.extras?.containment {
            adopt(saying: containment, slot)
        }
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
        forgetContents(of: slot)
        if let reading { slot.makeExtras().reading = reading }
        for core in slot.observers where !slot.canBeRead(as: core.type) {
            let error = slot.mismatch(with: core.type)
            emit(.misuse(error.description), key: slot.key, .requested)
            work.addRare { $0.expulsions.append((core, slot, error)) }
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
        if let containment = extras.containment { adopt(saying: containment, slot) }
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

extension QueryClient {
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

    @inline(__always)  // so that what it calls is compiled for the type of the result
    func withSlot<Value, Result>(
        for definition: QueryDefinition<Value>, with options: ResolvedOptions? = nil,
        _ body: (inout ClientState, Slot) throws -> Result
    ) throws -> Result {
        let options = options ?? self.options.resolve(definition)
        return try withSlot(finding: { try $0.slot(for: definition, options) }, body)
    }

    @inline(__always)  // as above
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
