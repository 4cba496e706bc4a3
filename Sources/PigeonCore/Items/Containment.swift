/// The items that the values of a definition contain. Other values may contain them too.
///
/// An item is told apart by its type and its identifier. It has no place of its own: it lives in the values that contain
/// it, which stay what the server sent.
///
/// All functions call code of the program.
package final class Containment: Sendable {
    let parts: [any ContainedPart]

    init(_ parts: [any ContainedPart]) {
        self.parts = parts
    }

    func contains<Item: Sendable>(_ type: Item.Type) -> Bool { parts.contains { $0 is ItemsOf<Item> } }

    /// True if a value contains the same items after one of them has changed.
    var isPlain: Bool { parts.count == 1 && parts[0].path != nil }

    /// Those of some items that may be parts of others, because the definition names them after these.
    func parts(_ keys: Set<ItemKey>, of others: Set<ItemKey>) -> Set<ItemKey> {
        guard parts.count > 1, !keys.isEmpty else { return [] }
        let types = Set(others.map(\.type))
        guard let first = parts.firstIndex(where: { types.contains($0.itemType) }) else { return [] }
        let inner = Set(parts[(first + 1)...].map(\.itemType))
        return keys.filter { inner.contains($0.type) }
    }

    /// True if values have lists of such items.
    func lists<Item: Sendable>(_ type: Item.Type) -> Bool { parts.contains { $0 is ItemsOf<Item> && $0.isList } }

    /// True if values may be without such items.
    func canRemove<Item: Sendable>(_ type: Item.Type) -> Bool {
        parts.contains { $0 is ItemsOf<Item> && $0.isRemovable }
    }

    /// The items in a value, in each of its sections that is not known yet, oldest first.
    func sections(of value: Payload, besides known: Set<UInt64>, whole: UInt64) -> [ItemSection] {
        var found: [UInt64: ItemSection] = [:]
        for part in parts {
            guard let pages = part.pages(of: value) else {
                part.forEachID(in: value, page: nil) { id in
                    found[whole, default: ItemSection(stamp: whole)].add(ItemKey(part.itemType, id))
                }
                continue
            }
            for (position, page) in pages.enumerated() where !known.contains(page.stamp) {
                var section = found[page.stamp] ?? ItemSection(stamp: page.stamp, position: position, order: page.order)
                part.forEachID(in: value, page: position) { section.add(ItemKey(part.itemType, $0)) }
                found[page.stamp] = section
            }
        }
        return found.values.sorted {
            ($0.order ?? .unknown, $0.position ?? 0) < ($1.order ?? .unknown, $1.position ?? 0)
        }
    }

    /// The elements of the lists in a page, in order.
    func listed(in value: Payload, page: Int) -> [ItemKey] {
        var keys: [ItemKey] = []
        for part in parts where part.isList && part.pages(of: value) != nil {
            part.forEachID(in: value, page: page) { keys.append(ItemKey(part.itemType, $0)) }
        }
        return keys
    }

    /// The stamps of the pages of a value. Empty for a value that is read as a whole.
    func stamps(of value: Payload) -> Set<UInt64> {
        Set(parts.lazy.compactMap { $0.pages(of: value) }.first?.map(\.stamp) ?? [])
    }

    /// Adds items of a value to others, for the identifiers that are wanted. An item that is there already stays.
    ///
    /// - Parameter page: The position of the page to read. `nil` for all.
    func collect(_ keys: Set<ItemKey>, from value: Payload, page: Int? = nil, into items: inout ItemsByType) {
        guard !keys.isEmpty else { return }
        for part in parts where page == nil || part.pages(of: value) != nil {
            part.collect(keys, from: value, page: page, into: &items)
        }
    }

    /// The items that differ from those of an older value, in the sections that are not part of it.
    ///
    /// - Parameter ifUnknown: True to return an item of a type that cannot be compared.
    func changes(from old: Payload?, to new: Payload, ifUnknown: Bool) -> ItemsByType {
        var changes = ItemsByType()
        for part in parts { part.collectChanges(from: old, to: new, ifUnknown: ifUnknown, into: &changes) }
        return changes
    }

    /// A value with other items in place of those with the same identifiers. `nil` if it has none of them, or equal ones.
    func replacing(_ items: ItemsByType, in value: Payload) -> Payload? {
        var replaced: Payload?
        // An item that is replaced may have others as parts, which are then replaced as well.
        for _ in parts {
            var isChanged = false
            for part in parts {
                guard let new = part.replacing(items, in: replaced ?? value) else { continue }
                (replaced, isChanged) = (new, true)
            }
            if !isChanged { break }
        }
        return replaced
    }

    /// The value without an item, in each of its lists that has it. `nil` if none has. An item that is not part of a list
    /// stays, unless the value may be without it.
    func removing<Item: Sendable>(_ key: ItemKey, _ type: Item.Type, from value: Payload) -> Payload? {
        changing(type, in: value) { part, value in part.removing(value, where: { $0 == key.id }) }
    }

    /// The value with an item added to its lists. A list that has an item with the same identifier has this one in its place.
    /// `nil` if the value has no list of such items.
    func inserting<Item: Sendable>(_ item: Item, at position: ItemPosition, in value: Payload) -> Payload? {
        changing(Item.self, in: value) { part, value in part.inserting(item, at: position, in: value) }
    }

    /// The value with an item edited, wherever it stands in it. `nil` if the value does not contain it.
    func edited<Item: Sendable>(_ value: Payload, _ key: ItemKey, by edit: (inout Item) -> Void) -> Payload? {
        changing(Item.self, in: value) { part, value in part.edited(value, where: { $0 == key.id }, by: edit) }
    }

    /// The value with a change of each part that has items of a type. `nil` if no part changes.
    @inline(__always)  // a call would look up the type once more
    private func changing<Item: Sendable>(
        _ type: Item.Type, in value: Payload, _ change: (ItemsOf<Item>, Payload) -> Payload?
    ) -> Payload? {
        var changed: Payload?
        for part in parts {
            guard let part = part as? ItemsOf<Item>, let new = change(part, changed ?? value) else { continue }
            changed = new
        }
        return changed
    }
}

/// A part of a value that changes as a whole: a page of a list, or the value.
struct ItemSection {
    let stamp: UInt64
    /// The position of the page. `nil` for a value that is read as a whole.
    var position: Int?
    /// The order of the request that brought the page. `nil` if it is unknown, and for a value that is read as a whole.
    var order: ItemOrder?
    private(set) var keys: Set<ItemKey> = []
    /// The items that stand in several places.
    private(set) var repeated: Set<ItemKey> = []

    init(stamp: UInt64, position: Int? = nil, order: ItemOrder? = nil) {
        (self.stamp, self.position, self.order) = (stamp, position, order)
    }

    mutating func add(_ key: ItemKey) {
        if !keys.insert(key).inserted { repeated.insert(key) }
    }
}

/// One kind of item in the values of a definition. All functions call code of the program.
protocol ContainedPart: Sendable {
    var itemType: ObjectIdentifier { get }
    /// The name of the items' type.
    var typeName: String { get }
    /// The name with the module, and with the types in which it stands.
    var fullTypeName: String { get }
    /// Tells a part that is said twice. `nil` for one that a function visits.
    var path: AnyKeyPath? { get }
    /// True if the items are the elements of a list.
    var isList: Bool { get }
    /// True if a value may be without an item.
    var isRemovable: Bool { get }
    /// The pages of a value. `nil` if the part reads it as a whole.
    func pages(of value: Payload) -> [PageMark]?
    func forEachID(in value: Payload, page: Int?, _ body: (String) -> Void)
    func collect(_ keys: Set<ItemKey>, from value: Payload, page: Int?, into items: inout ItemsByType)
    func collectChanges(from old: Payload?, to new: Payload, ifUnknown: Bool, into items: inout ItemsByType)
    func replacing(_ items: ItemsByType, in value: Payload) -> Payload?
}

/// Which load of a page it is, and the order of its request.
struct PageMark {
    let stamp: UInt64
    let order: ItemOrder?
}

/// Identifies an item: by its type, and the text of its identifier as a component of a key. So no code of the program is
/// called to compare or to hash it under a lock.
package struct ItemKey: Hashable, Sendable {
    let type: ObjectIdentifier
    let id: String

    init(_ type: ObjectIdentifier, _ id: String) {
        (self.type, self.id) = (type, id)
    }

    /// False if the identifier has no ``TemporaryID`` that waits for the server's.
    var mayBeTemporary: Bool { id.utf8.contains(UInt8(ascii: "~")) }
}

/// The place of a request or a write among all of a client, in nanoseconds of its clock: an item that was asked for later is
/// newer.
package struct ItemOrder: Comparable, Sendable {
    let nanoseconds: Int64

    /// Of a value about which nothing is known: all others are newer.
    static let unknown = ItemOrder(nanoseconds: .min)

    func lowered(by age: Int64) -> ItemOrder {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(age)
        return overflow ? .unknown : ItemOrder(nanoseconds: difference)
    }

    package static func < (one: ItemOrder, other: ItemOrder) -> Bool { one.nanoseconds < other.nanoseconds }
}
