/// What an entry held when code of the program began to work on it, outside the lock.
struct EntryBase {
    let slot: Slot
    let base: Payload?
    let shown: Payload?
    let layers: [Layer]
    let arrivals: UInt32
    private let revision: UInt64

    /// Called under the client's lock.
    init(_ slot: Slot) {
        self.slot = slot
        base = slot.entry.base
        shown = slot.entry.shown
        layers = slot.entry.layers
        arrivals = slot.entry.arrivalCount
        revision = slot.entry.revision
    }

    /// True if the entry has not changed since. Called under the client's lock.
    var isCurrent: Bool { slot.entry.revision == revision }

    /// True if the entry shows a change of the mutation.
    func isChanged(by mutation: UInt64) -> Bool { layers.contains { $0.patch.mutation == mutation } }

    /// The value that is confirmed with these layers, counting `mutation` as confirmed.
    func settle(_ layers: [Layer], showing shown: Payload?, confirming mutation: UInt64? = nil) -> Payload? {
        Layers.settle(layers, on: base, showing: shown, arrivals: arrivals, confirming: mutation)
    }
}

extension QueryClient {
    /// Prepares a change outside the lock, where it may call code of the program, and commits it in one transaction. If
    /// an entry has changed in the meantime, the change is prepared again from what the entry holds then.
    ///
    /// - Parameters:
    ///   - prepare: Reads the entries as ``EntryBase``, and prepares. `nil` if there is nothing to commit.
    ///   - commit: Called under the lock. Commits if each ``EntryBase/isCurrent``, and returns `nil` otherwise.
    /// - Returns: The result of `commit`. `nil` if nothing was committed.
    @discardableResult
    func commit<Change, Result>(
        preparing prepare: () -> Change?,
        ifCurrent commit: (Change, inout ClientState, Moment, inout Work) -> Result?
    ) -> Result? {
        while let change = prepare() {
            if let result = transact({ state, work, moment in commit(change, &state, moment, &work) }) { return result }
        }
        return nil
    }

    /// The state from which a landing is prepared.
    private struct Ground {
        let entry: EntryBase
        /// The server's value to which an edit applies.
        let base: Payload?
        let survivors: [Layer]
        let costOf: (@Sendable (Payload) -> Int)?
        let lifetime: Lifetime
        let isFinal: (@Sendable (Payload) -> Bool)?

        /// Called under the client's lock.
        init(_ slot: Slot, _ origin: LandingOrigin, dropping mutation: UInt64?) {
            entry = EntryBase(slot)
            // Reads single fields, because a local variable would copy the entry.
            var base = entry.base
            var needed = entry.layers
            switch origin {
            case _ where needed.isEmpty: break
            case .answer(let generation): needed = slot.entry.layersSurviving(landingOf: generation)
            case .value: needed = needed.filter { !$0.isConfirmed }
            case .edit(let policy):
                // An edit applies to the value that the server has confirmed. Confirmed layers stay apart from the edit
                // if an earlier fetch may still land below it, or if the base may already include them.
                guard policy == .keep || !slot.entry.isBusy, !slot.entry.hasDoubt else { break }
                base = slot.entry.settled
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

        /// The freshness of a value, in nanoseconds: the one that the server said or that the definition computes, made
        /// shorter by a random part. `nil` if the stale times of the observers apply. Calls user code.
        func freshFor(_ value: Payload?, said: Int64?, random: () -> UInt64) -> Int64? {
            let own = said ?? value.flatMap { computed?($0) }
            guard jitter > 0 else { return own }
            let whole: Int64
            switch (own, staleAfter.kind) {
            case (let own?, _): whole = own
            case (nil, .after(let nanoseconds)): whole = nanoseconds
            case (nil, .never), (nil, .immutable): return nil
            }
            return whole - Int64(Double(whole) * jitter * random().fraction)
        }
    }

    /// A value that was prepared outside the lock, and the state from which it was prepared.
    private struct Prepared {
        let entry: EntryBase
        let landing: Landing
        let cost: Int
        let terms: AnswerTerms?
    }

    /// Prepares a value: applies layers, compares, estimates its cost. Calls user code, so it must not be called under
    /// a lock.
    private func prepare(
        _ base: (Payload?) -> Payload?, for slot: Slot, as origin: LandingOrigin, dropping mutation: UInt64?,
        said: FetchRun.Answer? = nil
    ) -> Prepared? {
        let ground = state.withLock { _ in Ground(slot, origin, dropping: mutation) }
        guard let newBase = base(ground.base) else { return nil }
        let newShown = Layers.show(ground.survivors, on: newBase) ?? newBase
        let isSame = !origin.isAddition && (ground.entry.shown.map { newShown.isEqual(to: $0) } ?? false)
        var landing = Landing(
            base: newBase, shown: newShown,
            layers: ground.survivors.count == ground.entry.layers.count ? nil : ground.survivors,
            settled: origin.isEdit
                ? Layers.settle(ground.survivors, on: newBase, showing: newShown, arrivals: ground.entry.arrivals)
                : nil,
            isSame: isSame,
            freshFor: ground.lifetime.freshFor(newBase, said: said?.freshFor, random: environment.random),
            isFinal: ground.isFinal?(newBase) ?? false)
        if let said { landing.age = said.age }
        let cost = cost(of: newShown, by: ground.costOf)
        return Prepared(entry: ground.entry, landing: landing, cost: cost, terms: said?.terms)
    }

    /// Commits a value to an entry.
    ///
    /// - Parameters:
    ///   - origin: The origin of the value, which decides which layers it already includes. Those layers are dropped.
    ///   - base: Computes the new server value from the current one. `nil` commits nothing.
    ///   - mutation: A mutation whose result the value includes. Its layers are dropped.
    ///   - isRefused: Called under the lock. If it returns true, nothing is committed.
    ///   - said: The server's words about the value, which the entry takes with it.
    ///   - input: Creates the input for the entry.
    /// - Returns: The value to show. `nil` if nothing was committed.
    @discardableResult
    func commit(
        to slot: Slot, as origin: LandingOrigin, base: (Payload?) -> Payload?, dropping mutation: UInt64? = nil,
        unless isRefused: (ClientState) -> Bool = { _ in false }, said: FetchRun.Answer? = nil,
        input: (Landing) -> EntryInput
    ) -> Payload? {
        let shown = commit {
            prepare(base, for: slot, as: origin, dropping: mutation, said: said)
        } ifCurrent: { value, state, moment, work -> Payload?? in
            if isRefused(state) { return .some(nil) }
            guard value.entry.isCurrent else { return nil }
            send(value, as: input, &state, moment, &work)
            return value.landing.shown
        }
        return shown ?? nil
    }

    /// Commits values to several entries, in one transaction.
    ///
    /// - Parameter base: Computes the new server value of an entry from the current one. `nil` leaves the entry alone.
    /// - Returns: Number of entries that received a value.
    func commit(
        to slots: [Slot], as origin: LandingOrigin, base: (Payload?) -> Payload?, dropping mutation: UInt64?,
        input: (Landing) -> EntryInput
    ) -> Int {
        let count = commit {
            slots.compactMap { prepare(base, for: $0, as: origin, dropping: mutation) }
        } ifCurrent: { values, state, moment, work -> Int? in
            if state.isCleared(mutation ?? .max) { return 0 }
            let values = values.filter { !$0.entry.slot.isRemoved }
            guard values.allSatisfy(\.entry.isCurrent) else { return nil }
            for value in values { send(value, as: input, &state, moment, &work) }
            return values.count
        }
        return count ?? 0
    }

    private func send(
        _ value: Prepared, as input: (Landing) -> EntryInput, _ state: inout ClientState, _ moment: Moment,
        _ work: inout Work
    ) {
        let slot = value.entry.slot
        state.send(input(value.landing), to: slot, terms: value.terms, moment, &work)
        // The record in the cache is older than this value, so there is no need to read it.
        if slot.needsHydration, state.missingEdits(of: slot).isEmpty { slot.extras?.isHydrated = true }
        // A value that the entry dropped has no cost.
        if budget != nil, !value.entry.isCurrent { state.charge(slot, value.cost, moment, &work) }
    }
}

/// The origin of a value that is about to land, which decides which optimistic layers it already includes.
enum LandingOrigin {
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

    fileprivate var isAddition: Bool {
        if case .addition(isCompared: false) = self { true } else { false }
    }
}

extension Layers {
    /// Applies layers to a base. Calls user code, so it must not be called under a lock.
    static func show(_ layers: [Layer], on base: Payload?) -> Payload? {
        layers.reduce(base) { $1.patch.apply($0) ?? $0 }
    }

    /// Applies the settled layers to a base. Calls user code, so it must not be called under a lock.
    ///
    /// - Parameters:
    ///   - shown: The base with all layers applied, which is reused if possible.
    ///   - mutation: A mutation that has just succeeded.
    static func settle(
        _ layers: [Layer], on base: Payload?, showing shown: Payload?, arrivals: UInt32,
        confirming mutation: UInt64? = nil
    ) -> Payload? {
        func isSettled(_ layer: Layer) -> Bool { layer.isSettled(arrivals: arrivals, confirming: mutation) }
        return layers.allSatisfy(isSettled) ? shown : show(layers.filter(isSettled), on: base)
    }
}
