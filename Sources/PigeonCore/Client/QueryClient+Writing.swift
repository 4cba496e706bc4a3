/// The effect of a write on a fetch in flight.
public enum WritePolicy: Sendable, Hashable {
    /// The fetch's answer replaces the written value.
    case fetchWins
    /// The written value stays, and the answer to an earlier request is dropped. The default. After an edit, which
    /// changes only a part of the value, another fetch follows if the entry is observed.
    case keep
}

extension QueryClient {
    /// The value in memory or, if the definition is persisted, in its cache, however old. `nil` if there is none, or if
    /// the key holds another type.
    ///
    /// Never fetches and never suspends. A value in memory takes one look-up. Otherwise, the cache of a persisted
    /// definition is read and decoded on the calling thread, once. The entry stores the result, even if there was no
    /// value.
    @inlinable
    public func value<Value>(of definition: QueryDefinition<Value>) -> Value? {
        let payload = payload(of: definition.key, type: ObjectIdentifier(Value.self)) ?? cachedPayload(of: definition)
        return (payload as? PayloadOf<Value>)?.value
    }

    @usableFromInline
    func cachedPayload<Value>(of definition: QueryDefinition<Value>) -> Payload? {
        guard definition.extras?.persistence != nil, let slot = cachedSlot(of: definition) else { return nil }
        return state.withLock { _ in slot.entry.shown }
    }

    /// The value in memory at a key. Does not read caches, because a key alone does not define how to decode a value.
    @inlinable
    public func value<Value: Sendable>(of key: QueryKey, as type: Value.Type = Value.self) -> Value? {
        (payload(of: key, type: ObjectIdentifier(type)) as? PayloadOf<Value>)?.value
    }

    @usableFromInline
    func payload(of key: QueryKey, type: ObjectIdentifier) -> Payload? {
        state.withLock { state in
            guard let slot = state.entries[key], slot.valueType == type else { return nil }
            state.entries.use(slot)
            return slot.entry.shown
        }
    }

    /// The current snapshot of a query, by the definition's own options. Never fetches.
    ///
    /// If there is no value in memory, the cache of a persisted definition is read on the calling thread, once.
    public func snapshot<Value>(of definition: QueryDefinition<Value>) -> Snapshot<Value> {
        if definition.extras?.persistence != nil { _ = cachedSlot(of: definition) }
        let options = options.resolve(definition)
        let entryState = read(definition.key) { _, slot -> EntryState? in
            guard slot.valueType == ObjectIdentifier(Value.self) else { return nil }
            return EntryState(slot.entry, key: slot.key, at: clock.now(), origin: origin)
        }
        return Snapshot(
            entryState ?? emptyEntryState(of: definition.key),
            options: SnapshotOptions(staleAfter: options.values.staleAfter))
    }

    /// Writes a value as if it had just been received, and caches it.
    ///
    /// - Throws: ``QueryError/typeMismatch(key:existing:requested:)`` if the key holds another type.
    public func set<Value>(
        _ value: Value, for definition: QueryDefinition<Value>, during policy: WritePolicy = .keep
    ) throws {
        try set(value, age: .zero, for: definition, during: policy)
    }

    /// Writes a value at a key, without a definition.
    public func set<Value: Sendable>(_ value: Value, for key: QueryKey) throws {
        try set(value, for: QueryDefinition<Value>.value(key))
    }

    /// Edits the value in memory or in the cache of a persisted definition. Does nothing if there is none.
    ///
    /// If there is no value in memory, the cache of a persisted definition is read on the calling thread, once. During a
    /// first load there is nothing to edit yet, and the answer may have left the server before the event that the edit
    /// stands for. The value is then fetched once more after that answer, as after an invalidation, so the event is not
    /// lost.
    ///
    /// - Parameters:
    ///   - definition: The query to edit.
    ///   - policy: The effect of the edit on a fetch in flight.
    ///   - edit: Changes the value. Called outside locks, and called again if the value changes in the meantime.
    /// - Returns: True if there was a value to edit.
    @discardableResult
    public func update<Value>(
        _ definition: QueryDefinition<Value>, during policy: WritePolicy = .keep, _ edit: (inout Value) -> Void
    ) -> Bool {
        update(definition, during: policy, cause: .written, of: nil, edit)
    }

    /// Edits all values of a type in memory that a filter selects, as one change: no observer and no reader sees one of
    /// them edited and another not.
    ///
    /// ```swift
    /// client.update(.path(of: .searches), as: [User].self) { $0.rename(id, to: name) }
    /// ```
    ///
    /// A record that has no entry in memory cannot be edited without its definition. It is marked stale, so that its
    /// next reader fetches.
    ///
    /// - Parameters:
    ///   - filter: Selects the entries.
    ///   - type: The type of the values. Values of other types stay as they are.
    ///   - policy: The effect of the edit on a fetch in flight.
    ///   - edit: Changes the value. Called outside locks, and called again if a value changes in the meantime.
    /// - Returns: Number of values that were edited.
    @discardableResult
    public func update<Value: Sendable>(
        _ filter: KeyFilter, as type: Value.Type, during policy: WritePolicy = .keep, _ edit: (inout Value) -> Void
    ) -> Int {
        update(filter, as: type, during: policy, cause: .written, of: nil, edit)
    }

    @discardableResult
    func update<Value: Sendable>(
        _ filter: KeyFilter, as type: Value.Type, during policy: WritePolicy, cause: Cause, of mutation: UInt64?,
        _ edit: (inout Value) -> Void
    ) -> Int {
        let slots = slots(matching: filter, as: type)
        transact { state in
            if let scope = filter.recordScope {
                // Before the edits, whose own records are not stale.
                state.markRecords(scope)
                state.tell(.stale(scope), cause)
            }
            guard policy == .keep, !state.isCleared(mutation) else { return }
            for slot in slots where slot.entry.base == nil && slot.entry.isBusy {
                state.followFirstLoad(of: slot, cause)
            }
        }
        return commitEdits(of: slots, during: policy, cause, of: mutation) { _, base in Self.edited(base, by: edit) }
    }

    /// Edits the values of several entries, as one change.
    ///
    /// - Parameter edited: Edits the value of an entry. `nil` leaves the entry alone.
    /// - Returns: Number of values that were edited.
    func commitEdits(
        of slots: [Slot], during policy: WritePolicy, _ cause: Cause, of mutation: UInt64?,
        editing item: ItemKey? = nil,
        _ edited: (Slot, Payload?) -> Payload?
    ) -> Int {
        commit(to: slots, as: .edit(policy), base: edited, dropping: mutation, editing: item) {
            .write($0, .edit, keepsOverFetch: policy == .keep, cause)
        }
    }

    static func edited<Value: Sendable>(_ base: Payload?, by edit: (inout Value) -> Void) -> Payload? {
        guard let base = base as? PayloadOf<Value> else { return nil }
        var value = base.value
        edit(&value)
        return PayloadOf(value)
    }

    @discardableResult
    func update<Value>(
        _ definition: QueryDefinition<Value>, during policy: WritePolicy, cause: Cause, of mutation: UInt64?,
        _ edit: (inout Value) -> Void
    ) -> Bool {
        while let slot = cachedSlot(of: definition) {
            var wasMissing = false
            let isWritten = write(slot, .edit, policy, cause, of: mutation) { base in
                wasMissing = base == nil
                return Self.edited(base, by: edit)
            }
            if isWritten { return true }
            let isOver = transact { state in
                // If the entry was removed between the two steps, the edit is applied to the entry that is found next.
                guard !slot.isRemoved else { return false }
                // The answer may also have been stored between the two steps.
                let isLoad = slot.entry.isBusy || slot.entry.base != nil || slot.entry.mayHaveUnreadContent
                if wasMissing, isLoad, policy == .keep, !state.isCleared(mutation) {
                    state.followFirstLoad(of: slot, cause)
                }
                return true
            }
            if isOver { return false }
        }
        return false
    }

    /// Writes a value as if it had been received `age` ago. A negative age counts as zero.
    package func set<Value>(
        _ value: Value, age: Duration, for definition: QueryDefinition<Value>, during policy: WritePolicy
    ) throws {
        let payload = PayloadOf(value)
        let age = max(0, age.clampedNanoseconds)
        var isWritten = false
        while !isWritten {
            // If the entry was removed between the two steps, the value is written to a new entry.
            let slot = try slot(toReplace: definition)
            isWritten = write(slot, .value, policy, .written, age: age) { _ in payload }
            // A mutation that started between the two steps edits the value as it edits one that was cached.
            if state.withLock({ _ in slot.needsHydration }) { hydrate(slot) }
        }
    }

    /// - Parameter mutation: The mutation whose answer the value is, if any. Its layers are dropped. Nothing is written
    ///   if the client was cleared after the mutation started.
    /// - Returns: True if the value was written. False if the entry was removed in the meantime.
    func write(
        _ slot: Slot, _ kind: WriteKind, _ policy: WritePolicy, _ cause: Cause, of mutation: UInt64? = nil,
        age: Int64 = 0, _ base: (Payload?) -> Payload?
    ) -> Bool {
        let written = commit(
            to: slot, as: kind == .edit ? .edit(policy) : .value, base: base, dropping: mutation,
            unless: { $0.isCleared(mutation) || slot.isRemoved }
        ) { candidate in
            var candidate = candidate
            candidate.age = age
            return .write(candidate, kind, keepsOverFetch: policy == .keep, cause)
        }
        return written != nil
    }
}

extension ClientState {
    /// Lets another fetch follow a first load, because the program edits the value that the load is about to bring. The
    /// answer may predate what the edit says, and there is nothing to edit before it (A34). The same holds for the content
    /// of a source of truth that is not read yet.
    mutating func followFirstLoad(of slot: Slot, _ cause: Cause) {
        send(.invalidate(cause, refetch: .active), to: slot)
    }
}
