/// Finds the entries that contain an item.
///
/// Only code of the program can say what a value contains, and it is never called under the lock. So the entries whose
/// values have changed are noted, and read when somebody asks for an item: see ``QueryClient/slots(containing:)``. A
/// client whose definitions contain nothing has no index.
final class ItemIndex {
    private var holders: [ItemKey: SmallArray<Slot>] = [:]
    /// The entries whose values have changed since they were read.
    private var outdated: [ObjectIdentifier: Slot] = [:]

    /// Called after each change of an entry that may contain items.
    func note(_ slot: Slot) {
        guard let contents = slot.extras?.contents, contents.revision != slot.entry.revision else { return }
        if slot.entry.base == nil {
            set([], of: slot, at: slot.entry.revision)
        } else {
            outdated[ObjectIdentifier(slot)] = slot
        }
    }

    /// The entries that must be read, with their values. They stay outdated until ``set(_:of:at:)``, so that threads that
    /// ask at the same time all read them, and none of them looks up an index without them.
    var unread: [(slot: Slot, containment: Containment, value: Payload, revision: UInt64)] {
        outdated.values.compactMap { slot in
            guard let contents = slot.extras?.contents, let value = slot.entry.base else { return nil }
            return (slot, contents.containment, value, slot.entry.revision)
        }
    }

    /// Notes what an entry contained at a revision, unless another thread has noted a newer one.
    func set(_ keys: Set<ItemKey>, of slot: Slot, at revision: UInt64) {
        guard !slot.isRemoved, let contents = slot.extras?.contents, revision >= contents.revision ?? 0 else { return }
        let old = Set(contents.keys)
        for key in old where !keys.contains(key) { removeHolder(slot, of: key) }
        for key in keys where !old.contains(key) { holders[key, default: .none].append(slot) }
        (contents.keys, contents.revision) = (Array(keys), revision)
        if revision == slot.entry.revision { outdated[ObjectIdentifier(slot)] = nil }
    }

    func remove(_ slot: Slot) {
        outdated[ObjectIdentifier(slot)] = nil
        guard let contents = slot.extras?.contents else { return }
        for key in contents.keys { removeHolder(slot, of: key) }
        contents.keys = []
    }

    private func removeHolder(_ slot: Slot, of key: ItemKey) {
        let left = (holders[key] ?? .none).filter { $0 !== slot }
        holders[key] = left.isEmpty ? nil : left.count == 1 ? .one(left[0]) : .many(left)
    }

    /// The entries that contain an item, least recently used first.
    func slots(containing key: ItemKey) -> [Slot] { (holders[key] ?? .none).sorted { $0.lastUsed < $1.lastUsed } }
}

/// What an entry contains. Guarded by the lock of its client.
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
    /// Lets an entry be found by what its values contain.
    mutating func adopt(_ containment: Containment, _ slot: Slot) {
        let items = items ?? ItemIndex()
        self.items = items
        slot.makeExtras().contents = Contents(containment)
        slot.containsItems = true
        items.note(slot)
    }
}

extension QueryClient {
    /// The entries in memory that contain an item, least recently used first. Reads the values that have changed, which
    /// calls code of the program, so it must not be called under a lock.
    func slots(containing key: ItemKey) -> [Slot] {
        let unread = state.withLock { $0.items?.unread ?? [] }
        let read = unread.map { ($0.slot, $0.containment.keys(in: $0.value), $0.revision) }
        return state.withLock { state in
            guard let items = state.items else { return [] }
            for (slot, keys, revision) in read { items.set(keys, of: slot, at: revision) }
            return items.slots(containing: key)
        }
    }
}
