/// A list on a screen: a table, a collection, lines in a terminal.
///
/// ```swift
/// final class RepositoryList: ItemList {
///     func apply(_ changes: ListChanges, items: [Repository]) { draw(items) }
/// }
///
/// repositories.bind(subscriber: list.itemsSubscriber()).store(in: &subscriptions)
/// ```
@MainActor
public protocol ItemList: AnyObject {
    /// What is in the list.
    associatedtype Item: Sendable

    /// Shows the items.
    ///
    /// - Parameters:
    ///   - changes: What is to be done to what is shown. ``ListChanges/reload`` the first time; never empty.
    ///   - items: All items, as they are after that.
    func apply(_ changes: ListChanges, items: [Item])
}

/// A list on a screen, in sections.
@MainActor
public protocol SectionList: AnyObject {
    /// What is in the sections.
    associatedtype Item: Sendable
    /// What tells sections apart.
    associatedtype SectionID: Hashable & Sendable

    /// Shows the sections.
    ///
    /// - Parameters:
    ///   - changes: What is to be done to what is shown. ``SectionChanges/reload`` the first time; never empty.
    ///   - sections: All sections, as they are after that.
    func apply(_ changes: SectionChanges, sections: [ListSection<SectionID, Item>])
}

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

// One for each way to tell items apart: by identity, by hash, by equality.

extension ItemList where Item: Identifiable & Equatable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Identifiable & Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList where Item: Equatable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList {
    /// What shows in this list what a publisher sends. Does not keep the list.
    ///
    /// - Parameter changes: Finds what makes the items that are shown into the new ones.
    public func subscriber(
        changes: @escaping @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges
    ) -> ListSubscriber<[Item]> {
        let shown = Shown<[Item]>()
        return ListSubscriber { [weak self] items in
            guard let self else { return false }
            let changes = shown.items.map { changes($0, items) } ?? .reload
            shown.items = items
            if !changes.isEmpty { apply(changes, items: items) }
            return true
        }
    }
}

extension SectionList {
    /// What shows in this list what a publisher sends. Does not keep the list.
    ///
    /// - Parameter changes: Finds what makes the items of a section into those of another.
    public func subscriber(
        changes: @escaping @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges
    ) -> ListSubscriber<[ListSection<SectionID, Item>]> {
        let shown = Shown<[ListSection<SectionID, Item>]>()
        return ListSubscriber { [weak self] sections in
            guard let self else { return false }
            let changes = shown.items.map { SectionChanges(from: $0, to: sections, items: changes) } ?? .reload
            shown.items = sections
            if !changes.isEmpty { apply(changes, sections: sections) }
            return true
        }
    }
}

extension SectionList where Item: Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension SectionList where Item: Identifiable & Equatable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension SectionList where Item: Identifiable & Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

/// What a subscriber showed last.
@MainActor
private final class Shown<Items> {
    var items: Items?

    nonisolated init() {}
}
