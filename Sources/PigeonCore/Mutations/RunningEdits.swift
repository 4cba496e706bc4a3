/// An optimistic edit of a mutation that has not ended.
///
/// It is put on what the key holds when the mutation begins, and on what the key first gets while the mutation runs: from a
/// cache, or from the server.
struct RunningEdit: Sendable {
    let patch: Patch
    let type: any Sendable.Type
    /// Grows from edit to edit. ``Slot/Extras/editsUpTo`` is the newest that a slot has.
    let number: UInt64
}

extension ClientState {
    /// Holds the edits of a mutation until it ends.
    ///
    /// - Returns: Whether it was not cleared away meanwhile.
    mutating func beginEdits(_ edits: [OptimisticEdits.Edit], of mutation: UInt64) -> Bool {
        if isCleared(mutation) { return false }
        for edit in edits {
            let patch = Patch(mutation: mutation, apply: edit.apply)
            mutations.edits[edit.key, default: []].append(
                RunningEdit(patch: patch, type: edit.type, number: makeID()))
        }
        mutations.editRevision += 1
        return true
    }

    /// Lets no entry get the edits of a mutation any more.
    ///
    /// - Returns: The entries that may have got them.
    mutating func endEdits(_ keys: [QueryKey], of mutation: UInt64, _ work: inout Work) -> [LayerGround] {
        guard !keys.isEmpty else { return [] }
        for key in keys {
            guard let edits = mutations.edits.removeValue(forKey: key) else { continue }
            if edits.contains(where: { $0.patch.mutation != mutation }) {
                mutations.edits[key] = edits.filter { $0.patch.mutation != mutation }
            }
            for edit in edits { work.discarded.append(edit.patch) }
        }
        mutations.editRevision += 1
        return keys.compactMap { slots[$0].map { LayerGround($0) } }
    }

    /// Drops the edits of every mutation.
    mutating func clearEdits(_ work: inout Work) {
        for edit in mutations.edits.values.joined() { work.discarded.append(edit.patch) }
        mutations.edits = [:]
        mutations.editRevision += 1
    }

    /// The edits of running mutations that a slot has not got yet, oldest first.
    func missingEdits(of slot: Slot) -> [RunningEdit] {
        guard !mutations.edits.isEmpty, let edits = mutations.edits[slot.key] else { return [] }
        let newest = slot.extras?.editsUpTo ?? 0
        return edits.filter { $0.number > newest && ObjectIdentifier($0.type) == slot.valueType }
    }

    /// Reports the edits that a new slot cannot get, because it holds another type.
    mutating func reportMismatchedEdits(of slot: Slot, _ moment: Moment, _ work: inout Work) {
        for edit in mutations.edits[slot.key] ?? [] where ObjectIdentifier(edit.type) != slot.valueType {
            emit(.misuse(slot.mismatch(with: edit.type).description), key: slot.key, .requested, moment, &work)
        }
    }
}

/// What the layers of a slot are prepared from, outside the lock.
struct LayerGround {
    let slot: Slot
    let base: Payload?
    let shown: Payload?
    let layers: [Layer]
    private let arrivals: UInt32
    private let revision: UInt64

    /// Under the client's lock.
    init(_ slot: Slot) {
        self.slot = slot
        base = slot.entry.base
        shown = slot.entry.shown
        layers = slot.entry.layers
        arrivals = slot.entry.arrivalCount
        revision = slot.entry.revision
    }

    /// Whether nothing of it has changed. Under the client's lock.
    var isCurrent: Bool { slot.entry.revision == revision }

    /// What the server has confirmed, if these are the layers, and a mutation has just succeeded.
    func settle(_ layers: [Layer], showing shown: Payload?, confirming mutation: UInt64? = nil) -> Payload? {
        Layers.settle(layers, on: base, showing: shown, arrivals: arrivals, confirming: mutation)
    }
}

/// A slot's layers with those of running mutations, prepared outside the lock.
struct Layering {
    /// The server's value, or the one that a cache has.
    let base: Payload?
    let layers: [Layer]
    let shown: Payload?
    private let settled: Payload?
    /// The newest edit among the layers. `nil` if none is new.
    let newest: UInt64?
    /// Whether the slot does not show the layers yet.
    private let isNew: Bool
    private let revision: UInt64
    private let editRevision: UInt64

    /// Applies the layers. User code: never under a lock.
    ///
    /// - Parameter found: The value that a cache has. It counts if the slot has none.
    ///
    /// - Parameter isLate: Whether the mutations began before: an answer that came meanwhile may have their changes.
    init(of slot: Slot, in client: QueryClient, found: Payload? = nil, isLate: Bool = true) {
        let missing: [RunningEdit]
        let old: [Layer]
        let isFound: Bool
        let arrivals: UInt32
        (base, old, isFound, missing, arrivals, revision, editRevision) = client.state.withLock { state in
            let isFound = slot.entry.shown == nil && found != nil
            return (
                isFound ? found : slot.entry.base, slot.entry.layers, isFound, state.missingEdits(of: slot),
                slot.entry.arrivalCount, slot.entry.revision, state.mutations.editRevision
            )
        }
        var layers = old
        for edit in missing { layers.append(Layer(patch: edit.patch, arrivals: isLate ? 0 : arrivals)) }
        self.layers = layers
        shown = Layers.show(layers, on: base)
        settled = Layers.settle(layers, on: base, showing: shown, arrivals: arrivals)
        newest = missing.last?.number
        isNew = newest != nil || isFound && !layers.isEmpty
    }

    /// Whether nothing that it was prepared from has changed.
    func isCurrent(_ slot: Slot, _ state: ClientState) -> Bool {
        slot.entry.revision == revision && state.mutations.editRevision == editRevision
    }

    /// Puts the layers on, if the slot does not show them yet.
    func commit(to slot: Slot, _ state: inout ClientState, _ moment: Moment, _ work: inout Work) {
        if let newest { slot.makeExtras().editsUpTo = newest }
        guard isNew else { return }
        state.send(.layers(Layers(layers, settled: settled), shown: shown), to: slot, moment, &work)
    }
}

extension QueryClient {
    /// Puts the edits of running mutations on a slot that has not got them yet. A slot whose cache has not been read yet
    /// gets them with its value.
    ///
    /// - Parameter isLate: Whether the mutations began before.
    func layEdits(on slot: Slot, isLate: Bool = true) {
        while true {
            let layering = Layering(of: slot, in: self, isLate: isLate)
            guard layering.newest != nil else { return }
            let isDone = transact { state, work, moment in
                guard !slot.isRemoved, !slot.needsHydration else { return true }
                guard layering.isCurrent(slot, state) else { return false }
                layering.commit(to: slot, &state, moment, &work)
                return true
            }
            if isDone { return }
        }
    }
}
