extension QueryClient {
    /// Lets the entries that contain an item show the newest one, whichever of them received it. Calls code of the program,
    /// so it must not be called under a lock.
    ///
    /// - Returns: The values that were replaced, with those in their place.
    func spreadItems() -> ReplacedValues {
        var replaced = ReplacedValues()
        // Code that reads items is called again by whoever called it.
        guard !isReadingItems else { return replaced }
        repeat { readItems(&replaced) } while catchUp(&replaced)
        return replaced
    }

    /// Reads the values that have changed.
    private func readItems(_ replaced: inout ReplacedValues) {
        while let unread = state.withLock({ $0.items?.unread }), !unread.isEmpty {
            let read = readingItems { unread.map { $0.read() } }
            let wanted = transact { state in state.changeItems { index in read.map { index.take($0) } } } ?? []
            for (read, wanted) in zip(read, wanted) where !wanted.isEmpty {
                let (items, equal) = readingItems { read.items(wanted) }
                transact { state in state.changeItems { $0.keep(items, for: wanted, besides: equal, of: read) } }
            }
            // Entries that have come to contain items which running mutations change.
            let edited = state.withLock { state -> [Slot] in
                guard state.mutations.edits.hasItems else { return [] }
                return read.map(\.slot).filter { !$0.isRemoved && !state.missingEdits(of: $0).isEmpty }
            }
            guard !edited.isEmpty else { continue }
            let before = state.withLock { _ in edited.map(\.entry.shown) }
            applyRunningEdits(on: edited)
            let after = state.withLock { _ in edited.map(\.entry.shown) }
            for (old, new) in zip(before, after) where old !== new { new.map { replaced.add(old, $0) } }
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
                let value = readingItems { lag.caughtUp() }
                let commit = value.flatMap { value in
                    prepare({ _ in value }, for: lag.base.slot, as: .addition(), dropping: nil)
                }
                return PreparedItems(lag: lag, commit: commit)
            }
        } ifCurrent: { prepared, state -> Void? in
            guard prepared.allSatisfy(\.isCurrent) else { return nil }
            values = []
            for change in prepared {
                let lag = change.lag
                state.changeItems { $0.caughtUp(lag) }
                guard let commit = change.commit else { continue }
                values.append((lag.base.shown, commit.candidate.shown))
                let contents = lag.base.slot.extras?.contents
                if lag.base.slot.entry.hasSource, contents?.valueBeforeSaving == nil {
                    contents?.valueBeforeSaving = lag.value
                }
                // Two processes could write a record of both in turn, without an end.
                let persists = contents?.isFromOthers == false
                send(
                    commit,
                    as: {
                        .takeItems(
                            $0, isArrival: lag.isArrival, isOwn: lag.isOwn, persists: persists, lag.cause)
                    }, &state)
            }
            // The caller goes on with what these changes bring.
            state.work.hasItems = false
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

    /// Notes that a mutation is being confirmed. Its optimistic changes to items count as older than what it writes, which is the
    /// answer of the server.
    ///
    /// - Returns: False if nothing contains items.
    func beginConfirmingItems(of mutation: UInt64) -> Bool {
        state.withLock { state in
            guard let items = state.items else { return false }
            items.confirmations[mutation] = items.nextOrder(at: clock.now())
            return true
        }
    }

    func endConfirmingItems(of mutation: UInt64) {
        state.withLock { _ = $0.items?.confirmations.removeValue(forKey: mutation) }
    }

    /// The entries in memory that contain an item, least recently used first. Calls code of the program, so it must not be
    /// called under a lock.
    func slots(containing key: ItemKey) -> [Slot] {
        let found = state.withLock { state -> [Slot]? in
            guard let items = state.items else { return [] }
            return items.isSettled ? items.slots(containing: key) : nil
        }
        if let found { return found }
        // Another thread may be about to give them what is newer.
        _ = spreadItems()
        return state.withLock { $0.items?.slots(containing: key) ?? [] }
    }

    // MARK: Reading

    /// Calls code of the program that reads items. What that code does with this client is read by whoever called it.
    private func readingItems<Result>(_ body: () -> Result) -> Result {
        let reading = ItemReading(of: self)
        defer { reading.end() }
        return ItemReading.$current.withValue(reading, operation: body)
    }

    /// True in code of the program that is called to read items.
    private var isReadingItems: Bool { ItemReading.current?.isOpen(for: self) ?? false }
}

/// A call of code of the program that reads items. A task that is started meanwhile may outlive it.
private final class ItemReading: Sendable {
    @TaskLocal static var current: ItemReading?

    private let client: ObjectIdentifier
    private let isOpen = Locked(true)

    init(of client: QueryClient) {
        self.client = ObjectIdentifier(client)
    }

    func isOpen(for client: QueryClient) -> Bool {
        ObjectIdentifier(client) == self.client && isOpen.withLock { $0 }
    }

    func end() { isOpen.withLock { $0 = false } }
}

extension ReadItems {
    /// The items that are wanted, and those of them that are equal to what others have. Calls code of the program.
    fileprivate func items(_ wanted: ItemIndex.Wanted) -> (items: ItemsByType, equal: Set<ItemKey>) {
        var items = change.novelty.extent == .all ? ItemsByType() : changes
        if change.novelty.extent == .all, let value = change.known {
            // The newest page comes last.
            for news in news.reversed() {
                containment.collect(wanted.new.intersection(news.keys), from: value, page: news.page, into: &items)
            }
        }
        var others = ItemsByType()
        for peer in wanted.peers.values { peer.containment.collect(peer.keys, from: peer.value, into: &others) }
        let equal = items.keys(equalIn: others)
        if let value = change.old { containment.collect(wanted.old, from: value, into: &items) }
        return (items, equal)
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
        changeItems { $0.remove(slot) }
        discard(slot.extras?.contents)
        slot.extras?.contents = nil
    }

    /// Notes a change of an entry that may contain items.
    ///
    /// - Parameter old: The server's value before.
    mutating func note(_ novelty: ItemNovelty, of slot: Slot, from old: Payload?) {
        if changeItems({ $0.note(slot, from: old, as: novelty) }) == true { work.hasItems = true }
    }

    /// Changes the index. The items that it drops are released outside the lock.
    @discardableResult
    mutating func changeItems<Result>(_ body: (ItemIndex) -> Result) -> Result? {
        guard let items else { return nil }
        defer { for dropped in items.takeDropped() { discard(dropped) } }
        return body(items)
    }

    /// The place of a request or a write that happens now. `nil` for an entry that contains nothing.
    func nextItemOrder(of slot: Slot) -> ItemOrder? { slot.containsItems ? items?.nextOrder(at: now) : nil }

    /// Starts the requested reading of a source of truth, without other effects. Its content counts as of now.
    mutating func beginReading(_ slot: Slot) -> Bool {
        noteReading(of: slot)
        return slot.entry.beginReading()
    }

    private func noteReading(of slot: Slot) { slot.extras?.contents?.readingOrder = nextItemOrder(of: slot) }

    /// What an input says about the items of the value that it brings. Called before the entry receives the input.
    func novelty(
        of input: EntryInput, to slot: Slot, of mutation: UInt64?, editing item: EditedItem?
    ) -> ItemNovelty {
        if case .takeItems = input { return .none }
        slot.extras?.contents?.isFromOthers = if case .renewRecord = input { true } else { false }
        switch input {
        case .answer(let generation, .value), .answer(let generation, .notModified), .yield(let generation, _):
            let run = slot.run(of: generation)
            return ItemNovelty(
                extent: .all, order: run?.itemOrder ?? .unknown,
                isWhole: run?.direction == nil && run?.isPartial != true)
        case .write(let candidate, .value, let keepsOverFetch, _):
            let order = keepsOverFetch || !slot.entry.isBusy ? nextItemOrder(of: slot) : nil
            return ItemNovelty(
                extent: .all, order: order?.lowered(by: candidate.age), isWhole: true, isOwn: true, mutation: mutation)
        case .write(_, .edit, let keepsOverFetch, _):
            let order = keepsOverFetch ? nextItemOrder(of: slot) : nil
            return ItemNovelty(extent: .changes, order: order, isOwn: true, mutation: mutation, item: item)
        case .hydrate(let found, _):
            // An initial value is no news.
            let isDated = found.age > .zero
            let order = isDated ? context.received(age: found.age).nanoseconds : .min
            return ItemNovelty(extent: .all, order: ItemOrder(nanoseconds: order), isWhole: true)
        case .renewRecord(let candidate, _):
            let order = ItemOrder(nanoseconds: now.nanoseconds).lowered(by: candidate.age)
            return ItemNovelty(extent: .all, order: order, isWhole: true)
        case .reset: return ItemNovelty(extent: .all, order: .unknown, isWhole: true)
        case .source(.readingBegan):
            noteReading(of: slot)
            return .none
        case .source(.reading(.content(let candidate, _, let isDated))):
            guard let contents = slot.extras?.contents else { return .none }
            let order = contents.readingOrder ?? .unknown
            if slot.entry.base != nil {
                let before = slot.entry.sourceWork.savings == 0 ? contents.valueBeforeSaving.take() : nil
                return ItemNovelty(extent: .changes, order: order, before: before)
            }
            let date = ItemOrder(nanoseconds: now.nanoseconds).lowered(by: candidate.age)
            return ItemNovelty(extent: .all, order: isDated ? date : .unknown, isWhole: true)
        case .confirm(let mutation, _):
            let order = items?.confirmations[mutation] ?? nextItemOrder(of: slot)
            return ItemNovelty(extent: .changes, order: order, isOwn: true)
        default: return ItemNovelty(extent: .changes, order: nextItemOrder(of: slot), isOwn: true)
        }
    }
}
