/// The slots of a client, and the keys that objects of the program hold.
///
/// A slot is in the dictionary, and in the index under its path and its tags, from ``makeSlot(key:_:_:)`` to
/// ``remove(_:)``.
struct EntryTable {
    private(set) var slots: [QueryKey: Slot] = [:]
    /// The slots of keys with temporary identifiers.
    private(set) var temporary: [Slot] = []
    private var index = KeyIndex()
    private var uses: UInt64 = 0
    private var markCount: UInt64 = 0
    /// Number of objects in the program that hold each key. A key that no object holds has no item.
    private var holds: [QueryKey: Int] = [:]

    var count: Int { slots.count }

    // MARK: Finding slots

    /// The slot of a key. A key with a temporary identifier also stands for that with the server's.
    subscript(key: QueryKey) -> Slot? {
        @inline(__always) get {
            guard let slot = slots[key] else { return key.mayBeTemporary ? assignedSlot(of: key) : nil }
            return slot
        }
    }

    @inline(never)
    private func assignedSlot(of key: QueryKey) -> Slot? {
        guard let key = key.assigned else { return nil }
        return slots[key]
    }

    /// Returns the slots of a scope in an order that is the same in every run. The order of a dictionary depends on
    /// memory addresses.
    func slots(in scope: QueryRecordScope) -> [Slot] {
        switch scope {
        case .key(let key): return self[key].map { [$0] } ?? []
        case .path(let path):
            let path = path.mayBeTemporary ? path.assigned ?? path : path
            let below = index.entries(below: path)
            return slots[path].map { [$0] + below } ?? below
        case .tag(let tag): return index.entries(tagged: tag).sorted { $0.lastUsed < $1.lastUsed }
        case .all: return slots.values.sorted { $0.lastUsed < $1.lastUsed }
        }
    }

    // MARK: Changing slots

    /// Creates the slot of a key that has none.
    mutating func makeSlot(key: QueryKey, _ type: any Sendable.Type, _ options: ResolvedOptions) -> Slot {
        guard key.mayBeTemporary else { return insert(Slot(key: key, type: type, options: options)) }
        let key = key.assigned ?? key
        let slot = insert(Slot(key: key, type: type, options: options, isTemporary: key.isTemporary))
        if slot.isTemporary { temporary.append(slot) }
        return slot
    }

    @inline(__always)
    private mutating func insert(_ slot: Slot) -> Slot {
        slot.lastMark = markCount
        slots[slot.key] = slot
        index.insert(slot)
        return slot
    }

    /// Removes a slot, which must be in the table. The caller empties the slot.
    mutating func remove(_ slot: Slot) {
        slot.isRemoved = true
        slots[slot.key] = nil
        if slot.isTemporary { temporary.removeAll { $0 === slot } }
        index.remove(slot)
    }

    /// Adds tags to a slot, so that filters find it by them.
    mutating func tag(_ slot: Slot, with tags: [String]) {
        guard !tags.isEmpty, tags != slot.tags else { return }
        let new = tags.filter { !slot.tags.contains($0) }
        slot.tags = slot.tags.isEmpty ? tags : slot.tags + new
        index.tag(slot, with: new)
    }

    // MARK: Invalidations of several keys

    /// Marks a scope as invalidated.
    ///
    /// - Returns: The slots that must learn of it at once, least recently used first. The others learn of it when they
    ///   are used next.
    mutating func mark(_ scope: QueryRecordScope, _ cause: Cause) -> [Slot] {
        if case .key(let key) = scope { return self[key].map { [$0] } ?? [] }
        markCount += 1
        var found = index.mark(scope, InvalidationMark(number: markCount, cause: cause))
        for slot in found { slot.lastMark = markCount }
        if case .path(let key) = scope, let slot = slots[key] { found.append(slot) }
        return found.sorted { $0.lastUsed < $1.lastUsed }
    }

    /// True if there may be a mark that a slot does not know of.
    func isBehind(_ slot: Slot) -> Bool { slot.lastMark != markCount }

    /// Returns the newest mark that a slot does not know of, if there is one. From then on, the slot knows of it.
    mutating func takeMark(of slot: Slot) -> InvalidationMark? {
        defer { slot.lastMark = markCount }
        return index.newestMark(of: slot).flatMap { $0.number > slot.lastMark ? $0 : nil }
    }

    /// Called after every change of a slot.
    mutating func noteChange(of slot: Slot) {
        if slot.isEngaged != slot.mustKnowAtOnce { index.setEngaged(slot, !slot.isEngaged) }
    }

    // MARK: Use

    /// Makes a slot the most recently used one.
    mutating func use(_ slot: Slot) {
        uses += 1
        slot.lastUsed = uses
    }

    /// Adds a hold to a key, which need not have a slot. The entry of a held key is not evicted.
    mutating func hold(_ key: QueryKey) {
        holds[key, default: 0] += 1
    }

    /// Ends one hold of a key.
    ///
    /// - Returns: The key's slot. `nil` if another hold is left, or if the key has no slot.
    mutating func release(_ key: QueryKey) -> Slot? {
        let count = holds[key, default: 0] - 1
        holds[key] = count > 0 ? count : nil
        return count > 0 ? nil : slots[key]
    }

    func isHeld(_ key: QueryKey) -> Bool { holds[key] != nil }

    /// True if the entry is idle and no object of the program holds its key.
    func isUnused(_ slot: Slot) -> Bool { slot.isIdle && !isHeld(slot.key) }

    /// Returns the unused slots among some, least recently used first.
    func unused(among slots: some Sequence<Slot>) -> [Slot] {
        slots.filter { isUnused($0) }.sorted { $0.lastUsed < $1.lastUsed }
    }
}
