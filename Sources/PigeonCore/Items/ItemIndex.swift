/// Finds the entries that contain an item, and knows which of them are behind the newest item.
///
/// Only code of the program can say what a value contains, and it is never called under the lock. So changes of values are
/// noted, and read once the lock is released: see ``QueryClient/spreadItems()``. A client whose definitions contain nothing
/// has no index.
final class ItemIndex {
    var items: [ItemKey: Holders] = [:]
    /// Those of the items whose identifiers wait for the server's.
    private var temporary: Set<ItemKey> = []
    /// The entries with changes that are not read yet.
    private var changed: [ObjectIdentifier: Slot] = [:]
    /// The entries without a value, which a fetch may bring.
    private var empty: [ObjectIdentifier: Slot] = [:]
    /// The entries that show items of which others have newer ones.
    var behind: [ObjectIdentifier: Slot] = [:]
    /// The newest items, while an entry is behind them.
    var news: [ItemKey: News] = [:]
    /// The changes whose items are wanted, and are still to be collected.
    var wanted: [ItemKey: UInt64] = [:]
    /// The entries that show changes of items, by their mutations.
    private var edited: [UInt64: [ObjectIdentifier: Slot]] = [:]
    /// The places of mutations that are being confirmed.
    var confirmations: [UInt64: ItemOrder] = [:]
    /// Items that nobody waits for any longer, to be released outside the lock.
    var dropped: [AnyObject] = []
    private var lastOrder = Int64.min
    private var lastNumber: UInt64 = 0

    /// The entries that contain an item, and the order of the newest request or write that brought it.
    struct Holders {
        var slots = SmallArray<Slot>()
        var order = ItemOrder.unknown
        var origin: ItemOrigin?
    }

    /// Items that a change brought.
    final class News: Sendable {
        let order: ItemOrder
        /// Number of the change.
        let number: UInt64
        let items: ItemsByType
        /// The items of which others had newer ones. They may be parts of these.
        let older: Set<ItemKey>

        init(order: ItemOrder, number: UInt64, items: ItemsByType, older: Set<ItemKey>) {
            (self.order, self.number, self.items, self.older) = (order, number, items, older)
        }
    }

    // MARK: Changes

    /// The place of a request or a write that happens now.
    func nextOrder(at now: MonotonicInstant) -> ItemOrder {
        lastOrder = max(now.nanoseconds, lastOrder == .max ? .max : lastOrder + 1)
        return ItemOrder(nanoseconds: lastOrder)
    }

    /// Notes a change of an entry that may contain items.
    ///
    /// - Parameter old: The server's value before.
    /// - Returns: True if there is something to read.
    func note(_ slot: Slot, from old: Payload?, as novelty: ItemNovelty) -> Bool {
        guard let contents = slot.extras?.contents else { return false }
        let (known, shown) = (slot.entry.confirmedValue, slot.entry.shown)
        guard known != nil || shown != nil else {
            empty[ObjectIdentifier(slot)] = slot
            forgetItems(of: slot)
            return false
        }
        empty[ObjectIdentifier(slot)] = nil
        // An entry whose layers are gone may take what it waited for.
        let mayFollow = !contents.behind.isEmpty
        guard novelty.extent == .all || known !== old || contents.valueVersion != slot.entry.valueVersion else {
            return mayFollow
        }
        contents.valueVersion = slot.entry.valueVersion
        var novelty = novelty
        if let item = novelty.item, let order = novelty.order, items[item.key]?.slots.count == item.count,
            slot.entry.stack == nil, contents.behind.isEmpty, contents.changes.isEmpty
        {
            // All entries that have it were edited alike.
            items[item.key]?.order = order
            if contents.containment.isPlain, contents.sections[UnreadItems.whole.known] != nil { return mayFollow }
        } else {
            novelty.item = nil
        }
        noteChange(of: slot, contents, from: old, as: novelty)
        return true
    }

    /// Returns and forgets objects that are to be released outside the lock.
    func takeDropped() -> [AnyObject] {
        guard !dropped.isEmpty else { return [] }
        defer { dropped = [] }
        return dropped
    }

    private func noteChange(
        of slot: Slot, _ contents: Contents, from old: Payload?, as novelty: ItemNovelty, readsAll: Bool = false
    ) {
        let (known, shown) = (slot.entry.confirmedValue, slot.entry.shown)
        lastNumber += 1
        contents.changes.append(
            ItemChange(
                number: lastNumber, old: old, known: known, shown: shown === known ? nil : shown, novelty: novelty,
                readsAll: readsAll || novelty.isWhole))
        changed[ObjectIdentifier(slot)] = slot
    }

    /// The oldest change of each entry that is not read yet. It stays unread until ``take(_:)``, so that threads that ask at
    /// the same time all read it, and none of them looks up an index without it.
    var unread: [UnreadItems] {
        changed.values.sorted { $0.lastUsed < $1.lastUsed }.compactMap { slot in
            guard let contents = slot.extras?.contents, let change = contents.changes.first else { return nil }
            return UnreadItems(
                slot: slot, containment: contents.containment, change: change,
                known: change.readsAll ? [] : Set(contents.sections.keys))
        }
    }

    /// The items that others, or other places of a value, are to receive.
    struct Wanted {
        /// Those that came with a change.
        var new: Set<ItemKey> = []
        /// Those that the value had before, and that are newer.
        var old: Set<ItemKey> = []
        /// Of those that came, the ones that may stand elsewhere in the value as they were.
        var repeated: Set<ItemKey> = []
        /// Entries that have what the items were before. If those are equal, nobody needs the new ones.
        var peers: [ObjectIdentifier: Peer] = [:]

        struct Peer {
            let value: Payload
            let containment: Containment
            var keys: Set<ItemKey>
        }

        var isEmpty: Bool { new.isEmpty && old.isEmpty }
    }

    /// Notes what an entry contains, and which of its items are newer than those of others. Does nothing if another thread has
    /// done so.
    func take(_ read: ReadItems) -> Wanted {
        var found = Wanted()
        let slot = read.slot
        guard let contents = slot.extras?.contents, contents.containment === read.containment,
            contents.changes.first?.number == read.change.number
        else { return found }
        contents.changes.removeFirst()
        contents.lastRead = read.change.number
        if contents.changes.isEmpty { changed[ObjectIdentifier(slot)] = nil }
        guard !slot.isRemoved else { return found }
        let added = setSections(of: slot, contents, read)
        // A part of an item that another entry had may be older than others have it.
        let parts = read.change.novelty.extent == .none ? [ReadItems.News(keys: added, order: .unknown)] : []
        for news in read.news + parts {
            let origin = ItemOrigin(key: slot.key, page: news.page, novelty: read.change.novelty)
            for key in news.keys { note(key, news, origin, of: read, added: added, contents, &found) }
        }
        for keys in [found.new, found.old] { for key in keys { wanted[key] = read.change.number } }
        return found
    }

    /// Keeps the newest items for the entries that are behind.
    ///
    /// - Parameter equal: The items that are equal to those of others.
    func keep(_ items: ItemsByType, for found: Wanted, besides equal: Set<ItemKey>, of read: ReadItems) {
        let number = read.change.number
        let older = read.slot.extras?.contents?.behind ?? []
        for key in found.old.isEmpty ? found.new : found.new.union(found.old) where wanted[key] == number {
            // Otherwise, another change has brought a newer one.
            wanted[key] = nil
            guard let holders = self.items[key] else { continue }
            if found.new.contains(key) {
                if !equal.contains(key) {
                    holders.slots.forEach { if $0 !== read.slot { markBehind($0, key) } }
                }
                if found.repeated.contains(key) { markBehind(read.slot, key) }
            }
            guard isAwaited(key, holders) else { continue }
            news[key] = News(order: holders.order, number: number, items: items, older: older)
        }
    }

    /// - Returns: The items that the entry has not had before.
    private func setSections(of slot: Slot, _ contents: Contents, _ read: ReadItems) -> Set<ItemKey> {
        var removed: [ItemKey] = []
        var added: Set<ItemKey> = []
        for section in read.sections {
            let old = Set(contents.sections[section.stamp] ?? [])
            // Nothing is looked up for a value that is read as a whole.
            let isOnly =
                contents.sections.isEmpty || contents.sections.count == 1 && contents.sections[section.stamp] != nil
            for key in section.keys where !old.contains(key) {
                if add(slot, contents, to: key, isNew: isOnly) { added.insert(key) }
            }
            removed += old.filter { !section.keys.contains($0) }
            contents.sections[section.stamp] = Array(section.keys)
        }
        let kept = read.kept.union(read.sections.lazy.map(\.stamp))
        for (stamp, keys) in contents.sections where !kept.contains(stamp) {
            removed += keys
            contents.sections[stamp] = nil
        }
        contents.optimistic = read.optimistic
        for key in removed { remove(slot, contents, from: key) }
        return added
    }

    /// - Returns: False if the entry has had the item in another section.
    private func add(_ slot: Slot, _ contents: Contents, to key: ItemKey, isNew: Bool) -> Bool {
        if !isNew, items[key]?.slots.contains(where: { $0 === slot }) == true {
            contents.repeats[key, default: 0] += 1
            return false
        }
        items[key, default: Holders()].slots.append(slot)
        if key.mayBeTemporary { temporary.insert(key) }
        return true
    }

    private func remove(_ slot: Slot, _ contents: Contents, from key: ItemKey) {
        if let count = contents.repeats[key] {
            contents.repeats[key] = count > 1 ? count - 1 : nil
            return
        }
        caughtUp(slot, contents, key)
        items[key]?.slots.removeFirst { $0 === slot }
        guard items[key]?.slots.isEmpty == true else { return }
        items[key] = nil
        if !temporary.isEmpty { temporary.remove(key) }
    }

    private func note(
        _ key: ItemKey, _ news: ReadItems.News, _ origin: ItemOrigin, of read: ReadItems, added: Set<ItemKey>,
        _ contents: Contents, _ found: inout Wanted
    ) {
        let slot = read.slot
        if key == read.change.novelty.item?.key { return }
        guard let place = items.index(forKey: key) else { return }
        var holders = items.values[place]
        let isKept = contents.isRepeated(key) && read.keeps(key, of: (contents.repeats[key] ?? 0) + 1)
        // What the program makes of an older item is no newer than the item.
        let isMade = read.change.novelty.extent == .changes && read.change.novelty.isOwn || news.order == nil
        if isMade, contents.behind.contains(key), !holders.slots.isOne { return }
        let isOlder = news.order.map { $0 < holders.order || $0 == .unknown } ?? false
        // The entry may have taken the newer one from an entry that is gone.
        let wasTaken =
            holders.origin.map { $0.key != slot.key } == true && news.order != .unknown && !added.contains(key)
        if isOlder, isKept || wasTaken || !holders.slots.isOne {
            // It may be all that the source of the entry can save.
            if news.isEcho { return refuse(slot, contents, key) }
            // Otherwise, it is behind already, or another thread is about to give it the newest.
            if isKept || wasTaken, !contents.behind.contains(key), wanted[key] == nil { found.old.insert(key) }
            markBehind(slot, key)
            return
        }
        // Neither an edit nor the answer that a value is still right makes an item older.
        if let order = news.order {
            let isFirm = read.change.old === read.change.known || read.change.novelty.extent == .changes
            holders.order = isFirm ? max(order, holders.order) : order
        }
        items.values[place].order = holders.order
        items.values[place].origin = origin
        drop(key)
        // What others have is not the newest while another thread is about to give them that.
        let isSettled = wanted.isEmpty || wanted.removeValue(forKey: key) == nil
        contents.refused.remove(key)
        if !found.old.isEmpty { found.old.remove(key) }
        caughtUp(slot, contents, key)
        if contents.isRepeated(key) || news.repeated.contains(key) { found.repeated.insert(key) }
        guard !holders.slots.isOne else {
            if found.repeated.contains(key) { found.new.insert(key) }
            return
        }
        found.new.insert(key)
        guard isSettled, let peer = source(of: key, holders, besides: slot), let value = peer.entry.confirmedValue,
            let containment = peer.extras?.contents?.containment
        else { return }
        found.peers[ObjectIdentifier(peer), default: .init(value: value, containment: containment, keys: [])].keys
            .insert(key)
    }

    private func markBehind(_ slot: Slot, _ key: ItemKey) {
        guard let contents = slot.extras?.contents else { return }
        contents.behind.insert(key)
        contents.refused.remove(key)
        behind[ObjectIdentifier(slot)] = slot
    }

    /// Notes that the source of an entry has an item that is older than that of others, although it was to save a newer one.
    private func refuse(_ slot: Slot, _ contents: Contents, _ key: ItemKey) {
        caughtUp(slot, contents, key)
        contents.refused.insert(key)
    }

    func caughtUp(_ slot: Slot, _ contents: Contents, _ key: ItemKey) {
        guard !contents.behind.isEmpty, contents.behind.remove(key) != nil else { return }
        if contents.behind.isEmpty { behind[ObjectIdentifier(slot)] = nil }
        if news[key] != nil, items[key].map({ !isAwaited(key, $0) }) ?? true { drop(key) }
    }

    func drop(_ key: ItemKey) {
        if !news.isEmpty, let old = news.removeValue(forKey: key) { dropped.append(old) }
    }

    func isAwaited(_ key: ItemKey, _ holders: Holders) -> Bool {
        holders.slots.contains { $0.extras?.contents?.behind.contains(key) == true }
    }

    // MARK: Optimistic changes

    func noteEdited(_ slot: Slot, by mutation: UInt64) { edited[mutation, default: [:]][ObjectIdentifier(slot)] = slot }

    func forgetEdited() { edited = [:] }

    /// Returns and forgets the entries to which a mutation has added changes of items.
    func takeEdited(by mutation: UInt64) -> [Slot] {
        (edited.removeValue(forKey: mutation)?.values.filter { !$0.isRemoved } ?? []).sorted {
            $0.lastUsed < $1.lastUsed
        }
    }

    // MARK: Removal

    /// Forgets what an entry contains.
    func remove(_ slot: Slot) {
        empty[ObjectIdentifier(slot)] = nil
        forgetItems(of: slot)
    }

    private func forgetItems(of slot: Slot) {
        changed[ObjectIdentifier(slot)] = nil
        guard let contents = slot.extras?.contents else { return }
        contents.changes = []
        (contents.repeats, contents.refused) = ([:], [])
        for keys in contents.sections.values {
            for key in keys { remove(slot, contents, from: key) }
        }
        contents.sections = [:]
    }

    /// Has entries read again, because the server has named what had a temporary identifier.
    func readAgain(with tokens: [String]) {
        let keys = temporary.filter { key in tokens.contains { key.id.contains($0) } }
        for slot in keys.flatMap({ items[$0]?.slots ?? .none }).withoutDuplicates {
            guard let contents = slot.extras?.contents else { continue }
            noteChange(of: slot, contents, from: slot.entry.confirmedValue, as: .none, readsAll: true)
        }
    }

    // MARK: Look-up

    /// True if all values have been read, and no entry is behind.
    var isSettled: Bool { changed.isEmpty && behind.isEmpty && wanted.isEmpty }

    func contains(_ key: ItemKey, _ slot: Slot) -> Bool {
        items[key]?.slots.contains { $0 === slot } ?? false
    }

    /// The entries that contain an item, least recently used first.
    func slots(containing key: ItemKey) -> [Slot] {
        (items[key]?.slots ?? .none).sorted { $0.lastUsed < $1.lastUsed }
    }

    /// The entries that contain an item, in no order, and where the newest one came from. `nil` if no entry contains it.
    func places(of key: ItemKey) -> (holders: [(slot: Slot, isBehind: Bool)], origin: ItemOrigin?)? {
        guard let holders = items[key] else { return nil }
        let places = holders.slots.map { slot in
            (slot: slot, isBehind: slot.extras?.contents?.behind.contains(key) ?? false)
        }
        return (places, holders.origin)
    }

    /// The entries without a value that may get one with items of a type, least recently used first.
    func emptySlots(for type: ObjectIdentifier) -> [Slot] {
        empty.values.filter { $0.extras?.contents?.containment.parts.contains { $0.itemType == type } ?? false }
            .sorted { $0.lastUsed < $1.lastUsed }
    }
}
