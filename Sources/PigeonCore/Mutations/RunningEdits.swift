extension QueryRecordScope {
    /// True if the scope may concern several keys, some of which may have records but no entries in memory.
    var isWide: Bool {
        if case .key = self { false } else { true }
    }
}

/// The edits of running mutations, by the entries that they concern, oldest first.
struct RunningEdits {
    private var byKey: [QueryKey: [Patch]] = [:]
    /// Edits of several keys. Few mutations have any.
    private var byScope: [(scope: QueryRecordScope, edit: Patch)] = []

    mutating func add(_ edit: Patch, in scope: QueryRecordScope) {
        if case .key(let key) = scope { byKey[key, default: []].append(edit) } else { byScope.append((scope, edit)) }
    }

    mutating func remove(_ mutation: UInt64, in scope: QueryRecordScope) -> [Patch] {
        guard case .key(let key) = scope else {
            let removed = byScope.filter { $0.scope == scope && $0.edit.mutation == mutation }
            byScope.removeAll { $0.scope == scope && $0.edit.mutation == mutation }
            return removed.map(\.edit)
        }
        guard let edits = byKey.removeValue(forKey: key) else { return [] }
        let others = edits.filter { $0.mutation != mutation }
        guard !others.isEmpty else { return edits }
        byKey[key] = others
        return edits.filter { $0.mutation == mutation }
    }

    mutating func removeAll() -> [Patch] {
        defer { self = RunningEdits() }
        return byKey.values.flatMap { $0 } + byScope.map(\.edit)
    }

    /// The edits of an entry, oldest first.
    func edits(of key: QueryKey, tags: @autoclosure () -> [String]) -> [Patch] {
        let own = byKey.isEmpty ? [] : byKey[key] ?? []
        guard !byScope.isEmpty else { return own }
        let tags = tags()
        let shared = byScope.filter { $0.scope.contains(key, tags: tags) }.map(\.edit)
        return (own + shared).sorted { $0.number < $1.number }
    }

    /// The edits of one key alone.
    func edits(of key: QueryKey) -> [Patch] { byKey[key] ?? [] }
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
            let patch = Patch(mutation: mutation, number: makeID(), type: edit.type, apply: edit.apply)
            mutations.edits.add(patch, in: scope)
        }
        mutations.editRevision += 1
        return true
    }

    /// Removes the edits of a mutation, so that no further entry receives them.
    ///
    /// - Returns: The entries that may have received them.
    mutating func endEdits(_ scopes: [QueryRecordScope], of mutation: UInt64) -> [Slot] {
        guard !scopes.isEmpty else { return [] }
        var edited: [Slot] = []
        for scope in scopes {
            let edits = mutations.edits.remove(mutation, in: scope)
            for edit in edits { discard(edit) }
            for slot in entries.slots(in: scope) where isEdited(slot, by: edits, in: scope) { edited.append(slot) }
        }
        mutations.editRevision += 1
        return scopes.count > 1 ? edited.withoutDuplicates : edited
    }

    /// True if a slot may have received edits. Entries of other types in a scope of several keys have not.
    private func isEdited(_ slot: Slot, by edits: [Patch], in scope: QueryRecordScope) -> Bool {
        if case .key = scope { return true }
        return edits.contains { ObjectIdentifier($0.type) == slot.valueType }
    }

    mutating func clearEdits() {
        for edit in mutations.edits.removeAll() { discard(edit) }
        mutations.editRevision += 1
    }

    /// Returns the edits of running mutations that a slot has not received yet, oldest first.
    func missingEdits(of slot: Slot) -> [Patch] {
        let edits = mutations.edits.edits(of: slot.key, tags: slot.tags)
        guard !edits.isEmpty else { return [] }
        let newest = slot.extras?.editsUpTo ?? 0
        return edits.filter { $0.number > newest && ObjectIdentifier($0.type) == slot.valueType }
    }

    /// Reports the edits that a new slot cannot receive because it holds another type.
    mutating func reportMismatchedEdits(of slot: Slot) {
        for edit in mutations.edits.edits(of: slot.key) where ObjectIdentifier(edit.type) != slot.valueType {
            emit(.misuse(slot.mismatch(with: edit.type).description), key: slot.key, .requested)
        }
    }
}
