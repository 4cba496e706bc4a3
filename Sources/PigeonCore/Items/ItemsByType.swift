/// Items of several types, by their identifiers.
struct ItemsByType: Sendable {
    private var tables: [ObjectIdentifier: any ItemTable] = [:]

    var keys: Set<ItemKey> {
        tables.reduce(into: []) { keys, table in
            for id in table.value.ids { keys.insert(ItemKey(table.key, id)) }
        }
    }

    subscript<Item: Sendable>(type: Item.Type) -> [String: Item] {
        (tables[ObjectIdentifier(type)] as? ItemsOfType<Item>)?.items ?? [:]
    }

    /// Adds items. One that is there already stays.
    mutating func add<Item: Sendable>(_ items: [String: Item]) {
        guard !items.isEmpty else { return }
        let known = self[Item.self]
        tables[ObjectIdentifier(Item.self)] = ItemsOfType(
            items: known.isEmpty ? items : known.merging(items) { old, _ in old })
    }

    /// The items that are equal to those of others.
    func keys(equalIn others: ItemsByType) -> Set<ItemKey> {
        tables.reduce(into: []) { keys, table in
            guard let other = others.tables[table.key] else { return }
            for id in table.value.ids(equalIn: other) { keys.insert(ItemKey(table.key, id)) }
        }
    }

    /// Adds those of other items that are wanted.
    mutating func add(_ keys: [ItemKey], of other: ItemsByType) {
        for (type, keys) in Dictionary(grouping: keys, by: \.type) {
            other.tables[type]?.add(keys.map(\.id), to: &self)
        }
    }
}

private protocol ItemTable: Sendable {
    var ids: [String] { get }
    func ids(equalIn other: any ItemTable) -> [String]
    func add(_ ids: [String], to items: inout ItemsByType)
}

private struct ItemsOfType<Item: Sendable>: ItemTable {
    let items: [String: Item]

    var ids: [String] { Array(items.keys) }

    func ids(equalIn other: any ItemTable) -> [String] {
        guard let other = other as? ItemsOfType, let areEqual = equality(of: Item.self) else { return [] }
        return items.compactMap { id, item in
            other.items[id].map { areEqual(item, $0) } == true ? id : nil
        }
    }

    func add(_ ids: [String], to others: inout ItemsByType) {
        var wanted: [String: Item] = [:]
        for id in ids { wanted[id] = items[id] }
        others.add(wanted)
    }
}

/// How two items are compared. `nil` if they cannot be.
func equality<Item: Sendable>(of type: Item.Type) -> (@Sendable (Item, Item) -> Bool)? {
    func equality<Other: Equatable & SendableMetatype>(_ type: Other.Type) -> @Sendable (Item, Item) -> Bool {
        { one, other in
            guard let one = one as? Other, let other = other as? Other else { return false }
            return one == other
        }
    }
    return (type as? any (Equatable & SendableMetatype).Type).map { equality($0) }
}
