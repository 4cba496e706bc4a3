/// Items under a heading.
///
/// ```swift
/// let sections = [ListSection(header: "Mine", items: mine), ListSection(header: "Starred", items: starred)]
/// ```
public struct ListSection<ID: Hashable & Sendable, Item> {
    /// Tells the section from the others.
    public var id: ID
    /// What stands above the items.
    public var header: String?
    /// What is in the section.
    public var items: [Item]
    /// What stands below the items.
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
    /// Creates a section that is told from the others by its header.
    public init(header: String, items: [Item], footer: String? = nil) {
        self.init(id: header, header: header, items: items, footer: footer)
    }
}

extension ListSection: Sendable where Item: Sendable {}
extension ListSection: Equatable where Item: Equatable {}
extension ListSection: Hashable where Item: Hashable {}
