/// The items that the value of an entry contains, as far as they have been read, for developer tools.
package struct ItemsReport: Sendable {
    /// Differs after each change of the items.
    package let mark: Mark
    private let containment: Containment
    private let sections: [UInt64: [ItemKey]]

    /// Called under the client's lock. Copies no item.
    init(_ contents: Contents) {
        mark = Mark(lastRead: contents.lastRead, behind: contents.behind)
        (containment, sections) = (contents.containment, contents.sections)
    }

    package struct Mark: Sendable, Equatable {
        fileprivate let lastRead: UInt64
        /// The items of which others have newer ones.
        fileprivate let behind: Set<ItemKey>
    }

    /// A type of items.
    package struct Kind: Sendable {
        /// The name of the type, with its module if another type in the value has the same one.
        package let name: String
        package let type: ObjectIdentifier

        /// The item with an identifier, as the text of a component of a key.
        package func item(_ id: String) -> ItemKey { ItemKey(type, id) }
    }

    /// The types of items that the value may contain, in the order in which its definition names them.
    package var kinds: [Kind] {
        var types: Set<ObjectIdentifier> = []
        let parts = containment.parts.filter { types.insert($0.itemType).inserted }
        return parts.map { part in
            let isShared = parts.count { $0.typeName == part.typeName } > 1
            return Kind(name: isShared ? part.fullTypeName : part.typeName, type: part.itemType)
        }
    }

    /// The items of one type.
    package struct Listing: Sendable {
        package let kind: Kind
        package let count: Int
        /// Number of items of which others have newer ones.
        package let behindCount: Int
        /// The first items by their identifiers.
        package let items: [Item]
    }

    package struct Item: Sendable, Equatable {
        /// The identifier, as the text of a component of a key.
        package let id: String
        /// True if others have a newer one, for which the entry waits.
        package let isBehind: Bool
    }

    /// The items of each type. The cost depends on the number of all items.
    ///
    /// - Parameter limit: Maximum number of items to list of each type. All are counted.
    package func listings(limit: Int) -> [Listing] {
        let keys = sections.count > 1 ? Array(Set(sections.values.joined())) : sections.values.first ?? []
        let keysByType = Dictionary(grouping: keys, by: \.type)
        return kinds.map { kind in
            let keys = keysByType[kind.type] ?? []
            let first = keys.lowest(limit) { one, other in isListed(one.id, before: other.id) }
            return Listing(
                kind: kind, count: keys.count,
                behindCount: mark.behind.isEmpty ? 0 : keys.count { mark.behind.contains($0) },
                items: first.map { Item(id: $0.id, isBehind: mark.behind.contains($0)) })
        }
    }
}

/// The entries in memory that contain an item, for developer tools.
package struct ItemPlaces: Sendable, Equatable {
    package struct Place: Sendable, Equatable {
        package let key: QueryKey
        /// True if the entry waits for the newest one.
        package let isBehind: Bool
    }

    /// The entry, and the page, that brought the newest item.
    package struct Origin: Sendable, Equatable {
        /// The entry may be gone by now.
        package let key: QueryKey
        /// The number of the page, from 1. `nil` if the value is no list of pages, or was edited.
        package let page: Int?
    }

    /// The first of these entries by their keys.
    package fileprivate(set) var places: [Place] = []
    /// Number of all these entries.
    package fileprivate(set) var count = 0
    /// `nil` if no entry contains the item.
    package fileprivate(set) var origin: Origin?
}

extension QueryClient {
    /// The entries in memory that contain an item, as far as their values have been read.
    ///
    /// - Parameters:
    ///   - item: The item, as ``ItemsReport/Kind/item(_:)`` identifies it.
    ///   - limit: Maximum number of entries to list. All are counted.
    package func places(of item: ItemKey, limit: Int) -> ItemPlaces {
        var found = ItemPlaces()
        guard let (holders, origin) = state.withLock({ $0.items?.places(of: item) }) else { return found }
        let first = holders.lowest(limit) { one, other in one.slot.key.queryKeyValue < other.slot.key.queryKeyValue }
        found.places = first.map { ItemPlaces.Place(key: $0.slot.key, isBehind: $0.isBehind) }
        found.count = holders.count
        found.origin = origin.map { ItemPlaces.Origin(key: $0.key, page: $0.page.map { $0 + 1 }) }
        return found
    }

    /// Edits the value at a key as a newer item does, which another entry has: the value stays as old, as fresh and as right
    /// as it was. For replays of recordings, which do not say what values contain.
    ///
    /// - Returns: False if there is no value of the type.
    package func takeNewerItem<Value: Sendable>(
        at key: QueryKey, as type: Value.Type, _ cause: Cause, _ edit: (inout Value) -> Void
    ) -> Bool {
        guard let slot = state.withLock({ $0.entries[key] }) else { return false }
        let taken = commit(
            to: slot, as: .addition(), base: { Self.edited($0, by: edit) }, unless: { _ in slot.isRemoved }
        ) { candidate in
            .takeItems(candidate, isArrival: true, isOwn: false, persists: true, cause)
        }
        return taken != nil
    }
}

extension Sequence {
    /// The first elements of an order, without sorting the others.
    fileprivate func lowest(_ limit: Int, by isBefore: (Element, Element) -> Bool) -> [Element] {
        var found: [Element] = []
        for element in self {
            if found.count == limit, let last = found.last, !isBefore(element, last) { continue }
            var (low, high) = (0, found.count)
            while low < high {
                let middle = (low + high) / 2
                if isBefore(element, found[middle]) { high = middle } else { low = middle + 1 }
            }
            found.insert(element, at: low)
            if found.count > limit { found.removeLast() }
        }
        return found
    }
}

/// The order of identifiers: numbers by their value, and then all others.
private func isListed(_ one: String, before other: String) -> Bool {
    switch (Int64(one), Int64(other)) {
    case (let number?, let otherNumber?) where number != otherNumber: number < otherNumber
    case (_?, nil): true
    case (nil, _?): false
    default: one < other
    }
}
