/// An entry as it was when code of the program began to work on it, outside the lock.
struct EntryRevision {
    let slot: Slot
    private let number: UInt64

    /// Called under the client's lock.
    init(_ slot: Slot) {
        (self.slot, number) = (slot, slot.entry.revision)
    }

    /// True if the entry has not changed since. Called under the client's lock.
    var isCurrent: Bool { slot.entry.revision == number }
}

/// The contents of an entry at a revision.
struct EntryBase {
    let revision: EntryRevision
    let base: Payload?
    let shown: Payload?
    let layers: [Layer]
    let arrivals: UInt32

    var slot: Slot { revision.slot }

    /// Called under the client's lock. Reads single fields, because a local variable would copy the entry.
    init(_ slot: Slot) {
        revision = EntryRevision(slot)
        base = slot.entry.base
        shown = slot.entry.shown
        layers = slot.entry.layers
        arrivals = slot.entry.arrivalCount
    }

    func isChanged(by mutation: UInt64) -> Bool { layers.contains { $0.patch.mutation == mutation } }

    /// The value that is confirmed with these layers, counting `mutation` as confirmed.
    func confirmedValue(_ layers: [Layer], showing shown: Payload?, confirming mutation: UInt64? = nil) -> Payload? {
        Layers.confirmedValue(layers, on: base, showing: shown, arrivals: arrivals, confirming: mutation)
    }
}

extension QueryClient {
    /// Prepares a change outside the lock, where it may call code of the program, and commits it in one transaction. If
    /// an entry has changed in the meantime, the change is prepared again from what the entry holds then.
    ///
    /// - Parameters:
    ///   - prepare: Reads the entries as ``EntryBase``, and prepares. `nil` if there is nothing to commit.
    ///   - commit: Called under the lock. Commits if each ``EntryRevision/isCurrent``, and returns `nil` otherwise.
    /// - Returns: The result of `commit`. `nil` if nothing was committed.
    @discardableResult
    func prepareAndCommit<Change, Result>(
        _ prepare: () -> Change?,
        ifCurrent commit: (Change, inout ClientState) -> Result?
    ) -> Result? {
        while let change = prepare() {
            // What the entry does not take is released here, outside the lock.
            let result = withExtendedLifetime(change) { transact { state in commit(change, &state) } }
            if let result { return result }
        }
        return nil
    }

    /// The state from which a commit is prepared.
    private struct CommitBasis {
        let entry: EntryBase
        /// The server's value to which an edit applies.
        let base: Payload?
        let survivors: [Layer]
        let costOf: (@Sendable (Payload) -> Int)?
        let lifetime: Lifetime
        let isFinal: (@Sendable (Payload) -> Bool)?

        /// Called under the client's lock.
        init(_ slot: Slot, _ origin: CommitOrigin, dropping mutation: UInt64?) {
            entry = EntryBase(slot)
            var base = entry.base
            var needed = entry.layers
            switch origin {
            case _ where needed.isEmpty: break
            case .answer(let generation): needed = slot.entry.layersSurviving(answerOf: generation)
            case .value: needed = needed.filter { !$0.isConfirmed }
            case .edit(let policy):
                // An edit applies to the value that the server has confirmed. Confirmed layers stay apart from the edit
                // if an earlier fetch may still be committed below it, or if the base may already include them.
                guard policy == .keep || !slot.entry.isBusy, !slot.entry.hasAmbiguousLayer else { break }
                base = slot.entry.confirmedValue
                needed = needed.filter { !$0.isConfirmed }
            case .addition: break
            }
            self.base = base
            survivors = mutation == nil ? needed : needed.filter { $0.patch.mutation != mutation }
            costOf = slot.extras?.costOf
            lifetime = Lifetime(slot)
            isFinal = slot.extras?.isFinal
        }
    }

    /// The state from which the freshness of a value is computed.
    struct Lifetime {
        let computed: (@Sendable (Payload) -> Int64?)?
        let staleAfter: StaleTime
        let jitter: Double

        /// Called under the client's lock.
        init(_ slot: Slot) {
            computed = slot.extras?.freshFor
            staleAfter = slot.entry.options.values.staleAfter
            jitter = slot.entry.options.values.expiryJitter
        }

        /// The freshness of a value, in nanoseconds: the one that the server named or that the definition computes, made
        /// shorter by a random part. `nil` if the stale times of the observers apply. Calls user code.
        func freshFor(_ value: Payload?, named: Int64?, random: () -> UInt64) -> Int64? {
            guard jitter > 0 else { return own(value, named: named) }
            return whole(value, named: named).map { $0 - Int64(Double($0) * jitter * random().fraction) }
        }

        /// The freshness without the random part, in nanoseconds. `nil` for ever. Calls user code.
        func whole(_ value: Payload?, named: Int64?) -> Int64? {
            if let own = own(value, named: named) { return own }
            if case .after(let nanoseconds) = staleAfter.kind { return nanoseconds }
            return nil
        }

        private func own(_ value: Payload?, named: Int64?) -> Int64? { named ?? value.flatMap { computed?($0) } }
    }

    /// A value that was prepared outside the lock, and the state from which it was prepared.
    struct PreparedCommit {
        let revision: EntryRevision
        let candidate: CommitCandidate
        let cost: Int
        let metadata: AnswerMetadata?
    }

    /// Prepares a value: applies layers, compares, estimates its cost. Calls user code, so it must not be called under
    /// a lock.
    func prepare(
        _ base: (Payload?) -> Payload?, for slot: Slot, as origin: CommitOrigin, dropping mutation: UInt64?,
        answerDetails: FetchRun.AnswerDetails? = nil
    ) -> PreparedCommit? {
        let basis = state.withLock { _ in CommitBasis(slot, origin, dropping: mutation) }
        guard let newBase = base(basis.base) else { return nil }
        let newShown = Layers.show(basis.survivors, on: newBase) ?? newBase
        let isSame = !origin.isPage && (basis.entry.shown.map { newShown.isEqual(to: $0) } ?? false)
        var candidate = CommitCandidate(
            base: newBase, shown: newShown,
            layers: basis.survivors.count == basis.entry.layers.count ? nil : basis.survivors,
            confirmedValue: origin.isEdit
                ? Layers.confirmedValue(basis.survivors, on: newBase, showing: newShown, arrivals: basis.entry.arrivals)
                : nil,
            isSame: isSame,
            // A page leaves the freshness of its list.
            freshFor: origin.isPage
                ? nil
                : basis.lifetime.freshFor(newBase, named: answerDetails?.freshFor, random: environment.random),
            isFinal: basis.isFinal?(newBase) ?? false)
        if let answerDetails { candidate.age = answerDetails.age }
        let cost = cost(of: newShown, by: basis.costOf)
        return PreparedCommit(
            revision: basis.entry.revision, candidate: candidate, cost: cost, metadata: answerDetails?.metadata)
    }

    /// - Parameters:
    ///   - origin: The origin of the value, which decides which layers it already includes. Those layers are dropped.
    ///   - base: Computes the new server value from the current one. `nil` commits nothing.
    ///   - mutation: A mutation whose result the value includes. Its layers are dropped.
    ///   - isRefused: Called under the lock. If it returns true, nothing is committed.
    ///   - answerDetails: The details of the server's answer, which are stored with the value.
    ///   - input: Creates the input for the entry.
    /// - Returns: The value to show. `nil` if nothing was committed.
    @discardableResult
    func commit(
        to slot: Slot, as origin: CommitOrigin, base: (Payload?) -> Payload?, dropping mutation: UInt64? = nil,
        unless isRefused: (inout ClientState) -> Bool = { _ in false }, answerDetails: FetchRun.AnswerDetails? = nil,
        input: (CommitCandidate) -> EntryInput
    ) -> Payload? {
        let shown = prepareAndCommit {
            prepare(base, for: slot, as: origin, dropping: mutation, answerDetails: answerDetails)
        } ifCurrent: { value, state -> Payload?? in
            if isRefused(&state) { return .some(nil) }
            guard value.revision.isCurrent else { return nil }
            send(value, as: input, of: mutation, &state)
            return value.candidate.shown
        }
        return shown ?? nil
    }

    /// Commits values to several entries, in one transaction.
    ///
    /// - Parameter base: Computes the new server value of an entry from the current one. `nil` leaves the entry alone.
    /// - Returns: Number of entries that received a value.
    func commit(
        to slots: [Slot], as origin: CommitOrigin, base: (Slot, Payload?) -> Payload?, dropping mutation: UInt64?,
        editing item: ItemKey? = nil, input: (CommitCandidate) -> EntryInput
    ) -> Int {
        let count = prepareAndCommit {
            slots.compactMap { slot in prepare({ base(slot, $0) }, for: slot, as: origin, dropping: mutation) }
        } ifCurrent: { values, state -> Int? in
            if state.isCleared(mutation) { return 0 }
            let values = values.filter { !$0.revision.slot.isRemoved }
            guard values.allSatisfy(\.revision.isCurrent) else { return nil }
            let edited = item.map { EditedItem(key: $0, count: values.count) }
            for value in values { send(value, as: input, of: mutation, editing: edited, &state) }
            return values.count
        }
        return count ?? 0
    }

    func send(
        _ value: PreparedCommit, as input: (CommitCandidate) -> EntryInput, of mutation: UInt64? = nil,
        editing item: EditedItem? = nil, _ state: inout ClientState
    ) {
        let slot = value.revision.slot
        state.send(input(value.candidate), to: slot, metadata: value.metadata, of: mutation, editing: item)
        // The record in the cache is older than this value, so there is no need to read it.
        if slot.needsHydration, state.missingEdits(of: slot).isEmpty { slot.extras?.isHydrated = true }
        // A value that the entry dropped has no cost.
        if budget != nil, !value.revision.isCurrent { state.charge(slot, value.cost) }
    }
}

/// The origin of a value that is about to be committed, which decides which optimistic layers it already includes.
enum CommitOrigin {
    /// The answer of a fetch. Includes the changes that were confirmed before its request.
    case answer(UInt64)
    /// A complete value from the program. Includes all confirmed changes.
    case value
    /// An edit of the existing value by the program.
    case edit(WritePolicy)
    /// A page, or the content of a source of truth. Includes no layers. A page always differs, so it is not compared.
    case addition(isCompared: Bool = false)

    fileprivate var isEdit: Bool {
        if case .edit = self { true } else { false }
    }

    fileprivate var isPage: Bool {
        if case .addition(isCompared: false) = self { true } else { false }
    }
}
