extension QueryClient {
    /// Lets the entries that contain an item show the newest one, whichever of them received it. Calls code of the program,
    /// so it must not be called under a lock.
    ///
    /// - Returns: The values that were replaced, with those in their place.
    func spreadItems() -> ReplacedValues {
        var replaced = ReplacedValues()
        // Code that reads items is called again by whoever called it.
        guard !ItemIndex.isReading else { return replaced }
        repeat { readItems() } while catchUp(&replaced)
        return replaced
    }

    /// Reads the values that have changed.
    private func readItems() {
        while let unread = state.withLock({ $0.items?.unread }), !unread.isEmpty {
            let read = ItemIndex.$isReading.withValue(true) { unread.map { $0.read() } }
            let wanted = state.withLock { state in read.map { state.items?.take($0) ?? ItemIndex.Wanted() } }
            for (read, wanted) in zip(read, wanted) where !wanted.isEmpty {
                let items = ItemIndex.$isReading.withValue(true) { read.items(wanted) }
                state.withLock { $0.items?.keep(items, for: wanted, of: read.change.number) }
            }
            // Entries that have come to contain items which running mutations change.
            let edited = state.withLock { state -> [Slot] in
                guard state.mutations.edits.hasItems else { return [] }
                return read.map(\.slot).filter { !$0.isRemoved && !state.missingEdits(of: $0).isEmpty }
            }
            if !edited.isEmpty { applyRunningEdits(on: edited) }
        }
    }

    /// Gives entries the newest items, in one transaction.
    ///
    /// - Returns: False if there is nothing to give.
    private func catchUp(_ replaced: inout ReplacedValues) -> Bool {
        var values: [(old: Payload?, new: Payload)] = []
        let hasCaughtUp: Void? = prepareAndCommit { () -> [PreparedItems]? in
            let lags = state.withLock { $0.items?.lags() } ?? []
            guard !lags.isEmpty else { return nil }
            return lags.map { lag in
                let value = ItemIndex.$isReading.withValue(true) { lag.caughtUp() }
                let commit = value.flatMap { value in
                    prepare({ _ in value }, for: lag.base.slot, as: .addition(), dropping: nil)
                }
                return PreparedItems(lag: lag, commit: commit)
            }
        } ifCurrent: { prepared, state -> Void? in
            guard prepared.allSatisfy(\.isCurrent) else { return nil }
            values = []
            for change in prepared {
                state.items?.caughtUp(change.lag)
                guard let commit = change.commit else { continue }
                values.append((change.lag.base.shown, commit.candidate.shown))
                let novelty = change.lag.origin?.novelty ?? .none
                let cause = change.lag.origin?.cause ?? .written
                send(
                    commit,
                    as: {
                        .takeItems($0, isArrival: novelty.isArrival, isOwn: novelty.isOwn, cause)
                    }, &state)
            }
            return ()
        }
        for (old, new) in values { replaced.add(old, new) }
        return hasCaughtUp != nil
    }

    /// An entry that is behind, and the value with which it no longer is. `nil` if it has all items.
    private struct PreparedItems {
        let lag: ItemLag
        let commit: PreparedCommit?

        var isCurrent: Bool {
            lag.base.revision.isCurrent && commit?.revision.isCurrent ?? true
        }
    }

    /// Confirms a mutation, as one change. Its optimistic changes to items count as older than what it writes, which is the
    /// answer of the server.
    func confirmingItems(of mutation: UInt64, _ edited: [EditScope], _ confirm: () throws -> Void) rethrows {
        guard !edited.isEmpty else { return try confirm() }
        let hasItems = state.withLock { state in
            guard let items = state.items else { return false }
            items.confirmations[mutation] = items.nextOrder(at: clock.now())
            return true
        }
        guard hasItems else { return try confirm() }
        defer { state.withLock { _ = $0.items?.confirmations.removeValue(forKey: mutation) } }
        try delivered(asOne: confirm)
    }

    /// The entries in memory that contain an item, least recently used first. Calls code of the program, so it must not be
    /// called under a lock.
    func slots(containing key: ItemKey) -> [Slot] {
        // Code that reads items, and asks for one, finds what was read before.
        if !ItemIndex.isReading { readItems() }
        return state.withLock { $0.items?.slots(containing: key) ?? [] }
    }
}

extension ItemIndex {
    /// True in code of the program that is called to read items.
    @TaskLocal static var isReading = false
}

extension ReadItems {
    /// The items that are wanted. Calls code of the program.
    fileprivate func items(_ wanted: ItemIndex.Wanted) -> ItemsByType {
        var items = change.novelty.extent == .all ? ItemsByType() : changes
        if change.novelty.extent == .all, let value = change.known {
            // The newest page comes last.
            for section in sections.reversed() {
                containment.collect(wanted.new, from: value, page: section.position, into: &items)
            }
        }
        if let value = change.old { containment.collect(wanted.old, from: value, into: &items) }
        return items
    }
}

/// Values that were replaced before anybody received them.
struct ReplacedValues {
    private var new: [ObjectIdentifier: Payload] = [:]
    /// Retained, so that no other value has the identity of one of them.
    private var old: [Payload] = []

    var isEmpty: Bool { new.isEmpty }

    mutating func add(_ value: Payload?, _ other: Payload) {
        guard let value else { return }
        old.append(value)
        new[ObjectIdentifier(value)] = other
    }

    /// The value in place of another.
    func newest(_ value: Payload) -> Payload {
        var value = value
        while let other = new[ObjectIdentifier(value)] { value = other }
        return value
    }
}

extension ClientState {
    /// Lets an entry be found by what its values contain. Of two definitions of one key, the one that says more counts.
    mutating func adopt(saying containment: Containment, _ slot: Slot) {
        if let known = slot.extras?.contents?.containment, known.parts.count >= containment.parts.count { return }
        let items = items ?? ItemIndex()
        self.items = items
        forgetContents(of: slot)
        slot.makeExtras().contents = Contents(containment)
        slot.containsItems = true
        let order = ItemOrder(nanoseconds: slot.entry.writtenAt.nanoseconds)
        note(ItemNovelty(extent: .all, order: order), of: slot, from: nil)
    }

    /// Takes an entry out of the index, until a definition says again what its values contain.
    mutating func forgetContents(of slot: Slot) {
        items?.remove(slot)
        discard(slot.extras?.contents)
        slot.extras?.contents = nil
    }

    /// Notes a change of an entry that may contain items.
    ///
    /// - Parameter old: The server's value before.
    mutating func note(_ novelty: ItemNovelty, of slot: Slot, from old: Payload?) {
        if items?.note(slot, from: old, as: novelty) == true { work.hasItems = true }
    }

    /// The place of a request or a write that happens now. `nil` for an entry that contains nothing.
    func nextItemOrder(of slot: Slot) -> ItemOrder? { slot.containsItems ? items?.nextOrder(at: now) : nil }

    /// What an input says about the items of the value that it brings. Called before the entry receives the input.
    func novelty(of input: EntryInput, to slot: Slot, of mutation: UInt64?) -> ItemNovelty {
        switch input {
        case .answer(let generation, _), .yield(let generation, _):
            let run = slot.run(of: generation)
            return ItemNovelty(extent: .all, order: run?.itemOrder ?? .unknown)
        case .write(let candidate, .value, _, _):
            let order = nextItemOrder(of: slot)?.lowered(by: candidate.age)
            return ItemNovelty(extent: .all, order: order, isOwn: true, mutation: mutation)
        case .write(_, .edit, let keepsOverFetch, _):
            let order = keepsOverFetch ? nextItemOrder(of: slot) : nil
            return ItemNovelty(extent: .changes, order: order, isOwn: true, mutation: mutation)
        case .hydrate(let found, _):
            // An initial value is no news.
            let isDated = found.age > .zero
            let order = isDated ? context.received(age: found.age).nanoseconds : .min
            return ItemNovelty(extent: .all, order: ItemOrder(nanoseconds: order))
        case .renewRecord(let candidate, _):
            let order = ItemOrder(nanoseconds: now.nanoseconds).lowered(by: candidate.age)
            return ItemNovelty(extent: .all, order: order)
        case .reset: return ItemNovelty(extent: .all, order: .unknown)
        case .takeItems: return .none
        case .source: return ItemNovelty(extent: .changes, order: nextItemOrder(of: slot))
        case .confirm(let mutation, _):
            let order = items?.confirmations[mutation] ?? nextItemOrder(of: slot)
            return ItemNovelty(extent: .changes, order: order, isOwn: true)
        default: return ItemNovelty(extent: .changes, order: nextItemOrder(of: slot), isOwn: true)
        }
    }
}
