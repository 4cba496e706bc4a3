internal import PigeonBase

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
    /// An item of the list.
    associatedtype Item: Sendable

    /// Shows the items.
    ///
    /// - Parameters:
    ///   - changes: Turns the items on screen into the new ones. ``ListChanges/reload`` the first time; never empty.
    ///   - items: All new items.
    func apply(_ changes: ListChanges, items: [Item])
}

/// A list on a screen, in sections.
@MainActor
public protocol SectionList: AnyObject {
    /// An item of a section.
    associatedtype Item: Sendable
    /// The identity of a section.
    associatedtype SectionID: Hashable & Sendable

    /// Shows the sections.
    ///
    /// - Parameters:
    ///   - changes: Turns the sections on screen into the new ones. ``SectionChanges/reload`` the first time; never empty.
    ///   - sections: All new sections.
    func apply(_ changes: SectionChanges, sections: [ListSection<SectionID, Item>])
}

// One for each way to identify items: by `id`, by hash, by equality.

extension ItemList where Item: Identifiable & Equatable {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Identifiable & Hashable {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Hashable {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList where Item: Equatable {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    ///
    /// - Parameter changes: Finds the changes that turn the items on screen into new ones.
    public func subscriber(
        changes: @escaping @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges
    ) -> ListSubscriber<[Item]> {
        let shown = ShownItems<[Item]>()
        return ListSubscriber { [weak self] items in
            guard let self else { return false }
            if let changes = shown.changes(to: items, by: changes) { apply(changes, items: items) }
            return true
        }
    }
}

extension SectionList {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    ///
    /// - Parameter changes: Finds the changes that turn the items of a section into new ones.
    public func subscriber(
        changes: @escaping @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges
    ) -> ListSubscriber<[ListSection<SectionID, Item>]> {
        let shown = ShownItems<[ListSection<SectionID, Item>]>()
        return ListSubscriber { [weak self] sections in
            guard let self else { return false }
            if let changes = shown.changes(to: sections, by: changes) { apply(changes, sections: sections) }
            return true
        }
    }
}

extension SectionList where Item: Hashable {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension SectionList where Item: Identifiable & Equatable {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension SectionList where Item: Identifiable & Hashable {
    /// Returns a subscriber that shows the values of a publisher in this list. Does not retain the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}
