/// Finds the entries that contain an item, and knows which of them are behind the newest item.
///
/// Only code of the program can say what a value contains, and it is never called under the lock. So changes of values are
/// noted, and read once the lock is released: see ``QueryClient/spreadItems()``. A client whose definitions contain nothing
/// has no index.
final class ItemIndex {
    private var items: [ItemKey: Holders] = [:]
    /// The entries with changes that are not read yet.
    private var changed: [ObjectIdentifier: Slot] = [:]
    /// The entries without a value, which a fetch may bring.
    private var empty: [ObjectIdentifier: Slot] = [:]
    /// The entries that show items of which others have newer ones.
    private var behind: [ObjectIdentifier: Slot] = [:]
    /// The newest items, while an entry is behind them.
    private var news: [ItemKey: News] = [:]
    /// The changes whose items are wanted, and are still to be collected.
    private var wanted: [ItemKey: UInt64] = [:]
    /// The entries that show changes of items, by their mutations.
    private var edited: [UInt64: [ObjectIdentifier: Slot]] = [:]
    /// The places of mutations that are being confirmed.
    var confirmations: [UInt64: ItemOrder] = [:]
    private var lastOrder = Int64.min
    private var lastNumber: UInt64 = 0

    /// The entries that contain an item, and the order of the newest request or write that brought it.
    private struct Holders {
        var slots = SmallArray<Slot>()
        var order = ItemOrder.unknown
        var origin: ItemOrigin?
    }

    private struct News {
        let order: ItemOrder
        /// The change that brought them.
        let number: UInt64
        let items: ItemsByType
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
        guard novelty.extent == .all || known !== old || contents.valueVersion != slot.entry.valueVersion else { return mayFollow }
        contents.valueVersion = slot.entry.valueVersion
        noteChange(of: slot, contents, from: old, as: novelty)
        return true
    }

    private func noteChange(of slot: Slot, _ contents: Contents, from old: Payload?, as novelty: ItemNovelty) {
        let (known, shown) = (slot.entry.confirmedValue, slot.entry.shown)
        lastNumber += 1
        contents.changes.append(
            ItemChange(
                number: lastNumber, old: old, known: known, shown: shown === known ? nil : shown, novelty: novelty))
        changed[ObjectIdentifier(slot)] = slot
    }

    /// The oldest change of each entry that is not read yet. It stays unread until ``take(_:)``, so that threads that ask at
    /// the same time all read it, and none of them looks up an index without it.
    var unread: [UnreadItems] {
        changed.values.sorted { $0.lastUsed < $1.lastUsed }.compactMap { slot in
            guard let contents = slot.extras?.contents, let change = contents.changes.first else { return nil }
            return UnreadItems(
                slot: slot, containment: contents.containment, change: change, known: Set(contents.sections.keys))
        }
    }

    /// The items that others, or other pages of a value, are to receive.
    struct Wanted {
        /// Those that came with a change.
        var new: Set<ItemKey> = []
        /// Those that the value had before, and that are newer.
        var old: Set<ItemKey> = []

        var isEmpty: Bool { new.isEmpty && old.isEmpty }
    }

    /// Notes what an entry contains, and which entries are behind it. Does nothing if another thread has done so.
    func take(_ read: ReadItems) -> Wanted {
        var found = Wanted()
        let slot = read.slot
        guard let contents = slot.extras?.contents, contents.containment === read.containment,
            contents.changes.first?.number == read.change.number
        else { return found }
        contents.changes.removeFirst()
        if contents.changes.isEmpty { changed[ObjectIdentifier(slot)] = nil }
        guard !slot.isRemoved else { return found }
        setSections(of: slot, contents, read)
        for news in read.news {
            let origin = ItemOrigin(key: slot.key, page: news.page, novelty: read.change.novelty)
            for key in news.keys { note(key, news, origin, of: read, contents, &found) }
        }
        for key in found.new.union(found.old) { wanted[key] = read.change.number }
        return found
    }

    /// Keeps the newest items for the entries that are behind.
    func keep(_ items: ItemsByType, for keys: Wanted, of number: UInt64) {
        // Another change may have brought a newer one.
        for key in keys.new.union(keys.old) where wanted[key] == number {
            guard let order = self.items[key]?.order else { continue }
            wanted[key] = nil
            news[key] = News(order: order, number: number, items: items)
        }
    }

    private func setSections(of slot: Slot, _ contents: Contents, _ read: ReadItems) {
        var removed: [ItemKey] = []
        for section in read.sections {
            let old = Set(contents.sections[section.stamp] ?? [])
            for key in section.keys where !old.contains(key) { add(slot, contents, to: key) }
            removed += old.filter { !section.keys.contains($0) }
            contents.sections[section.stamp] = Array(section.keys)
        }
        let kept = read.kept.union(read.sections.lazy.map(\.stamp))
        for (stamp, keys) in contents.sections where !kept.contains(stamp) {
            removed += keys
            contents.sections[stamp] = nil
        }
        for key in removed { remove(slot, contents, from: key) }
    }

    private func add(_ slot: Slot, _ contents: Contents, to key: ItemKey) {
        if items[key]?.slots.contains(where: { $0 === slot }) == true {
            contents.repeats[key, default: 0] += 1
        } else {
            items[key, default: Holders()].slots.append(slot)
        }
    }

    private func remove(_ slot: Slot, _ contents: Contents, from key: ItemKey) {
        if let count = contents.repeats[key] {
            contents.repeats[key] = count > 1 ? count - 1 : nil
            return
        }
        caughtUp(slot, contents, key)
        items[key]?.slots.removeFirst { $0 === slot }
        if items[key]?.slots.isEmpty == true { items[key] = nil }
    }

    private func note(
        _ key: ItemKey, _ news: ReadItems.News, _ origin: ItemOrigin, of read: ReadItems, _ contents: Contents,
        _ found: inout Wanted
    ) {
        let slot = read.slot
        guard var holders = items[key] else { return }
        let isKept = contents.repeats[key].map { read.keeps(key, of: $0 + 1) } ?? false
        let isOlder = news.order.map { $0 < holders.order } ?? false
        if isOlder, isKept || !holders.slots.isOne {
            if isKept, !contents.behind.contains(key) { found.old.insert(key) }
            markBehind(slot, contents, key)
            return
        }
        if let order = news.order { holders.order = order }
        holders.origin = origin
        items[key] = holders
        (self.news[key], wanted[key]) = (nil, nil)
        found.old.remove(key)
        caughtUp(slot, contents, key)
        holders.slots.forEach { other in
            guard other !== slot, let contents = other.extras?.contents else { return }
            markBehind(other, contents, key)
            found.new.insert(key)
        }
        if contents.repeats[key] != nil || news.repeated.contains(key) {
            markBehind(slot, contents, key)
            found.new.insert(key)
        }
    }

    private func markBehind(_ slot: Slot, _ contents: Contents, _ key: ItemKey) {
        contents.behind.insert(key)
        behind[ObjectIdentifier(slot)] = slot
    }

    private func caughtUp(_ slot: Slot, _ contents: Contents, _ key: ItemKey) {
        guard contents.behind.remove(key) != nil else { return }
        if contents.behind.isEmpty { behind[ObjectIdentifier(slot)] = nil }
        var isAwaited = false
        if news[key] != nil {
            items[key]?.slots.forEach { if $0.extras?.contents?.behind.contains(key) == true { isAwaited = true } }
        }
        if !isAwaited { news[key] = nil }
    }

    // MARK: Entries that are behind

    /// The entries that can take newer items now, least recently used first.
    func lags() -> [ItemLag] {
        behind.values.sorted { $0.lastUsed < $1.lastUsed }.compactMap { slot in
            guard let contents = slot.extras?.contents, contents.changes.isEmpty, let base = slot.entry.base else {
                return nil
            }
            var lag = ItemLag(base: EntryBase(slot), value: base, containment: contents.containment)
            for key in contents.behind {
                guard let holders = items[key], wanted[key] == nil, !mustWait(slot, for: holders.origin) else {
                    continue
                }
                if let news = news[key], news.order == holders.order {
                    lag.items.append((key, holders.order, .items(news.items, change: news.number)))
                } else if let (source, containment) = source(of: key, holders, besides: slot) {
                    lag.items.append((key, holders.order, .value(source, containment)))
                } else if !hasUnreadHolder(holders) {
                    lag.items.append((key, holders.order, .none))
                }
                if lag.origin == nil { lag.origin = holders.origin }
            }
            return lag.items.isEmpty ? nil : lag
        }
    }

    /// True while an entry shows changes that the newest item may have already: those that its mutation brought, and those
    /// that were confirmed and are not part of the server's value yet. They would be shown twice.
    private func mustWait(_ slot: Slot, for origin: ItemOrigin?) -> Bool {
        guard let layers = slot.entry.stack?.list else { return false }
        return layers.contains { $0.isConfirmed || $0.patch.mutation == origin?.novelty.mutation }
    }

    private func source(
        of key: ItemKey, _ holders: Holders, besides slot: Slot
    ) -> (value: Payload, containment: Containment)? {
        var found: (Payload, Containment)?
        holders.slots.forEach { other in
            guard found == nil, other !== slot, let contents = other.extras?.contents, contents.changes.isEmpty,
                !contents.behind.contains(key), let value = other.entry.confirmedValue
            else { return }
            found = (value, contents.containment)
        }
        return found
    }

    private func hasUnreadHolder(_ holders: Holders) -> Bool {
        var isUnread = false
        holders.slots.forEach { if $0.extras?.contents?.changes.isEmpty == false { isUnread = true } }
        return isUnread
    }

    /// Notes that an entry has taken items, unless there are newer ones by now.
    func caughtUp(_ lag: ItemLag) {
        guard let contents = lag.base.slot.extras?.contents else { return }
        for (key, order, _) in lag.items where items[key]?.order == order { caughtUp(lag.base.slot, contents, key) }
    }

    // MARK: Optimistic changes

    func noteEdited(_ slot: Slot, by mutation: UInt64) { edited[mutation, default: [:]][ObjectIdentifier(slot)] = slot }

    /// Returns and forgets the entries to which a mutation has added changes of items.
    func takeEdited(by mutation: UInt64) -> [Slot] {
        (edited.removeValue(forKey: mutation)?.values.filter { !$0.isRemoved } ?? []).sorted { $0.lastUsed < $1.lastUsed }
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
        contents.repeats = [:]
        for keys in contents.sections.values {
            for key in keys { remove(slot, contents, from: key) }
        }
        contents.sections = [:]
    }

    /// Has all entries read again, because the server has named what had a temporary identifier.
    func readAgain() {
        let slots = items.values.flatMap(\.slots).withoutDuplicates
        for slot in slots {
            guard let contents = slot.extras?.contents else { continue }
            forgetItems(of: slot)
            noteChange(of: slot, contents, from: nil, as: .none)
        }
    }

    // MARK: Look-up

    func contains(_ key: ItemKey, _ slot: Slot) -> Bool {
        items[key]?.slots.contains { $0 === slot } ?? false
    }

    /// The entries that contain an item, least recently used first.
    func slots(containing key: ItemKey) -> [Slot] {
        (items[key]?.slots ?? .none).sorted { $0.lastUsed < $1.lastUsed }
    }

    /// The entries without a value that may get one with items of a type, least recently used first.
    func emptySlots(for type: ObjectIdentifier) -> [Slot] {
        empty.values.filter { $0.extras?.contents?.containment.parts.contains { $0.itemType == type } ?? false }
            .sorted { $0.lastUsed < $1.lastUsed }
    }
}

/// The items in the value of an entry. Guarded by the lock of its client.
final class Contents {
    let containment: Containment
    /// The items of each section that has been read.
    fileprivate(set) var sections: [UInt64: [ItemKey]] = [:]
    /// The changes of the value that are not read yet, oldest first.
    fileprivate(set) var changes: [ItemChange] = []
    /// The numbers of further sections that have an item, for those that several have.
    fileprivate var repeats: [ItemKey: Int] = [:]
    /// The items of which others have newer ones.
    fileprivate(set) var behind: Set<ItemKey> = []
    /// ``Entry/valueVersion`` at the last change.
    fileprivate var valueVersion: UInt64 = 0

    init(_ containment: Containment) {
        self.containment = containment
    }
}
