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
        var edited: Payload?
        for part in parts {
            guard let part = part as? ItemsOf<Item> else { continue }
            if let new = part.removing(edited ?? value, where: { $0 == key.id }) { edited = new }
        }
        return edited
    }

    /// The value with an item added to its lists. A list that has an item with the same identifier has this one in its place.
    /// `nil` if the value has no list of such items.
    func inserting<Item: Sendable>(_ item: Item, at position: ItemPosition, in value: Payload) -> Payload? {
        var edited: Payload?
        for part in parts {
            guard let part = part as? ItemsOf<Item> else { continue }
            if let new = part.inserting(item, at: position, in: edited ?? value) { edited = new }
        }
        return edited
    }

    /// The value with an item edited, wherever it stands in it. `nil` if the value does not contain it.
    func edited<Item: Sendable>(_ value: Payload, _ key: ItemKey, by edit: (inout Item) -> Void) -> Payload? {
        var edited: Payload?
        for part in parts {
            guard let part = part as? ItemsOf<Item> else { continue }
            if let new = part.edited(edited ?? value, where: { $0 == key.id }, by: edit) { edited = new }
        }
        return edited
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

/// How a list in a value loses and gains items.
struct ItemList<Value, Item>: Sendable {
    let remove: @Sendable (inout Value, _ matches: (Item) -> Bool) -> Void
    /// `nil` for a part that is at most one item.
    var insert: (@Sendable (inout Value, Item, ItemPosition) -> Void)?
}

extension ItemList where Item: Sendable {
    /// A part of a value. A collection whose length is fixed stays as it is.
    static func part<Items: Collection & Sendable>(_ part: any WritableKeyPath<Value, Items> & Sendable) -> ItemList
    where Items.Element == Item {
        ItemList { value, matches in
            guard var list = value[keyPath: part] as? any RangeReplaceableCollection<Item> else { return }
            list.removeAll(where: matches)
            if let items = list as? Items { value[keyPath: part] = items }
        } insert: { value, item, position in
            guard var list = value[keyPath: part] as? any RangeReplaceableCollection<Item> else { return }
            Self.insert(item, at: position, in: &list)
            if let items = list as? Items { value[keyPath: part] = items }
        }
    }

    private static func insert<List: RangeReplaceableCollection<Item>>(
        _ item: Item, at position: ItemPosition, in list: inout List
    ) {
        list.insert(item, at: position == .start ? list.startIndex : list.endIndex)
    }
}

/// The items of a type in the values of a definition.
struct ItemsOf<Item: Sendable>: ContainedPart {
    /// Visits the items of a value.
    typealias Read<Value> = @Sendable (Value, (Item) -> Void) -> Void
    /// Edits the items of a value that match.
    typealias Edit<Value> = @Sendable (inout Value, _ matches: (Item) -> Bool, _ edit: (inout Item) -> Void) -> Void

    let isList: Bool
    let isRemovable: Bool
    private let place: (any AnyKeyPath & Sendable)?
    private let text: @Sendable (Item) -> String
    private let areEqual: (@Sendable (Item, Item) -> Bool)?
    private let marks: @Sendable (Payload) -> [PageMark]?
    private let read: @Sendable (Payload, _ page: Int?, (Item) -> Void) -> Void
    /// Edits the items that match, or, if some do, all items of their value or page.
    private let edit: @Sendable (Payload, _ matches: (Item) -> Bool, _ all: Bool, (inout Item) -> Void) -> Payload?
    private let remove: @Sendable (Payload, _ matches: (Item) -> Bool) -> Payload?
    private let insert: @Sendable (Payload, Item, ItemPosition) -> Payload?

    init<Value: Sendable, ID: QueryKeyComponent>(
        at place: (any AnyKeyPath & Sendable)? = nil, id: @escaping @Sendable (Item) -> ID,
        list: ItemList<Value, Item>? = nil, read: @escaping Read<Value>, edit: @escaping Edit<Value>
    ) {
        self.place = place
        (isList, isRemovable) = (list?.insert != nil, list != nil)
        text = Self.text(id)
        areEqual = equality(of: Item.self)
        marks = { _ in nil }
        self.read = { payload, _, body in
            if let payload = payload as? PayloadOf<Value> { read(payload.value, body) }
        }
        self.edit = { payload, matches, all, change in
            guard let payload = payload as? PayloadOf<Value> else { return nil }
            // A value that has no such item is not copied.
            var isThere = false
            read(payload.value) { if !isThere, matches($0) { isThere = true } }
            guard isThere else { return nil }
            var value = payload.value
            edit(&value, all ? { _ in true } : matches, change)
            return PayloadOf(value)
        }
        remove = { payload, matches in
            guard let payload = payload as? PayloadOf<Value>, let list else { return nil }
            var isThere = false
            read(payload.value) { if !isThere, matches($0) { isThere = true } }
            guard isThere else { return nil }
            var value = payload.value
            list.remove(&value, matches)
            return PayloadOf(value)
        }
        insert = { payload, item, position in
            guard let payload = payload as? PayloadOf<Value>, let insert = list?.insert else { return nil }
            var value = payload.value
            insert(&value, item, position)
            return PayloadOf(value)
        }
    }

    /// Reads and edits each page by itself.
    init<Page: Sendable, PageID: Sendable, ID: QueryKeyComponent>(
        at place: (any AnyKeyPath & Sendable)?, ofEachPageIn type: Pages<Page, PageID>.Type,
        id: @escaping @Sendable (Item) -> ID, list: ItemList<Page, Item>? = nil, read: @escaping Read<Page>,
        edit: @escaping Edit<Page>
    ) {
        self.place = place
        (isList, isRemovable) = (list?.insert != nil, list != nil)
        text = Self.text(id)
        areEqual = equality(of: Item.self)
        marks = { payload in (payload as? PayloadOf<Pages<Page, PageID>>)?.value.marks }
        self.read = { payload, page, body in
            guard let list = (payload as? PayloadOf<Pages<Page, PageID>>)?.value else { return }
            guard let page else { return list.forEach { read($0, body) } }
            if list.indices.contains(page) { read(list[page], body) }
        }
        self.edit = { payload, matches, all, change in
            guard var list = (payload as? PayloadOf<Pages<Page, PageID>>)?.value else { return nil }
            let positions = Self.pages(of: list, with: matches, read)
            for position in positions {
                list.updatePage(at: position) { edit(&$0, all ? { _ in true } : matches, change) }
            }
            return positions.isEmpty ? nil : PayloadOf(list)
        }
        remove = { payload, matches in
            guard let list, var pages = (payload as? PayloadOf<Pages<Page, PageID>>)?.value else { return nil }
            let positions = Self.pages(of: pages, with: matches, read)
            for position in positions { pages.updatePage(at: position) { list.remove(&$0, matches) } }
            return positions.isEmpty ? nil : PayloadOf(pages)
        }
        insert = { payload, item, position in
            guard let insert = list?.insert, var pages = (payload as? PayloadOf<Pages<Page, PageID>>)?.value,
                !pages.isEmpty
            else { return nil }
            pages.updatePage(at: position == .start ? 0 : pages.count - 1) { insert(&$0, item, position) }
            return PayloadOf(pages)
        }
    }

    /// The positions of the pages that have an item. The others keep their storage and their records.
    private static func pages<Page, PageID>(
        of list: Pages<Page, PageID>, with matches: (Item) -> Bool, _ read: @escaping Read<Page>
    ) -> [Int] {
        list.indices.filter { position in
            var isThere = false
            read(list[position]) { if !isThere, matches($0) { isThere = true } }
            return isThere
        }
    }

    private static func text<ID: QueryKeyComponent>(
        _ id: @escaping @Sendable (Item) -> ID
    ) -> @Sendable (Item) -> String {
        // A closure of its own, because a conformance of `ID` may be isolated in theory. That of an item's identifier is not.
        { item in call { id(item).queryKeyComponent } }
    }

    private static func call(_ body: () -> String) -> String { body() }

    var itemType: ObjectIdentifier { ObjectIdentifier(Item.self) }
    var typeName: String { String(describing: Item.self) }
    var fullTypeName: String { String(reflecting: Item.self) }
    var path: AnyKeyPath? { place }

    func pages(of value: Payload) -> [PageMark]? { marks(value) }

    func forEachID(in value: Payload, page: Int?, _ body: (String) -> Void) { read(value, page) { body(text($0)) } }

    /// Edits the items whose identifiers match. `nil` if there are none.
    func edited(_ value: Payload, where isMeant: (String) -> Bool, by edit: (inout Item) -> Void) -> Payload? {
        self.edit(value, { isMeant(text($0)) }, false, edit)
    }

    func removing(_ value: Payload, where isMeant: (String) -> Bool) -> Payload? { remove(value) { isMeant(text($0)) } }

    func inserting(_ item: Item, at position: ItemPosition, in value: Payload) -> Payload? {
        let id = text(item)
        return edit(value, { text($0) == id }, false, { $0 = item }) ?? insert(value, item, position)
    }

    func collect(_ keys: Set<ItemKey>, from value: Payload, page: Int?, into items: inout ItemsByType) {
        var found: [String: Item] = [:]
        read(value, page) { item in
            let id = text(item)
            if found[id] == nil, keys.contains(ItemKey(itemType, id)) { found[id] = item }
        }
        items.add(found)
    }

    func collectChanges(from old: Payload?, to new: Payload, ifUnknown: Bool, into items: inout ItemsByType) {
        let oldItems = old.map { self.items(of: $0, besides: pages(of: new)) } ?? []
        var changes: [String: Item] = [:]
        var place = 0
        var byID: [String: Item]?
        for (id, item) in self.items(of: new, besides: old.flatMap { pages(of: $0) }) {
            // Most items stay where they were.
            var before: Item?
            if place < oldItems.count, oldItems[place].id == id {
                before = oldItems[place].item
            } else {
                let known = byID ?? Dictionary(oldItems) { first, _ in first }
                (byID, before) = (known, known[id])
            }
            place += 1
            let isChanged = before.map { before in areEqual.map { !$0(before, item) } ?? ifUnknown } ?? true
            if isChanged, changes[id] == nil { changes[id] = item }
        }
        items.add(changes)
    }

    /// The items of a value, in order, but not those of pages that another value has too.
    private func items(of value: Payload, besides others: [PageMark]?) -> [(id: String, item: Item)] {
        var found: [(id: String, item: Item)] = []
        guard let own = pages(of: value) else {
            read(value, nil) { found.append((text($0), $0)) }
            return found
        }
        let others = Set(others?.map(\.stamp) ?? [])
        for (position, page) in own.enumerated() where !others.contains(page.stamp) {
            read(value, position) { found.append((text($0), $0)) }
        }
        return found
    }

    func replacing(_ items: ItemsByType, in value: Payload) -> Payload? {
        let newest = items[Item.self]
        guard !newest.isEmpty else { return nil }
        func differs(_ item: Item) -> Bool {
            guard let new = newest[text(item)] else { return false }
            return areEqual.map { !$0(item, new) } ?? true
        }
        return edit(value, differs, true) { if let new = newest[text($0)] { $0 = new } }
    }
}

/// How two items are compared. `nil` if they cannot be.
private func equality<Item: Sendable>(of type: Item.Type) -> (@Sendable (Item, Item) -> Bool)? {
    func equality<Other: Equatable & SendableMetatype>(_ type: Other.Type) -> @Sendable (Item, Item) -> Bool {
        { one, other in
            guard let one = one as? Other, let other = other as? Other else { return false }
            return one == other
        }
    }
    return (type as? any (Equatable & SendableMetatype).Type).map { equality($0) }
}

extension Pages {
    /// Which load of each page it is.
    fileprivate var marks: [PageMark] {
        indices.map { position in
            let page = loaded(at: position)
            return PageMark(stamp: page.stamp, order: page.order)
        }
    }
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
