/// What a write does to a fetch that is running.
public enum WritePolicy: Sendable, Hashable {
    /// The fetch's answer replaces what was written.
    case fetchWins
    /// What was written stays: the answer of a fetch asked before is dropped. The default. An edit, which only says what is
    /// different, is followed by another fetch while somebody observes.
    case keep
}

extension QueryClient {
    /// The value in memory or, if the definition is persisted, in its cache, however old. `nil` when there is none, or when
    /// the key holds another type.
    ///
    /// Never fetches, never suspends. A value in memory costs a look-up. If there is none, the cache of a persisted
    /// definition is read and decoded on the calling thread, once; the entry keeps the result, also that there is none.
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

    /// The value in memory at a key. Does not read caches, since a key alone does not say how a value is decoded.
    @inlinable
    public func value<Value: Sendable>(of key: QueryKey, as type: Value.Type = Value.self) -> Value? {
        (payload(of: key, type: ObjectIdentifier(type)) as? PayloadOf<Value>)?.value
    }

    @usableFromInline
    func payload(of key: QueryKey, type: ObjectIdentifier) -> Payload? {
        state.withLock { state in
            guard let slot = state.slots[key], slot.valueType == type else { return nil }
            state.uses += 1
            slot.lastUsed = state.uses
            return slot.entry.shown
        }
    }

    /// The picture of a query now, by the definition's own terms. Never fetches.
    ///
    /// If there is no value in memory, the cache of a persisted definition is read on the calling thread, once.
    public func snapshot<Value>(of definition: QueryDefinition<Value>) -> Snapshot<Value> {
        if definition.extras?.persistence != nil { _ = cachedSlot(of: definition) }
        let options = options(of: definition)
        let picture = state.withLock { state -> EntryPicture? in
            guard let slot = state.slots[definition.key], slot.valueType == ObjectIdentifier(Value.self) else {
                return nil
            }
            return EntryPicture(slot.entry, at: clock.now(), origin: origin)
        }
        return Snapshot(
            picture ?? emptyPicture(of: definition.key), terms: SnapshotTerms(staleAfter: options.values.staleAfter))
    }

    /// Writes a value, as if it had just been received. It is cached like one.
    ///
    /// - Throws: ``QueryError/typeMismatch(key:existing:requested:)`` when the key holds another type.
    public func set<Value>(
        _ value: Value, for definition: QueryDefinition<Value>, during policy: WritePolicy = .keep
    ) throws {
        var isWritten = false
        while !isWritten {
            // Removed between the two steps, it is written into a new entry.
            let slot = try withSlot(for: definition) { _, _, _, slot in slot }
            isWritten = write(slot, .value, policy, .written) { _ in PayloadOf(value) }
        }
    }

    /// Writes a value at a key, without a definition.
    public func set<Value: Sendable>(_ value: Value, for key: QueryKey) throws {
        try set(value, for: QueryDefinition<Value>.value(at: key))
    }

    /// Edits what is cached, in memory or in the cache of a persisted definition. Does nothing when nothing is.
    ///
    /// If there is no value in memory, the cache of a persisted definition is read on the calling thread, once.
    ///
    /// - Parameters:
    ///   - definition: Names what to edit.
    ///   - policy: What becomes of a fetch that is running.
    ///   - edit: Called outside locks, and again if the value changes meanwhile.
    /// - Returns: Whether there was something to edit.
    @discardableResult
    public func update<Value>(
        _ definition: QueryDefinition<Value>, during policy: WritePolicy = .keep, _ edit: (inout Value) -> Void
    ) -> Bool {
        update(definition, during: policy, cause: .written, of: nil, edit)
    }

    @discardableResult
    func update<Value>(
        _ definition: QueryDefinition<Value>, during policy: WritePolicy, cause: Cause, of mutation: UInt64?,
        _ edit: (inout Value) -> Void
    ) -> Bool {
        while let slot = cachedSlot(of: definition) {
            let isWritten = write(slot, .edit, policy, cause, of: mutation) { base in
                guard let base = base as? PayloadOf<Value> else { return nil }
                var value = base.value
                edit(&value)
                return PayloadOf(value)
            }
            // Removed between the two steps, it is edited where it is found again.
            if isWritten || state.withLock({ _ in !slot.isRemoved }) { return isWritten }
        }
        return false
    }

    /// Writes a value that has an age already.
    package func set<Value>(
        _ value: Value, age: Duration, for definition: QueryDefinition<Value>, during policy: WritePolicy
    ) throws {
        var isWritten = false
        while !isWritten {
            let slot = try withSlot(for: definition) { _, _, _, slot in slot }
            let age = max(0, age.clampedNanoseconds)
            isWritten = write(slot, .value, policy, .written, age: age) { _ in PayloadOf(value) }
        }
    }

    /// - Parameter mutation: Whose answer it is, if it is one: its own layers go, and nothing is written once it was
    ///   cleared away.
    /// - Returns: Whether it was written. It is not into an entry that was removed meanwhile.
    func write(
        _ slot: Slot, _ kind: WriteKind, _ policy: WritePolicy, _ cause: Cause, of mutation: UInt64? = nil,
        age: Int64 = 0, _ base: (Payload?) -> Payload?
    ) -> Bool {
        let written = commit(
            to: slot, as: kind == .edit ? .edit(policy) : .value, base: base, dropping: mutation,
            unless: { $0.isCleared(mutation ?? .max) || slot.isRemoved }
        ) { landing in
            var landing = landing
            landing.age = age
            return .write(landing, kind, keepsOverFetch: policy == .keep, cause)
        }
        return written != nil
    }
}
