/// An optimistic edit of a mutation that has not ended.
///
/// The edit applies to the key's value when the mutation starts, and to each value that arrives from a cache or the server
/// while the mutation runs.
struct RunningEdit: Sendable {
    let patch: Patch
    let type: any Sendable.Type
    /// Increases from edit to edit. ``Slot/Extras/editsUpTo`` is the number of the newest edit that a slot has.
    let number: UInt64
}

extension QueryRecordScope {
    /// True if the scope may concern several keys, some of which may have records but no entries in memory.
    var isWide: Bool {
        if case .key = self { false } else { true }
    }
}

/// The edits of running mutations, by the entries that they concern, oldest first.
struct RunningEdits {
    private var byKey: [QueryKey: [RunningEdit]] = [:]
    /// Edits of several keys. Few mutations have any.
    private var byScope: [(scope: QueryRecordScope, edit: RunningEdit)] = []

    mutating func add(_ edit: RunningEdit, in scope: QueryRecordScope) {
        if case .key(let key) = scope { byKey[key, default: []].append(edit) } else { byScope.append((scope, edit)) }
    }

    mutating func remove(_ mutation: UInt64, in scope: QueryRecordScope) -> [RunningEdit] {
        guard case .key(let key) = scope else {
            let removed = byScope.filter { $0.scope == scope && $0.edit.patch.mutation == mutation }
            byScope.removeAll { $0.scope == scope && $0.edit.patch.mutation == mutation }
            return removed.map(\.edit)
        }
        guard let edits = byKey.removeValue(forKey: key) else { return [] }
        let others = edits.filter { $0.patch.mutation != mutation }
        if !others.isEmpty { byKey[key] = others }
        return edits
    }

    mutating func removeAll() -> [RunningEdit] {
        defer { self = RunningEdits() }
        return byKey.values.flatMap { $0 } + byScope.map(\.edit)
    }

    /// The edits of an entry, oldest first.
    func edits(of key: QueryKey, tags: @autoclosure () -> [String]) -> [RunningEdit] {
        let own = byKey.isEmpty ? [] : byKey[key] ?? []
        guard !byScope.isEmpty else { return own }
        let tags = tags()
        let shared = byScope.filter { $0.scope.contains(key, tags: tags) }.map(\.edit)
        return (own + shared).sorted { $0.number < $1.number }
    }

    /// The edits of one key alone.
    func edits(of key: QueryKey) -> [RunningEdit] { byKey[key] ?? [] }
}

extension ClientState {
    /// Stores the edits of a mutation until it ends.
    ///
    /// - Parameter edits: The edits, each with the scope of the entries that it concerns.
    /// - Returns: False if a sign-out has cleared the mutation in the meantime.
    mutating func beginEdits(_ edits: [(scope: QueryRecordScope, edit: OptimisticEdits.Edit)], of mutation: UInt64)
        -> Bool
    {
        if isCleared(mutation) { return false }
        for (scope, edit) in edits {
            let patch = Patch(mutation: mutation, apply: edit.apply)
            mutations.edits.add(RunningEdit(patch: patch, type: edit.type, number: makeID()), in: scope)
        }
        mutations.editRevision += 1
        return true
    }

    /// Removes the edits of a mutation, so that no further entry receives them.
    ///
    /// - Returns: The entries that may have received them.
    mutating func endEdits(_ scopes: [QueryRecordScope], of mutation: UInt64, _ work: inout Work) -> [Slot] {
        guard !scopes.isEmpty else { return [] }
        var edited: [Slot] = []
        for scope in scopes {
            let edits = mutations.edits.remove(mutation, in: scope)
            for edit in edits { work.discarded.append(edit.patch) }
            for slot in entries.slots(in: scope) where isEdited(slot, by: edits, in: scope) {
                if !edited.contains(where: { $0 === slot }) { edited.append(slot) }
            }
        }
        mutations.editRevision += 1
        return edited
    }

    /// True if a slot may have received edits. Entries of other types in a scope of several keys have not.
    private func isEdited(_ slot: Slot, by edits: [RunningEdit], in scope: QueryRecordScope) -> Bool {
        if case .key = scope { return true }
        return edits.contains { ObjectIdentifier($0.type) == slot.valueType }
    }

    mutating func clearEdits(_ work: inout Work) {
        for edit in mutations.edits.removeAll() { work.discarded.append(edit.patch) }
        mutations.editRevision += 1
    }

    /// Returns the edits of running mutations that a slot has not received yet, oldest first.
    func missingEdits(of slot: Slot) -> [RunningEdit] {
        let edits = mutations.edits.edits(of: slot.key, tags: slot.tags)
        guard !edits.isEmpty else { return [] }
        let newest = slot.extras?.editsUpTo ?? 0
        return edits.filter { $0.number > newest && ObjectIdentifier($0.type) == slot.valueType }
    }

    /// Reports the edits that a new slot cannot receive because it holds another type.
    mutating func reportMismatchedEdits(of slot: Slot, _ context: EntryContext, _ work: inout Work) {
        for edit in mutations.edits.edits(of: slot.key) where ObjectIdentifier(edit.type) != slot.valueType {
            emit(.misuse(slot.mismatch(with: edit.type).description), key: slot.key, .requested, context, &work)
        }
    }
}

/// The layers of an entry, including those of running mutations. Prepared outside the lock.
struct PreparedLayers {
    private let entry: EntryBase
    private let layers: [Layer]
    private let shown: Payload?
    private let confirmedValue: Payload?
    /// Number of the newest edit that is added. `nil` if none is added.
    let newest: UInt64?
    /// True if the entry does not show the layers yet.
    private let isNew: Bool
    private let editRevision: UInt64

    var slot: Slot { entry.slot }

    /// Applies the layers. Calls user code, so it must not be called under a lock.
    ///
    /// - Parameters:
    ///   - found: The cached value. Used if the entry has none.
    ///   - isLate: True if the mutations started earlier, so that an answer since then may already include
    ///     their changes.
    init(of slot: Slot, in client: QueryClient, found: Payload? = nil, isLate: Bool = true) {
        let missing: [RunningEdit]
        (entry, missing, editRevision) = client.state.withLock { state in
            (EntryBase(slot), state.missingEdits(of: slot), state.mutations.editRevision)
        }
        let isFound = entry.shown == nil && found != nil
        let base = isFound ? found : entry.base
        var layers = entry.layers
        for edit in missing { layers.append(Layer(patch: edit.patch, arrivals: isLate ? 0 : entry.arrivals)) }
        self.layers = layers
        shown = Layers.show(layers, on: base)
        confirmedValue = Layers.confirmedValue(layers, on: base, showing: shown, arrivals: entry.arrivals)
        newest = missing.last?.number
        isNew = newest != nil || isFound && !layers.isEmpty
    }

    /// True if neither the entry nor the running edits have changed since. Called under the client's lock.
    func isCurrent(_ state: ClientState) -> Bool {
        entry.revision.isCurrent && state.mutations.editRevision == editRevision
    }

    /// Applies the layers to the entry, unless it shows them already.
    func commit(_ state: inout ClientState, _ context: EntryContext, _ work: inout Work) {
        if let newest { slot.makeExtras().editsUpTo = newest }
        guard isNew else { return }
        state.send(.layers(Layers(layers, confirmedValue: confirmedValue), shown: shown), to: slot, context, &work)
    }
}

extension Slot {
    /// False if the edits of running mutations follow with the cached value, or if the slot is gone.
    fileprivate var takesEdits: Bool { !isRemoved && !needsHydration }
}

extension QueryClient {
    /// Applies the edits of running mutations that slots have not received yet, in one transaction, so that no observer sees
    /// only some of them. If a slot's cache has not been read, the edits follow with the cached value.
    ///
    /// - Parameter isLate: True if the mutations started earlier.
    func applyRunningEdits(on slots: [Slot], isLate: Bool = true) {
        commit {
            let preparedLayers = slots.map { PreparedLayers(of: $0, in: self, isLate: isLate) }.filter {
                $0.newest != nil
            }
            return preparedLayers.isEmpty ? nil : preparedLayers
        } ifCurrent: { preparedLayers, state, context, work -> Void? in
            let preparedLayers = preparedLayers.filter(\.slot.takesEdits)
            guard preparedLayers.allSatisfy({ $0.isCurrent(state) }) else { return nil }
            for prepared in preparedLayers { prepared.commit(&state, context, &work) }
            return ()
        }
    }
}
