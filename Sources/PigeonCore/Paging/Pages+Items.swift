/// Edits of the items of a list, wherever their pages are. Use them in an optimistic edit, or in
/// ``QueryClient/update(_:during:_:)``:
///
/// ```swift
/// client.update(posts) { $0.update(where: { $0.id == id }) { $0.title = title } }
/// ```
///
/// Only the pages that change are copied and written to the cache again. Positions, identifiers, and the next and
/// previous page stay as they are.
extension Pages {
    /// Edits the items that match a condition, on pages that have their items in a property.
    ///
    /// ```swift
    /// pages.update(in: \.posts, where: { $0.id == id }) { $0.title = title }
    /// ```
    ///
    /// - Parameters:
    ///   - items: The property of a page that has its items.
    ///   - isMatch: The condition. Called once for each item of the list, in order.
    ///   - edit: Changes an item.
    /// - Returns: The number of edited items.
    @discardableResult
    public mutating func update<Items: MutableCollection>(
        in items: WritableKeyPath<Page, Items>, where isMatch: (Items.Element) -> Bool,
        _ edit: (inout Items.Element) -> Void
    ) -> Int {
        var count = 0
        for position in indices {
            let old = self[position][keyPath: items]
            let matches = old.indices.filter { isMatch(old[$0]) }
            guard !matches.isEmpty else { continue }
            count += matches.count
            updatePage(at: position) { page in
                for index in matches { edit(&page[keyPath: items][index]) }
            }
        }
        return count
    }

    /// Removes the items that match a condition, on pages that have their items in a property.
    ///
    /// A page without items stays in the list, so that the pages beside it still follow their neighbors.
    ///
    /// - Parameters:
    ///   - items: The property of a page that has its items.
    ///   - isMatch: The condition. May be called more than once for an item.
    /// - Returns: The number of removed items.
    @discardableResult
    public mutating func removeAll<Items: RangeReplaceableCollection>(
        in items: WritableKeyPath<Page, Items>, where isMatch: (Items.Element) -> Bool
    ) -> Int {
        var removed = 0
        for position in indices where self[position][keyPath: items].contains(where: isMatch) {
            updatePage(at: position) { page in
                let count = page[keyPath: items].count
                page[keyPath: items].removeAll(where: isMatch)
                removed += count - page[keyPath: items].count
            }
        }
        return removed
    }

    /// Inserts an item at an offset over all pages, on pages that have their items in a property.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - items: The property of a page that has its items.
    ///   - offset: The number of items before the new one. 0 inserts at the start of the list, and an offset after its
    ///     end appends. The item is added to the page with the item at that offset, or to the last page.
    /// - Returns: False if the list has no pages, in which case nothing changes.
    @discardableResult
    public mutating func insert<Items: RangeReplaceableCollection>(
        _ item: Items.Element, in items: WritableKeyPath<Page, Items>, at offset: Int
    ) -> Bool {
        var (position, rest) = (0, Swift.max(0, offset))
        while position < count - 1, rest >= self[position][keyPath: items].count {
            rest -= self[position][keyPath: items].count
            position += 1
        }
        updatePage(at: position) { page in
            let old = page[keyPath: items]
            let index = old.index(old.startIndex, offsetBy: Swift.min(rest, old.count))
            page[keyPath: items].insert(item, at: index)
        }
        return !isEmpty
    }

    /// An edit by a position.
    @available(*, unavailable, message: "find the items by a condition, as in update(in: \\.issues, where: …) { … }")
    public mutating func update(at position: Int, _ edit: (inout Page) -> Void) {}
}

extension Pages where Page: Sequence {
    /// The items of all pages, first to last. Creating the sequence takes constant time and copies nothing.
    public var items: FlattenSequence<Self> { joined() }
}

extension Pages where Page: MutableCollection {
    /// Edits the items that match a condition.
    ///
    /// - Parameters:
    ///   - isMatch: The condition. Called once for each item of the list, in order.
    ///   - edit: Changes an item.
    /// - Returns: The number of edited items.
    @discardableResult
    public mutating func update(where isMatch: (Page.Element) -> Bool, _ edit: (inout Page.Element) -> Void) -> Int {
        update(in: \.self, where: isMatch, edit)
    }

    /// An edit by a position.
    @available(*, unavailable, message: "find the items by a condition, as in update(where: { $0.id == id }) { … }")
    public mutating func update(at offset: Int, _ edit: (inout Page.Element) -> Void) {}
}

extension Pages where Page: RangeReplaceableCollection {
    /// Removes the items that match a condition. A page without items stays in the list.
    ///
    /// - Parameter isMatch: The condition. May be called more than once for an item.
    /// - Returns: The number of removed items.
    @discardableResult
    public mutating func removeAll(where isMatch: (Page.Element) -> Bool) -> Int {
        removeAll(in: \.self, where: isMatch)
    }

    /// Inserts an item at an offset over all pages. See ``insert(_:in:at:)``.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - offset: The number of items before the new one. 0 inserts at the start of the list, and an offset after its
    ///     end appends.
    /// - Returns: False if the list has no pages, in which case nothing changes.
    @discardableResult
    public mutating func insert(_ item: Page.Element, at offset: Int) -> Bool {
        insert(item, in: \.self, at: offset)
    }
}
