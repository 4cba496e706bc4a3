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
            // A value that has no such item is not copied.
            guard var value = (payload as? PayloadOf<Value>)?.value, Self.has(matches, in: value, read) else {
                return nil
            }
            edit(&value, all ? { _ in true } : matches, change)
            return PayloadOf(value)
        }
        remove = { payload, matches in
            guard let list, var value = (payload as? PayloadOf<Value>)?.value, Self.has(matches, in: value, read) else {
                return nil
            }
            list.remove(&value, matches)
            return PayloadOf(value)
        }
        insert = { payload, item, position in
            guard let insert = list?.insert, var value = (payload as? PayloadOf<Value>)?.value else { return nil }
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
        list.indices.filter { has(matches, in: list[$0], read) }
    }

    private static func has<Value>(_ matches: (Item) -> Bool, in value: Value, _ read: @escaping Read<Value>) -> Bool {
        var isThere = false
        read(value) { if !isThere, matches($0) { isThere = true } }
        return isThere
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

extension Pages {
    /// Which load of each page it is.
    fileprivate var marks: [PageMark] {
        indices.map { position in
            let page = loaded(at: position)
            return PageMark(stamp: page.stamp, order: page.order)
        }
    }
}
