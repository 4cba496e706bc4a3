/// The entries that optimistic edits concern.
package enum EditScope: Sendable, Hashable {
    case records(QueryRecordScope)
    /// The entries that contain an item, also those that receive it later.
    case item(ItemKey)

    /// True if the scope may concern several keys, some of which may have records but no entries in memory.
    var isWide: Bool {
        if case .records(.key) = self { false } else { true }
    }

    /// The scope of the records that the edits concern. `nil` if nobody knows which they are.
    package var records: QueryRecordScope? {
        if case .records(let scope) = self { scope } else { nil }
    }

    /// True if an entry is in the scope.
    ///
    /// - Parameter items: The items that its value contains.
    package func concerns(_ key: QueryKey, with items: Set<ItemKey>) -> Bool {
        switch self {
        case .records(let scope): scope.contains(key, tags: key.tags)
        case .item(let item): items.contains(item)
        }
    }

    package var filter: KeyFilter {
        switch self {
        case .records(let scope): scope.filter
        case .item(let item): .containing(item)
        }
    }
}

/// The edits of running mutations, by the entries that they concern, oldest first.
struct RunningEdits {
    private var byKey: [QueryKey: [Patch]] = [:]
    private var byItem: [ItemKey: [Patch]] = [:]
    /// Edits of several keys. Few mutations have any.
    private var byScope: [(scope: QueryRecordScope, edit: Patch)] = []

    var hasItems: Bool { !byItem.isEmpty }

    mutating func add(_ edit: Patch, in scope: EditScope) {
        switch scope {
        case .records(.key(let key)): byKey[key, default: []].append(edit)
        case .records(let scope): byScope.append((scope, edit))
        case .item(let item): byItem[item, default: []].append(edit)
        }
    }

    mutating func remove(_ mutation: UInt64, in scope: EditScope) -> [Patch] {
        switch scope {
        case .records(.key(let key)): return Self.remove(mutation, at: key, from: &byKey)
        case .item(let item): return Self.remove(mutation, at: item, from: &byItem)
        case .records(let scope):
            let removed = byScope.filter { $0.scope == scope && $0.edit.mutation == mutation }
            byScope.removeAll { $0.scope == scope && $0.edit.mutation == mutation }
            return removed.map(\.edit)
        }
    }

    private static func remove<Key>(_ mutation: UInt64, at key: Key, from all: inout [Key: [Patch]]) -> [Patch] {
        guard let edits = all.removeValue(forKey: key) else { return [] }
        let others = edits.filter { $0.mutation != mutation }
        guard !others.isEmpty else { return edits }
        all[key] = others
        return edits.filter { $0.mutation == mutation }
    }

    mutating func removeAll() -> [Patch] {
        defer { self = RunningEdits() }
        return byKey.values.flatMap { $0 } + byItem.values.flatMap { $0 } + byScope.map(\.edit)
    }

    /// The edits of an entry, oldest first, but those of items.
    func edits(of key: QueryKey, tags: @autoclosure () -> [String]) -> [Patch] {
        let own = byKey.isEmpty ? [] : byKey[key] ?? []
        guard !byScope.isEmpty else { return own }
        let tags = tags()
        let shared = byScope.filter { $0.scope.contains(key, tags: tags) }.map(\.edit)
        return (own + shared).sorted { $0.number < $1.number }
    }

    /// The edits of items that an entry contains.
    func edits(where contains: (ItemKey) -> Bool) -> [Patch] {
        byItem.filter { contains($0.key) }.flatMap(\.value)
    }

    /// The edits of one key alone.
    func edits(of key: QueryKey) -> [Patch] { byKey[key] ?? [] }
}

extension ClientState {
    /// Stores the edits of a mutation until it ends.
    ///
    /// - Parameter edits: The edits, each with the scope of the entries that it concerns.
    /// - Returns: False if a sign-out has cleared the mutation in the meantime.
    mutating func beginEdits(_ edits: [(scope: EditScope, edit: OptimisticEdits.Edit)], of mutation: UInt64) -> Bool {
        if isCleared(mutation) { return false }
        for (scope, edit) in edits {
            let patch = Patch(mutation: mutation, number: makeID(), edit.work)
            mutations.edits.add(patch, in: scope)
        }
        mutations.editRevision += 1
        return true
    }

    /// Removes the edits of a mutation, so that no further entry receives them.
    ///
    /// - Returns: The entries that may have received them.
    mutating func endEdits(_ scopes: [EditScope], of mutation: UInt64) -> [Slot] {
        guard !scopes.isEmpty else { return [] }
        var edited: [Slot] = []
        for scope in scopes {
            let edits = mutations.edits.remove(mutation, in: scope)
            for edit in edits { discard(edit) }
            switch scope {
            case .records(.key(let key)): edited += entries.slots(in: .key(key))
            case .records(let scope):
                edited += entries.slots(in: scope).filter { slot in edits.contains { $0.concerns(slot) } }
            // Some of them may not contain the item any longer.
            case .item: edited += items?.takeEdited(by: mutation) ?? []
            }
        }
        mutations.editRevision += 1
        return scopes.count > 1 ? edited.withoutDuplicates : edited
    }

    mutating func clearEdits() {
        for edit in mutations.edits.removeAll() { discard(edit) }
        items?.forgetEdited()
        mutations.editRevision += 1
    }

    /// Returns the edits of running mutations that a slot has not received yet, oldest first.
    func missingEdits(of slot: Slot) -> [Patch] {
        let edits = mutations.edits.edits(of: slot.key, tags: slot.tags)
        if edits.isEmpty, !slot.containsItems { return [] }
        let newest = slot.extras?.editsUpTo ?? 0
        var missing = edits.isEmpty ? [] : edits.filter { $0.number > newest && $0.concerns(slot) }
        guard slot.containsItems, let containment = slot.extras?.contents?.containment else { return missing }
        missing = missing.map { $0.bound(to: slot.type, containing: containment, isOfItem: false) }
        guard mutations.edits.hasItems else { return missing }
        let ofItems = missingItemEdits(of: slot).map { edit in
            edit.bound(to: slot.type, containing: containment, isOfItem: true)
        }
        return ofItems.isEmpty ? missing : (missing + ofItems).sorted { $0.number < $1.number }
    }

    /// The edits of items that a slot contains and has not received. One whose mutation is being confirmed has been received,
    /// and may have been replaced by the answer.
    private func missingItemEdits(of slot: Slot) -> [Patch] {
        let layers = slot.entry.layers
        return mutations.edits.edits { items?.contains($0, slot) ?? false }.filter { edit in
            items?.confirmations[edit.mutation] == nil && edit.concerns(slot)
                && !layers.contains { $0.patch.number == edit.number }
        }
    }

    /// Reports the edits that a new slot cannot receive because it holds another type.
    mutating func reportMismatchedEdits(of slot: Slot) {
        for edit in mutations.edits.edits(of: slot.key) {
            guard case .values(let type, _) = edit.work, ObjectIdentifier(type) != slot.valueType else { continue }
            emit(.misuse(slot.mismatch(with: type).description), key: slot.key, .requested)
        }
    }
}
