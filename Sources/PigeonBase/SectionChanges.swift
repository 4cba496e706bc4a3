/// Items under a heading.
///
/// ```swift
/// let sections = [ListSection(header: "Mine", items: mine), ListSection(header: "Starred", items: starred)]
/// ```
public struct ListSection<ID: Hashable & Sendable, Item> {
    /// The identity of the section.
    public var id: ID
    /// Text above the items.
    public var header: String?
    /// The items of the section.
    public var items: [Item]
    /// Text below the items.
    public var footer: String?

    /// Creates a section.
    public init(id: ID, header: String? = nil, items: [Item], footer: String? = nil) {
        self.id = id
        self.header = header
        self.items = items
        self.footer = footer
    }
}

extension ListSection where ID == String {
    /// Creates a section whose header is its identity.
    public init(header: String, items: [Item], footer: String? = nil) {
        self.init(id: header, header: header, items: items, footer: footer)
    }
}

extension ListSection: Sendable where Item: Sendable {}
extension ListSection: Equatable where Item: Equatable {}
extension ListSection: Hashable where Item: Hashable {}

/// The changes that turn one list of sections into another.
///
/// A change in one section does not show the other sections again.
public struct SectionChanges: Hashable, Sendable {
    /// The changes of the items in a section that is neither removed nor inserted.
    public struct Inner: Hashable, Sendable {
        /// Position of the section in the old list.
        public var from: Int
        /// Position of the section in the new list.
        public var to: Int
        /// The changes of the section's items.
        public var changes: ListChanges

        package init(from: Int, to: Int, changes: ListChanges) {
            self.from = from
            self.to = to
            self.changes = changes
        }
    }

    /// True if everything must be shown again, because the old sections are unknown. The other properties are then
    /// empty.
    public private(set) var isReload = false
    /// Positions of removed sections in the old list, ascending. A section that moves is removed and inserted.
    public var removals: [Int] = []
    /// Positions of inserted sections in the new list, ascending.
    public var insertions: [Int] = []
    /// Positions in the new list of sections with a new header or footer, ascending.
    public var reloads: [Int] = []
    /// The changes of items in the other sections, ascending. Sections without changes are left out.
    public var inner: [Inner] = []

    /// Shows everything again.
    public static let reload: SectionChanges = {
        var changes = SectionChanges()
        changes.isReload = true
        return changes
    }()

    package init(removals: [Int] = [], insertions: [Int] = [], reloads: [Int] = [], inner: [Inner] = []) {
        self.removals = removals
        self.insertions = insertions
        self.reloads = reloads
        self.inner = inner
    }

    /// True if the sections are the same.
    public var isEmpty: Bool { self == SectionChanges() }

    /// Finds the changes that turn one list of sections into another.
    ///
    /// - Parameters:
    ///   - old: The sections on screen.
    ///   - new: The new sections.
    ///   - changes: Finds the changes that turn the items of a section into new ones.
    public init<ID, Item>(
        from old: [ListSection<ID, Item>], to new: [ListSection<ID, Item>],
        items changes: ([Item], [Item]) -> ListChanges
    ) {
        self.init()
        let outer = ListChanges(from: old.map(\.id), to: new.map(\.id))
        removals = (outer.removals + outer.moves.map(\.from)).sorted()
        insertions = (outer.insertions + outer.moves.map(\.to)).sorted()
        let stays = zip(old.indices.without(removals), new.indices.without(insertions))
        for (from, to) in stays {
            guard old[from].header == new[to].header, old[from].footer == new[to].footer else {
                reloads.append(to)
                continue
            }
            let changes = changes(old[from].items, new[to].items)
            if !changes.isEmpty { inner.append(Inner(from: from, to: to, changes: changes)) }
        }
    }
}

extension Range<Int> {
    fileprivate func without(_ others: [Int]) -> [Int] {
        let others = Set(others)
        return filter { !others.contains($0) }
    }
}

/// The items or sections that were last shown on screen.
@MainActor
package final class ShownItems<Items> {
    private var items: Items?

    nonisolated package init() {}

    /// - Returns: The changes to show. `nil` if there are none.
    package func changes<Item>(
        to new: [Item], by find: ([Item], [Item]) -> ListChanges
    ) -> ListChanges? where Items == [Item] {
        defer { items = new }
        guard let items else { return .reload }
        let changes = find(items, new)
        return changes.isEmpty ? nil : changes
    }

    /// - Returns: The changes to show. `nil` if there are none.
    package func changes<ID, Item>(
        to new: [ListSection<ID, Item>], by find: ([Item], [Item]) -> ListChanges
    ) -> SectionChanges? where Items == [ListSection<ID, Item>] {
        defer { items = new }
        guard let items else { return .reload }
        let changes = SectionChanges(from: items, to: new, items: find)
        return changes.isEmpty ? nil : changes
    }
}

extension SectionChanges {
    package init(ofOnlySection changes: ListChanges) {
        self = changes.isReload ? .reload : SectionChanges(inner: [Inner(from: 0, to: 0, changes: changes)])
    }
}
