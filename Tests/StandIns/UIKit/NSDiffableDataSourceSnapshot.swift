/// Stands for `UIKit.NSDiffableDataSourceSnapshot`. As the real one it traps where two identifiers are the same.
public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
    private struct Section {
        var id: SectionIdentifierType
        var items: [ItemIdentifierType] = []
    }

    private var sections: [Section] = []
    /// Stands for `reloadedSectionIdentifiers`.
    public private(set) var reloadedSectionIdentifiers: [SectionIdentifierType] = []
    /// Stands for `reloadedItemIdentifiers`.
    public private(set) var reloadedItemIdentifiers: [ItemIdentifierType] = []
    /// Stands for `reconfiguredItemIdentifiers`.
    public private(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []

    /// Stands for `init()`.
    public init() {}

    /// Stands for `numberOfItems`.
    public var numberOfItems: Int { itemIdentifiers.count }
    /// Stands for `numberOfSections`.
    public var numberOfSections: Int { sections.count }
    /// Stands for `sectionIdentifiers`.
    public var sectionIdentifiers: [SectionIdentifierType] { sections.map(\.id) }
    /// Stands for `itemIdentifiers`.
    public var itemIdentifiers: [ItemIdentifierType] { sections.flatMap(\.items) }

    /// Stands for `numberOfItems(inSection:)`.
    public func numberOfItems(inSection identifier: SectionIdentifierType) -> Int {
        itemIdentifiers(inSection: identifier).count
    }

    /// Stands for `itemIdentifiers(inSection:)`.
    public func itemIdentifiers(inSection identifier: SectionIdentifierType) -> [ItemIdentifierType] {
        sections[position(of: identifier)].items
    }

    /// Stands for `indexOfItem(_:)`.
    public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? { itemIdentifiers.firstIndex(of: identifier) }

    /// Stands for `indexOfSection(_:)`.
    public func indexOfSection(_ identifier: SectionIdentifierType) -> Int? {
        sections.firstIndex { $0.id == identifier }
    }

    /// Stands for `sectionIdentifier(containingItem:)`.
    public func sectionIdentifier(containingItem identifier: ItemIdentifierType) -> SectionIdentifierType? {
        sections.first { $0.items.contains(identifier) }?.id
    }

    /// Stands for `appendSections(_:)`.
    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
        sections += identifiers.map { Section(id: $0) }
        precondition(Set(sectionIdentifiers).count == sections.count, "section identifiers are not unique")
    }

    /// Stands for `appendItems(_:toSection:)`.
    public mutating func appendItems(
        _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
    ) {
        let section = sectionIdentifier.map(position) ?? sections.count - 1
        precondition(section >= 0, "there are no sections")
        sections[section].items += identifiers
        precondition(Set(itemIdentifiers).count == numberOfItems, "item identifiers are not unique")
    }

    /// Stands for `deleteItems(_:)`.
    public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {
        for section in sections.indices { sections[section].items.removeAll(where: identifiers.contains) }
    }

    /// Stands for `deleteAllItems()`.
    public mutating func deleteAllItems() {
        sections = []
    }

    /// Stands for `reloadItems(_:)`.
    public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {
        precondition(Set(identifiers).isSubset(of: itemIdentifiers), "an item to be reloaded is not there")
        reloadedItemIdentifiers += identifiers
    }

    /// Stands for `reconfigureItems(_:)`.
    public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
        precondition(Set(identifiers).isSubset(of: itemIdentifiers), "an item to be reconfigured is not there")
        reconfiguredItemIdentifiers += identifiers
    }

    /// Stands for `reloadSections(_:)`.
    public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {
        precondition(Set(identifiers).isSubset(of: sectionIdentifiers), "a section to be reloaded is not there")
        reloadedSectionIdentifiers += identifiers
    }

    private func position(of section: SectionIdentifierType) -> Int {
        guard let position = indexOfSection(section) else { preconditionFailure("there is no such section") }
        return position
    }

    /// Where each item is.
    var places: [ItemIdentifierType: IndexPath] {
        var places: [ItemIdentifierType: IndexPath] = [:]
        for (section, items) in sections.map(\.items).enumerated() {
            for (row, item) in items.enumerated() { places[item] = IndexPath(row: row, section: section) }
        }
        return places
    }

    /// The positions here of the sections of an older snapshot that are not reloaded.
    func positions(ofSectionsOf old: Self) -> [Int: Int] {
        var positions: [Int: Int] = [:]
        for (index, section) in old.sections.enumerated() where !reloadedSectionIdentifiers.contains(section.id) {
            positions[index] = indexOfSection(section.id)
        }
        return positions
    }

    /// The item at a place.
    func item(at place: IndexPath) -> ItemIdentifierType? {
        guard sections.indices.contains(place.section), sections[place.section].items.indices.contains(place.row)
        else { return nil }
        return sections[place.section].items[place.row]
    }

    /// The items that are shown with new cells.
    var reloaded: Set<ItemIdentifierType> {
        Set(reloadedItemIdentifiers + reloadedSectionIdentifiers.flatMap { itemIdentifiers(inSection: $0) })
    }

    /// What is left of this once it is shown.
    var settled: Self {
        var settled = self
        (settled.reloadedItemIdentifiers, settled.reconfiguredItemIdentifiers) = ([], [])
        settled.reloadedSectionIdentifiers = []
        return settled
    }
}
