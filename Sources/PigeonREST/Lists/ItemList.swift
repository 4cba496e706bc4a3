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
