/// Which items of a changed value are news, and since when.
struct ItemNovelty {
    enum Extent {
        /// No item: the value has only received what others have.
        case none
        /// All items that came with the value. Of a list of pages, those of the pages that came.
        case all
        /// The items that differ from those of the value before.
        case changes
    }

    let extent: Extent
    /// The place of the request or write. `nil` for an edit that the answer to an earlier request may replace.
    var order: ItemOrder?
    /// True if all pages of a list are as new as the order, or as their own requests.
    var isWhole = false
    /// True if the program wrote the value.
    var isOwn = false
    /// The value that a source of truth had before it was to save newer items. What it says of these may be from before.
    var before: Payload?
    /// The mutation that wrote it. `nil` if none did.
    var mutation: UInt64?
    /// The item that was edited, in all entries that contain it, if one was.
    var item: EditedItem?

    static let none = ItemNovelty(extent: .none)

    /// The novelty if the entry did not take the value: only changes that its layers confirm are new.
    var ofUntaken: ItemNovelty {
        extent == .all ? ItemNovelty(extent: .changes) : self
    }

    /// True if the items may have the changes of running mutations, because they came from outside.
    var isArrival: Bool { extent == .all || !isOwn }
}

/// An item that is edited in several entries at once.
struct EditedItem {
    let key: ItemKey
    /// Number of these entries.
    let count: Int
}

/// Where an item came from.
final class ItemOrigin: Sendable {
    let key: QueryKey
    /// The position of the page. `nil` for a value that is read as a whole.
    let page: Int?
    /// The mutation that wrote it. `nil` if none did.
    let mutation: UInt64?
    /// True if it may have the changes of running mutations.
    let isArrival: Bool
    /// True if the program wrote it.
    let isOwn: Bool

    init(key: QueryKey, page: Int?, novelty: ItemNovelty) {
        (self.key, self.page, mutation) = (key, page, novelty.mutation)
        (isArrival, isOwn) = (novelty.isArrival, novelty.isOwn)
    }

    var cause: Cause { .newerItem(in: key, page: page.map { $0 + 1 }) }
}

/// A change of the value of an entry.
struct ItemChange {
    let number: UInt64
    /// The server's value before, and now.
    let old: Payload?
    let known: Payload?
    /// The value with optimistic changes, if it differs.
    let shown: Payload?
    let novelty: ItemNovelty
    /// True if sections that have been read are read again.
    let readsAll: Bool
}

/// A change that is still to be read.
struct UnreadItems {
    let slot: Slot
    let containment: Containment
    let change: ItemChange
    /// The stamps of the sections that have been read.
    let known: Set<UInt64>

    /// The sections of a value that has no pages, and of what is shown instead of it.
    static let whole: (known: UInt64, shown: UInt64) = (0, 1)

    /// Calls code of the program, so it must not be called under a lock.
    func read() -> ReadItems {
        var read = ReadItems(slot: slot, containment: containment, change: change)
        // A value that contains one kind of item has the same ones after it has received newer ones.
        if change.novelty.extent == .none, containment.isPlain, known.contains(Self.whole.known),
            change.shown == nil, containment.stamps(of: change.known ?? .nothing).isEmpty
        {
            read.kept = [Self.whole.known]
            return read
        }
        if let value = change.known {
            read.sections = containment.sections(of: value, besides: known, whole: Self.whole.known)
            read.kept = containment.stamps(of: value)
            read.news = news(of: value, read.sections, &read.changes)
        }
        if let value = change.shown {
            read.optimistic = containment.stamps(of: value).subtracting(read.kept).union([Self.whole.shown])
            let known = known.union(read.sections.lazy.map(\.stamp))
            read.sections += containment.sections(of: value, besides: known, whole: Self.whole.shown)
            read.kept.formUnion(containment.stamps(of: value))
        }
        return read
    }

    private func news(of value: Payload, _ sections: [ItemSection], _ changes: inout ItemsByType) -> [ReadItems.News] {
        switch change.novelty.extent {
        case .none: return []
        case .all:
            // A page without an order is one that the program has changed.
            let came = change.novelty.isWhole ? sections : sections.filter { $0.position == nil || $0.order != nil }
            return came.map { section in
                ReadItems.News(
                    keys: section.keys, page: section.position, order: section.order ?? change.novelty.order)
            }
        case .changes:
            guard change.old !== value else { return [] }
            // Others may have changed nothing in items that cannot be compared.
            changes = containment.changes(from: change.old, to: value, ifUnknown: change.novelty.isOwn)
            let keys = changes.keys
            guard !keys.isEmpty else { return [] }
            var old = ItemsByType()
            if let before = change.novelty.before { containment.collect(keys, from: before, into: &old) }
            let echoed = changes.keys(equalIn: old)
            let repeated = sections.reduce(into: Set()) { $0.formUnion($1.repeated) }
            return [
                ReadItems.News(keys: keys.subtracting(echoed), order: change.novelty.order, repeated: repeated),
                ReadItems.News(keys: echoed, order: .unknown, isEcho: true),
            ]
        }
    }
}

/// A change that was read.
struct ReadItems {
    struct News {
        let keys: Set<ItemKey>
        var page: Int?
        /// `nil` for the order of the item before.
        let order: ItemOrder?
        /// The items that the rest of the value may have as they were.
        var repeated: Set<ItemKey> = []
        /// True if a source of truth has not saved what was newer.
        var isEcho = false
    }

    let slot: Slot
    let containment: Containment
    let change: ItemChange
    var sections: [ItemSection] = []
    /// The stamps of sections that stay as they are.
    var kept: Set<UInt64> = []
    /// The stamps of sections that only optimistic changes show.
    var optimistic: Set<UInt64> = []
    var news: [News] = []
    /// The items that an edit changed.
    var changes = ItemsByType()

    /// True if the value had an item before, in a section that it still has.
    func keeps(_ key: ItemKey, of count: Int) -> Bool {
        count > sections.lazy.filter { $0.keys.contains(key) }.count
    }
}

/// An entry that is behind the newest items, as it is when it receives them.
struct ItemLag {
    enum Source {
        /// Items that a change brought, and its number.
        case items(ItemsByType, change: UInt64)
        case value(Payload, Containment)
        /// No entry has the newest item now.
        case none
    }

    let base: EntryBase
    let value: Payload
    let containment: Containment
    private(set) var items: [(key: ItemKey, order: ItemOrder, source: Source)] = []
    /// Where the newest of the items came from.
    private(set) var cause = Cause.written
    /// The items that are not the newest in the sources. They may be parts of what comes from there.
    var older: Set<ItemKey> = []
    /// True if one of the items came from outside.
    private(set) var isArrival = false
    /// True if the program wrote one of the items.
    private(set) var isOwn = false
    private var newest = ItemOrder.unknown

    init(base: EntryBase, value: Payload, containment: Containment) {
        (self.base, self.value, self.containment) = (base, value, containment)
    }

    mutating func add(_ key: ItemKey, _ order: ItemOrder, _ source: Source, from origin: ItemOrigin?) {
        items.append((key, order, source))
        guard let origin else { return }
        if order >= newest { (newest, cause) = (order, origin.cause) }
        if origin.isArrival { isArrival = true }
        if origin.isOwn { isOwn = true }
    }

    /// The server's value with the newest items. `nil` if it has them. Calls code of the program, so it must not be called
    /// under a lock.
    func caughtUp() -> Payload? {
        var newest = ItemsByType()
        var changes: [UInt64: (items: ItemsByType, keys: [ItemKey])] = [:]
        var values: [ObjectIdentifier: (value: Payload, containment: Containment, keys: Set<ItemKey>)] = [:]
        for (key, _, source) in items {
            switch source {
            case .items(let known, let number): changes[number, default: (known, [])].keys.append(key)
            case .value(let value, let containment):
                values[ObjectIdentifier(value), default: (value, containment, [])].keys.insert(key)
            case .none: break
            }
        }
        for (items, keys) in changes.values { newest.add(keys, of: items) }
        for (value, containment, keys) in values.values { containment.collect(keys, from: value, into: &newest) }
        guard let taken = containment.replacing(newest, in: value) else { return nil }
        let parts = containment.parts(older, of: newest.keys)
        guard !parts.isEmpty else { return taken }
        // The entry's own parts are the newest, unless it takes newer ones now.
        var right = ItemsByType()
        right.add(Array(parts.intersection(newest.keys)), of: newest)
        containment.collect(parts, from: value, into: &right)
        return containment.replacing(right, in: taken) ?? taken
    }
}
