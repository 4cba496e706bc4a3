/// What a write does to a fetch that is running.
public enum WritePolicy: Sendable, Hashable {
    /// The fetch's answer replaces what was written. The default.
    case fetchWins
    /// What was written stays: the answer of a fetch asked before is dropped.
    case keep
}

extension QueryClient {
    /// The value that is there now, however old. `nil` when there is none, or when the key holds another type.
    ///
    /// Never fetches, never suspends; reads memory only.
    @inlinable
    public func value<Value>(of definition: QueryDefinition<Value>) -> Value? {
        value(of: definition.key)
    }

    /// The value that is there now at a key.
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
    public func snapshot<Value>(of definition: QueryDefinition<Value>) -> Snapshot<Value> {
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
        _ value: Value, for definition: QueryDefinition<Value>, during policy: WritePolicy = .fetchWins
    ) throws {
        var isWritten = false
        while !isWritten {
            // Removed between the two steps, it is written into a new entry.
            let slot = try withSlot(for: definition) { _, _, _, slot in slot }
            isWritten = write(slot, policy, .written) { _ in PayloadOf(value) }
        }
    }

    /// Writes a value at a key, without a definition.
    public func set<Value: Sendable>(_ value: Value, for key: QueryKey) throws {
        try set(value, for: QueryDefinition<Value>.value(at: key))
    }

    /// Edits what is cached. Does nothing when nothing is.
    ///
    /// - Parameters:
    ///   - definition: Names what to edit.
    ///   - policy: What becomes of a fetch that is running.
    ///   - edit: Called outside locks, and again if the value changes meanwhile.
    /// - Returns: Whether there was something to edit.
    @discardableResult
    public func update<Value>(
        _ definition: QueryDefinition<Value>, during policy: WritePolicy = .fetchWins, _ edit: (inout Value) -> Void
    ) -> Bool {
        update(definition, during: policy, cause: .written, of: nil, edit)
    }

    @discardableResult
    func update<Value>(
        _ definition: QueryDefinition<Value>, during policy: WritePolicy, cause: Cause, of mutation: UInt64?,
        _ edit: (inout Value) -> Void
    ) -> Bool {
        guard let slot = state.withLock({ $0.slots[definition.key] }), slot.valueType == ObjectIdentifier(Value.self)
        else { return false }
        return write(slot, policy, cause, of: mutation) { base in
            guard let base = base as? PayloadOf<Value> else { return nil }
            var value = base.value
            edit(&value)
            return PayloadOf(value)
        }
    }

    /// Writes a value that has an age already.
    package func set<Value>(
        _ value: Value, age: Duration, for definition: QueryDefinition<Value>, during policy: WritePolicy
    ) throws {
        var isWritten = false
        while !isWritten {
            let slot = try withSlot(for: definition) { _, _, _, slot in slot }
            isWritten = write(slot, policy, .written, age: max(0, age.clampedNanoseconds)) { _ in PayloadOf(value) }
        }
    }

    /// - Parameter mutation: Whose answer it is, if it is one: its own layers go, and nothing is written once it was
    ///   cleared away.
    /// - Returns: Whether it was written. It is not into an entry that was removed meanwhile.
    func write(
        _ slot: Slot, _ policy: WritePolicy, _ cause: Cause, of mutation: UInt64? = nil, age: Int64 = 0,
        _ base: (Payload?) -> Payload?
    ) -> Bool {
        let written = commit(
            to: slot, generation: .max, base: base, dropping: mutation,
            unless: { $0.mutations.clearedBefore > mutation ?? .max || slot.isRemoved },
            validators: FetchValidators()
        ) { landing in
            var landing = landing
            landing.age = age
            return .write(landing, keepsOverFetch: policy == .keep, cause)
        }
        return written != nil
    }
}
