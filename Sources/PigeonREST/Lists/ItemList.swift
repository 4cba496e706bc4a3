internal import PigeonBase

/// A list in a user interface, such as a table, a collection view, or lines in a terminal.
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

    /// Displays the items.
    ///
    /// - Parameters:
    ///   - changes: The changes from the displayed items to the new ones. ``ListChanges/reload`` in the first call.
    ///     Never empty.
    ///   - items: All new items.
    func apply(_ changes: ListChanges, items: [Item])
}

// One extension for each way to identify items: by `id`, by hash, by equality.

extension ItemList where Item: Identifiable & Equatable {
    /// Returns a subscriber that displays the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Identifiable & Hashable {
    /// Returns a subscriber that displays the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Hashable {
    /// Returns a subscriber that displays the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList where Item: Equatable {
    /// Returns a subscriber that displays the values of a publisher in this list. Does not retain the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList {
    /// Returns a subscriber that displays the values of a publisher in this list. Does not retain the list.
    ///
    /// - Parameter changes: Returns the changes from the displayed items to the new ones.
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
