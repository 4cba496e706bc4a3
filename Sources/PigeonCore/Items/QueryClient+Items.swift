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
    public func update<Item: Identifiable>(
        _ type: Item.Type, _ id: Item.ID, during policy: WritePolicy = .keep, _ edit: (inout Item) -> Void
    ) -> Int where Item.ID: QueryKeyComponent {
        update(ItemKey(type, id), during: policy, cause: .written, of: nil, edit)
    }

    @discardableResult
    func update<Item>(
        _ key: ItemKey, during policy: WritePolicy, cause: Cause, of mutation: UInt64?, _ edit: (inout Item) -> Void
    ) -> Int {
        let holders = slots(containing: key)
        if policy == .keep { followFirstLoads(of: key.type, cause, mutation) }
        let containments = state.withLock { _ in
            let known = holders.compactMap { slot in
                slot.extras?.contents.map { (ObjectIdentifier(slot), $0.containment) }
            }
            return Dictionary(uniqueKeysWithValues: known)
        }
        return commitEdits(of: holders, during: policy, cause, of: mutation) { slot, base in
            base.flatMap { containments[ObjectIdentifier(slot)]?.edited($0, key, by: edit) }
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
        self.init(type: ObjectIdentifier(type), id: id.queryKeyComponent)
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
    /// The cost depends on the number of these entries, and on what has changed since an item was asked for.
    public static func containing<Item: Identifiable>(_ type: Item.Type, _ id: Item.ID) -> KeyFilter
    where Item.ID: QueryKeyComponent {
        KeyFilter(scope: .all, conditions: [.containing(type, id)])
    }
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
    public func update<Item: Identifiable>(_ type: Item.Type, _ id: Item.ID, _ edit: (inout Item) -> Void)
    where Item.ID: QueryKeyComponent {
        client.update(ItemKey(type, id), during: .keep, cause: cause, of: mutation, edit)
    }
}
