/// Finds the entries that contain an item.
///
/// Only code of the program can say what a value contains, and it is never called under the lock. So the entries whose
/// values have changed are noted, and read when somebody asks for an item: see ``QueryClient/slots(containing:)``. A
/// client whose definitions contain nothing has no index.
final class ItemIndex {
    private var holders: [ItemKey: SmallArray<Slot>] = [:]
    /// The entries whose values have changed since they were read.
    private var outdated: [ObjectIdentifier: Slot] = [:]
    /// The entries without a value, which a fetch may bring.
    private var empty: [ObjectIdentifier: Slot] = [:]
    /// Increases when identifiers have new texts, so that what was read before does not count.
    private var readings = 0

    /// Called after each change of an entry that may contain items.
    func note(_ slot: Slot) {
        guard let contents = slot.extras?.contents, contents.revision != slot.entry.revision else { return }
        let isEmpty = slot.entry.base == nil && slot.entry.shown == nil
        empty[ObjectIdentifier(slot)] = isEmpty ? slot : nil
        if isEmpty {
            set([], of: slot, at: slot.entry.revision)
        } else {
            outdated[ObjectIdentifier(slot)] = slot
        }
    }

    struct Unread {
        let slot: Slot
        let containment: Containment
        /// The server's value, and the one with optimistic changes.
        let values: [Payload]
        let revision: UInt64
        fileprivate let reading: Int

        var keys: Set<ItemKey> { values.reduce(into: []) { $0.formUnion(containment.keys(in: $1)) } }
    }

    /// The entries that must be read, with their values. They stay outdated until ``set(_:of:)``, so that threads that ask
    /// at the same time all read them, and none of them looks up an index without them.
    var unread: [Unread] {
        outdated.values.compactMap { slot in
            guard let contents = slot.extras?.contents else { return nil }
            let (base, shown) = (slot.entry.base, slot.entry.shown)
            let values = [base, shown === base ? nil : shown].compactMap { $0 }
            return Unread(
                slot: slot, containment: contents.containment, values: values, revision: slot.entry.revision,
                reading: readings)
        }
    }

    /// Notes what an entry contained when it was read, unless another thread has noted something newer.
    func set(_ keys: Set<ItemKey>, of read: Unread) {
        guard read.reading == readings, read.slot.extras?.contents?.containment === read.containment else { return }
        set(keys, of: read.slot, at: read.revision)
    }

    private func set(_ keys: Set<ItemKey>, of slot: Slot, at revision: UInt64) {
        guard !slot.isRemoved, let contents = slot.extras?.contents, revision >= contents.revision ?? 0 else { return }
        let old = Set(contents.keys)
        for key in old where !keys.contains(key) { removeHolder(slot, of: key) }
        for key in keys where !old.contains(key) { holders[key, default: .none].append(slot) }
        (contents.keys, contents.revision) = (Array(keys), revision)
        if revision == slot.entry.revision { outdated[ObjectIdentifier(slot)] = nil }
    }

    func remove(_ slot: Slot) {
        outdated[ObjectIdentifier(slot)] = nil
        empty[ObjectIdentifier(slot)] = nil
        guard let contents = slot.extras?.contents else { return }
        for key in contents.keys { removeHolder(slot, of: key) }
        contents.keys = []
    }

    private func removeHolder(_ slot: Slot, of key: ItemKey) {
        holders[key]?.removeFirst { $0 === slot }
        if holders[key]?.isEmpty == true { holders[key] = nil }
    }

    /// Has all entries read again, because the server has named what had a temporary identifier.
    func readAgain() {
        readings += 1
        for slot in holders.values.joined() {
            slot.extras?.contents?.revision = nil
            outdated[ObjectIdentifier(slot)] = slot
        }
    }

    /// The entries that contain an item, least recently used first.
    func slots(containing key: ItemKey) -> [Slot] { (holders[key] ?? .none).sorted { $0.lastUsed < $1.lastUsed } }

    /// The entries without a value that may get one with items of a type, least recently used first.
    func emptySlots(for type: ObjectIdentifier) -> [Slot] {
        empty.values.filter { $0.extras?.contents?.containment.parts.contains { $0.itemType == type } ?? false }
            .sorted { $0.lastUsed < $1.lastUsed }
    }
}

/// The items in the value of an entry. Guarded by the lock of its client.
final class Contents {
    let containment: Containment
    /// The items in the value of ``revision``.
    fileprivate(set) var keys: [ItemKey] = []
    /// `nil` until the value was read.
    fileprivate(set) var revision: UInt64?

    init(_ containment: Containment) {
        self.containment = containment
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
        items.note(slot)
    }

    /// Takes an entry out of the index, until a definition says again what its values contain.
    mutating func forgetContents(of slot: Slot) {
        items?.remove(slot)
        discard(slot.extras?.contents)
        slot.extras?.contents = nil
    }
}

extension QueryClient {
    /// The entries in memory that contain an item, least recently used first. Reads the values that have changed, which
    /// calls code of the program, so it must not be called under a lock.
    func slots(containing key: ItemKey) -> [Slot] {
        // Code that reads items, and asks for one, finds what was read before.
        let unread = ItemIndex.isReading ? [] : state.withLock { $0.items?.unread ?? [] }
        let read = unread.isEmpty ? [] : ItemIndex.$isReading.withValue(true) { unread.map { ($0, $0.keys) } }
        return state.withLock { state in
            guard let items = state.items else { return [] }
            for (entry, keys) in read { items.set(keys, of: entry) }
            return items.slots(containing: key)
        }
    }
}

extension ItemIndex {
    /// True in code of the program that is called to read items.
    @TaskLocal static var isReading = false
}
