/// The layers of an entry, including those of running mutations. Prepared outside the lock.
struct PreparedLayers {
    private let entry: EntryBase
    private let layers: [Layer]
    private let shown: Payload?
    private let confirmedValue: Payload?
    /// Number of the newest edit that is added. `nil` if none is added.
    let newest: UInt64?
    /// The edits of items that are added.
    private let ofItems: [Patch]
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
        let missing: [Patch]
        (entry, missing, editRevision) = client.state.withLock { state in
            (EntryBase(slot), state.missingEdits(of: slot), state.mutations.editRevision)
        }
        let isFound = entry.shown == nil && found != nil
        let base = isFound ? found : entry.base
        var layers = entry.layers
        for edit in missing { layers.append(Layer(patch: edit, arrivals: isLate ? 0 : entry.arrivals)) }
        // An older change of an item may come to an entry that shows a newer one.
        ofItems = missing.isEmpty ? [] : missing.filter(\.isOfItem)
        if !ofItems.isEmpty { layers.sort { $0.patch.number < $1.patch.number } }
        self.layers = layers
        shown = Layers.show(layers, on: base)
        confirmedValue = Layers.confirmedValue(layers, on: base, showing: shown, arrivals: entry.arrivals)
        newest = missing.isEmpty ? nil : missing.lazy.map(\.number).max()
        isNew = newest != nil || isFound && !layers.isEmpty
    }

    /// True if neither the entry nor the running edits have changed since. Called under the client's lock.
    func isCurrent(_ state: inout ClientState) -> Bool {
        entry.revision.isCurrent && state.mutations.editRevision == editRevision
    }

    /// Applies the layers to the entry, unless it shows them already.
    func commit(_ state: inout ClientState) {
        if let newest {
            let extras = slot.makeExtras()
            extras.editsUpTo = max(extras.editsUpTo, newest)
            for edit in ofItems { state.items?.noteEdited(slot, by: edit.mutation) }
        }
        guard isNew else { return }
        state.send(.layers(Layers(layers, confirmedValue: confirmedValue), shown: shown), to: slot)
    }
}

extension Slot {
    /// False if the edits of running mutations follow with the cached value, or if the slot is gone.
    fileprivate var takesEdits: Bool { !isRemoved && !needsHydration }
}

extension QueryClient {
    /// Applies the optimistic layers to existing entries, all at once, and stores the edits for entries that are created
    /// while the mutation runs. Runs user code outside the lock.
    ///
    /// - Returns: The entries that the edits concern, without duplicates.
    func showEdits(_ optimistic: (inout OptimisticEdits) -> Void, of id: UInt64) -> [EditScope] {
        let edits = OptimisticEdits(in: self, optimistic)
        guard !edits.edits.isEmpty else { return [] }
        var slots: [Slot] = []
        var scoped: [(scope: EditScope, edit: OptimisticEdits.Edit)] = []
        for edit in edits.edits {
            let found = edit.slots(self)
            slots += found
            if let scope = edit.scope {
                scoped.append((scope, edit))
            } else {
                // The conditions of a filter count now.
                scoped += found.map { (.records(.key($0.key)), edit) }
            }
        }
        guard state.withLock({ $0.beginEdits(scoped, of: id) }) else { return [] }
        applyRunningEdits(on: slots.withoutDuplicates, isLate: false)
        return scoped.count == 1 ? [scoped[0].scope] : Array(Set(scoped.map(\.scope)))
    }

    /// Applies the edits of running mutations that slots have not received yet, in one transaction, so that no observer sees
    /// only some of them. If a slot's cache has not been read, the edits follow with the cached value.
    ///
    /// - Parameter isLate: True if the mutations started earlier.
    func applyRunningEdits(on slots: [Slot], isLate: Bool = true) {
        prepareAndCommit {
            let preparedLayers = slots.map { PreparedLayers(of: $0, in: self, isLate: isLate) }.filter {
                $0.newest != nil
            }
            return preparedLayers.isEmpty ? nil : preparedLayers
        } ifCurrent: { preparedLayers, state -> Void? in
            let preparedLayers = preparedLayers.filter(\.slot.takesEdits)
            guard preparedLayers.allSatisfy({ $0.isCurrent(&state) }) else { return nil }
            for prepared in preparedLayers { prepared.commit(&state) }
            return ()
        }
    }

    /// Ends the edits of a mutation, and removes their layers, in one transaction. Prepares the shown values outside the lock.
    ///
    /// - Parameter isReplaced: True if the edits of another form of the mutation are shown instead.
    func removeLayers(_ mutation: UInt64, _ edited: [EditScope], isReplaced: Bool = false) {
        let slots = transact { state in state.endEdits(edited, of: mutation) }
        guard !slots.isEmpty else { return }
        prepareAndCommit {
            let bases = state.withLock { _ in slots.map(EntryBase.init) }
            let changes = bases.compactMap { base -> (base: EntryBase, layers: Layers?, shown: Payload?)? in
                guard base.isChanged(by: mutation) else { return nil }
                let others = base.layers.filter { $0.patch.mutation != mutation }
                let shown = Layers.show(others, on: base.base)
                return (base, Layers(others, confirmedValue: base.confirmedValue(others, showing: shown)), shown)
            }
            return changes.isEmpty ? nil : changes
        } ifCurrent: { changes, state -> Void? in
            guard changes.allSatisfy({ $0.base.revision.isCurrent }) else { return nil }
            for (base, layers, shown) in changes {
                state.send(.layers(layers, shown: shown, isReplaced: isReplaced), to: base.slot)
            }
            return ()
        }
    }

    /// Confirms the layers of a mutation, in one transaction. Prepares the confirmed values outside the lock.
    ///
    /// - Returns: The entries that need another fetch, with the number of their newest request: because the server's
    ///   value may already include the change, which would then be shown twice, or because the answer of a first load in
    ///   flight, or a source of truth that is not read yet, may lack it.
    func confirm(_ mutation: UInt64, at edited: [Slot]) -> [SlotRequest] {
        guard !edited.isEmpty else { return [] }
        let ambiguous = prepareAndCommit {
            state.withLock { _ in edited.map(EntryBase.init) }.map { base -> ConfirmedEdit in
                guard base.isChanged(by: mutation) else { return (base, false, nil, 0) }
                let confirmedValue = base.confirmedValue(base.layers, showing: base.shown, confirming: mutation)
                return (base, true, confirmedValue, cost(of: base))
            }
        } ifCurrent: { edits, state -> [SlotRequest]? in
            if state.isCleared(mutation) { return [] }
            guard edits.allSatisfy({ !$0.isChanged || $0.base.revision.isCurrent }) else { return nil }
            var ambiguous: [SlotRequest] = []
            for (base, isChanged, confirmedValue, cost) in edits {
                let slot = base.slot
                let isAmbiguous = isChanged ? slot.entry.mayContain(mutation) : slot.entry.isBusy
                if isAmbiguous || slot.entry.mayHaveUnreadContent { ambiguous.append((slot, slot.entry.generation)) }
                guard isChanged else { continue }
                state.send(.confirm(mutation: mutation, confirmedValue: confirmedValue), to: slot)
                state.charge(slot, cost)
            }
            return ambiguous
        }
        return ambiguous ?? []
    }

    /// The edits of a mutation at one entry, with the value that includes them.
    private typealias ConfirmedEdit = (base: EntryBase, isChanged: Bool, confirmedValue: Payload?, cost: Int)

    private func cost(of base: EntryBase) -> Int {
        guard budget != nil else { return 0 }
        return cost(of: base.shown, by: state.withLock { _ in base.slot.extras?.costOf })
    }
}

extension Layers {
    /// Applies layers to a base. Calls user code, so it must not be called under a lock.
    static func show(_ layers: [Layer], on base: Payload?) -> Payload? {
        layers.reduce(base) { $1.patch.apply($0) ?? $0 }
    }

    /// Applies the mergeable layers to a base. Calls user code, so it must not be called under a lock.
    ///
    /// - Parameters:
    ///   - shown: The base with all layers applied, which is reused if possible.
    ///   - mutation: A mutation that has just succeeded.
    static func confirmedValue(
        _ layers: [Layer], on base: Payload?, showing shown: Payload?, arrivals: UInt32,
        confirming mutation: UInt64? = nil
    ) -> Payload? {
        func isMergeable(_ layer: Layer) -> Bool { layer.isMergeable(arrivals: arrivals, confirming: mutation) }
        return layers.allSatisfy(isMergeable) ? shown : show(layers.filter(isMergeable), on: base)
    }
}
