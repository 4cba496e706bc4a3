internal import Foundation

extension QueryClient {
    /// Moves the observers and callers of entries with temporary identifiers to the entries of the identifiers that a server
    /// has assigned. Ends the fetches that wait for an identifier that will never be assigned.
    package func noteAssigned(_ ids: [AssignedID]) {
        AssignedIDs.add(ids)
        transact { state in
            guard let items = state.items else { return }
            items.readAgain(with: ids.compactMap { $0.token?.uuidString })
            state.work.hasItems = true
        }
        let waiting = state.withLock { $0.entries.temporary }
        guard !waiting.isEmpty else { return }
        let abandoned = Set(ids.filter(\.isAbandoned).compactMap(\.token))
        for slot in waiting {
            if let key = slot.key.assigned { move(slot, to: key) }
            guard slot.key.temporaryIDs.contains(where: { abandoned.contains($0.token) }) else { continue }
            transact { state in
                if !slot.isRemoved { state.send(.cancel(.abandoned), to: slot) }
            }
        }
    }

    /// Moves the observers and callers of an entry to that of another key, and removes it. They stay if the other one has
    /// another type.
    private func move(_ old: Slot, to key: QueryKey) {
        let find = { (state: inout ClientState) throws -> Slot in
            try state.slot(of: key, inPlaceOf: old)
        }
        guard let new = try? withSlot(finding: find, { _, slot in slot }) else { return }
        if let value = state.withLock({ _ in old.entry.confirmedValue }) {
            take(FoundValue(payload: value, age: .zero, isStale: true), at: new) { _ in new.entry.shown == nil }
        }
        try? withSlot(finding: find) { state, new in
            guard !old.isRemoved else { return }
            for core in Array(old.observers) { move(core, from: old, to: new, &state) }
            for caller in old.entry.callers where caller.target == .whole {
                state.work.resumptions.append((caller, .failure(EntryMoved())))
                state.send(.leave(caller, isServed: true), to: old)
            }
            if old.extras?.persistence != nil { state.removeRecords(.key(old.key)) }
            // The source of truth is that of the other entry by now.
            state.forgetInMemory(old, .abandoned)
        }
    }
}

/// Ends the wait of a caller whose entry has moved to another key. The call then begins again.
struct EntryMoved: Error {}

extension ClientState {
    /// Finds the slot of a key, or creates it with the properties that definitions gave to another slot.
    fileprivate mutating func slot(of key: QueryKey, inPlaceOf old: Slot) throws -> Slot {
        let known = entries[key]
        let slot = known ?? entries.makeSlot(key: key, old.type, old.entry.options)
        guard slot.valueType == old.valueType else { throw slot.mismatch(with: old.type) }
        catchUp(slot)
        if slot.fetcher == nil, let fetcher = old.fetcher { adopt(fetcher, slot) }
        if known == nil, let extras = old.extras { slot.extras = extras.definitionProperties }
        if let contents = old.extras?.contents { adopt(saying: contents.containment, slot) }
        entries.use(slot)
        entries.tag(slot, with: old.tags)
        entries.noteChange(of: slot)
        return slot
    }
}
