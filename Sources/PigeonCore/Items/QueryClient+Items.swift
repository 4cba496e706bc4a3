/// Where an item is added to a list.
public enum ItemPosition: Sendable, Hashable {
    /// Before all others.
    case start
    /// After all others. Of a list of pages, after the last one that is loaded.
    case end
}

extension QueryClient {
    /// Edits an item in every entry in memory whose definition says that it contains it, as one change: no observer and no
    /// reader sees it edited in one of them and not in another.
    ///
    /// ```swift
    /// client.update(User.self, 42) { $0.name = "Ann" }        // wherever a definition says that it stands
    /// ```
    ///
    /// Each of these entries is edited, and written to its cache, as ``update(_:during:_:)`` does it. Records that have no
    /// entry in memory are not found, because nobody knows what they contain. Nor does anybody know what a first load will
    /// bring: an entry that may receive such items is fetched once more after it, as after an invalidation.
    ///
    /// - Parameters:
    ///   - type: The type of the item.
    ///   - id: Its identifier.
    ///   - policy: The effect of the edit on a fetch in flight.
    ///   - edit: Changes the item. Called outside locks, and called again if a value changes in the meantime.
    /// - Returns: Number of entries that contain the item.
    @discardableResult
    public func update<Item: Identifiable & Sendable>(
        _ type: Item.Type, _ id: Item.ID, during policy: WritePolicy = .keep, _ edit: (inout Item) -> Void
    ) -> Int where Item.ID: QueryKeyComponent {
        update(ItemKey(type, id), during: policy, cause: .written, of: nil, edit)
    }

    /// Removes an item from every list in memory that has it, as one change, and from every value that may be without it.
    ///
    /// ```swift
    /// client.remove(Post.self, 7)                             // deleted elsewhere
    /// ```
    ///
    /// Each of these entries is edited as ``update(_:_:during:_:)-(Item.Type,_,_,_)`` does it. An entry whose value is the item
    /// keeps it: ``remove(_:)-(KeyFilter)`` removes the entry.
    ///
    /// - Returns: Number of entries that lost the item.
    @discardableResult
    public func remove<Item: Identifiable & Sendable>(
        _ type: Item.Type, _ id: Item.ID, during policy: WritePolicy = .keep
    ) -> Int where Item.ID: QueryKeyComponent {
        remove(type, ItemKey(type, id), during: policy, cause: .written, of: nil)
    }

    /// Adds an item to lists in memory, as one change. A list that has an item with the same identifier has the new one in its
    /// place.
    ///
    /// ```swift
    /// client.insert(message, at: .end, into: .path("rooms", 3))
    /// ```
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - position: Where it is added.
    ///   - filter: Selects the lists: the entries whose definitions say that their values have a list of such items.
    ///   - policy: The effect of the edit on a fetch in flight.
    /// - Returns: Number of entries that received the item.
    @discardableResult
    public func insert<Item: Identifiable & Sendable>(
        _ item: Item, at position: ItemPosition = .start, into filter: KeyFilter, during policy: WritePolicy = .keep
    ) -> Int where Item.ID: QueryKeyComponent {
        insert(item, at: position, into: filter, during: policy, cause: .written, of: nil)
    }

    @discardableResult
    func update<Item: Sendable>(
        _ key: ItemKey, during policy: WritePolicy, cause: Cause, of mutation: UInt64?, _ edit: (inout Item) -> Void
    ) -> Int {
        let holders = slots(containing: key)
        if policy == .keep { followFirstLoads(of: key.type, cause, mutation) }
        return editItems(of: holders, during: policy, cause, of: mutation, editing: key) {
            $1.edited($0, key, by: edit)
        }
    }

    @discardableResult
    func remove<Item: Sendable>(
        _ type: Item.Type, _ key: ItemKey, during policy: WritePolicy, cause: Cause, of mutation: UInt64?
    ) -> Int {
        let holders = slots(containing: key)
        if policy == .keep { followFirstLoads(of: key.type, cause, mutation) }
        return editItems(of: holders, during: policy, cause, of: mutation) { $1.removing(key, type, from: $0) }
    }

    @discardableResult
    func insert<Item: Identifiable & Sendable>(
        _ item: Item, at position: ItemPosition, into filter: KeyFilter, during policy: WritePolicy, cause: Cause,
        of mutation: UInt64?
    ) -> Int {
        editItems(of: slots(matching: filter) { $0.lists(Item.self) }, during: policy, cause, of: mutation) {
            $1.inserting(item, at: position, in: $0)
        }
    }

    /// The items that the value at a key contains, as far as they have been read.
    package func items(at key: QueryKey) -> Set<ItemKey> {
        state.withLock { state in
            (state.entries[key]?.extras?.contents?.sections.values).map { Set($0.joined()) } ?? []
        }
    }

    /// The entries that a filter selects, by what their values may contain.
    ///
    /// - Parameter isMeant: Calls no code of the program.
    func slots(matching filter: KeyFilter, where isMeant: (Containment) -> Bool) -> [Slot] {
        var found: [Slot] = []
        withMatches(filter) { _, slots in
            found = slots.filter { slot in slot.extras?.contents.map { isMeant($0.containment) } ?? false }
        }
        return found
    }

    private func editItems(
        of slots: [Slot], during policy: WritePolicy, _ cause: Cause, of mutation: UInt64?,
        editing item: ItemKey? = nil,
        _ edited: (Payload, Containment) -> Payload?
    ) -> Int {
        let (slots, containments) = state.withLock { _ in
            let known = slots.compactMap { slot in
                slot.extras?.contents.map { (ObjectIdentifier(slot), $0.containment) }
            }
            // Those that wait for a newer item come first, so that what is made of it is the newest.
            let waiting = slots.filter { $0.extras?.contents?.behind.isEmpty == false }
            let others = slots.filter { $0.extras?.contents?.behind.isEmpty != false }
            return (waiting + others, Dictionary(uniqueKeysWithValues: known))
        }
        return commitEdits(of: slots, during: policy, cause, of: mutation, editing: item) { slot, base in
            guard let base, let containment = containments[ObjectIdentifier(slot)] else { return nil }
            return edited(base, containment)
        }
    }

    /// Lets another fetch follow the first loads that may bring items of a type as they were before an edit.
    private func followFirstLoads(of type: ObjectIdentifier, _ cause: Cause, _ mutation: UInt64?) {
        transact { state in
            guard !state.isCleared(mutation) else { return }
            for slot in state.items?.emptySlots(for: type) ?? []
            where slot.entry.isBusy || slot.entry.mayHaveUnreadContent {
                state.followFirstLoad(of: slot, cause)
            }
        }
    }
}

extension ItemKey {
    /// Calls code of the program.
    init<Item: Identifiable>(_ type: Item.Type, _ id: Item.ID) where Item.ID: QueryKeyComponent {
        self.init(ObjectIdentifier(type), id.queryKeyComponent)
    }
}

extension KeyFilter {
    /// The entries in memory that contain an item, by what their definitions say with `contains`.
    ///
    /// ```swift
    /// await client.invalidate(.containing(User.self, 42))
    /// let keys = client.entries(matching: .containing(User.self, 42)).map(\.key)
    /// ```
    ///
    /// The cost depends on the number of these entries.
    public static func containing<Item: Identifiable>(_ type: Item.Type, _ id: Item.ID) -> KeyFilter
    where Item.ID: QueryKeyComponent {
        containing(ItemKey(type, id))
    }

    static func containing(_ item: ItemKey) -> KeyFilter { KeyFilter(scope: .all, conditions: [.init(item: item)]) }
}

extension KeyFilter.Condition {
    /// The entry contains an item, by what its definition says.
    ///
    /// ```swift
    /// await client.invalidate(.path("feeds").and(.containing(User.self, 42)))
    /// ```
    public static func containing<Item: Identifiable>(_ type: Item.Type, _ id: Item.ID) -> KeyFilter.Condition
    where Item.ID: QueryKeyComponent {
        KeyFilter.Condition(item: ItemKey(type, id))
    }
}

extension CacheWrites {
    /// Edits an item in every entry that contains it, as ``QueryClient/update(_:_:during:_:)-(Item.Type,_,_,_)`` does.
    public func update<Item: Identifiable & Sendable>(_ type: Item.Type, _ id: Item.ID, _ edit: (inout Item) -> Void)
    where Item.ID: QueryKeyComponent {
        client.update(ItemKey(type, id), during: .keep, cause: cause, of: mutation, edit)
    }

    /// Removes an item from every list that has it, as ``QueryClient/remove(_:_:during:)`` does.
    public func remove<Item: Identifiable & Sendable>(_ type: Item.Type, _ id: Item.ID)
    where Item.ID: QueryKeyComponent {
        client.remove(type, ItemKey(type, id), during: .keep, cause: cause, of: mutation)
    }

    /// Adds an item to lists, as ``QueryClient/insert(_:at:into:during:)`` does.
    public func insert<Item: Identifiable & Sendable>(
        _ item: Item, at position: ItemPosition = .start, into filter: KeyFilter
    ) where Item.ID: QueryKeyComponent {
        client.insert(item, at: position, into: filter, during: .keep, cause: cause, of: mutation)
    }
}

extension OptimisticEdits {
    /// Edits an item in every entry that contains it: those in memory when the mutation starts, and those that come to contain
    /// it while the mutation runs.
    ///
    /// ```swift
    /// func optimistic(_ edits: inout OptimisticEdits) { edits.update(User.self, id) { $0.name = name } }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the item.
    ///   - id: Its identifier.
    ///   - edit: Changes the item. Called outside locks, and again for each new server value.
    public mutating func update<Item: Identifiable & Sendable>(
        _ type: Item.Type, _ id: Item.ID, _ edit: @escaping @Sendable (inout Item) -> Void
    ) where Item.ID: QueryKeyComponent {
        let key = ItemKey(type, id)
        add(key, { $0.contains(Item.self) }, { $1.edited($0, key, by: edit) })
    }

    /// Removes an item from every list that has it, as ``QueryClient/remove(_:_:during:)`` does, while the mutation runs.
    public mutating func remove<Item: Identifiable & Sendable>(_ type: Item.Type, _ id: Item.ID)
    where Item.ID: QueryKeyComponent {
        let key = ItemKey(type, id)
        add(key, { $0.canRemove(Item.self) }, { $1.removing(key, Item.self, from: $0) })
    }

    /// Adds an item to lists, as ``QueryClient/insert(_:at:into:during:)`` does, while the mutation runs.
    ///
    /// ```swift
    /// func optimistic(_ edits: inout OptimisticEdits) { edits.insert(note, into: .path("notes")) }
    /// ```
    ///
    /// - Parameters:
    ///   - item: The item. Its identifier may be a ``TemporaryID``.
    ///   - position: Where it is added.
    ///   - filter: Selects the lists. Its conditions count when the mutation starts.
    public mutating func insert<Item: Identifiable & Sendable>(
        _ item: Item, at position: ItemPosition = .start, into filter: KeyFilter
    ) where Item.ID: QueryKeyComponent {
        edits.append(
            Edit(
                filter: filter, slots: { $0.slots(matching: filter) { $0.lists(Item.self) } },
                work: .items(
                    concerns: { $0.lists(Item.self) }, { $1.inserting(item, at: position, in: $0) })))
    }

    private mutating func add(
        _ key: ItemKey, _ concerns: @escaping @Sendable (Containment) -> Bool,
        _ edit: @escaping @Sendable (Payload, Containment) -> Payload?
    ) {
        let filter = KeyFilter.containing(key)
        edits.append(
            Edit(
                filter: filter, slots: { $0.slots(matching: filter, where: concerns) },
                work: .items(concerns: concerns, edit)))
    }
}
