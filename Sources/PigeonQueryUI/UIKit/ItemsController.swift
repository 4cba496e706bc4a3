#if canImport(UIKit) && !os(watchOS)
    package import PigeonBase
    package import UIKit

    /// A controller that shows items in a table or in a collection.
    @MainActor
    package protocol ItemsController<Item>: AnyObject, Sendable {
        associatedtype Item: Sendable
        associatedtype ListView: UIScrollView

        /// Finds the changes that turn the items of a section into new ones.
        var changes: @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges { get }

        /// Called with the position of each cell that the view requests.
        var onAsk: (IndexPath) -> Void { get set }

        /// Makes the controller the data source of a view, unless it has done so before.
        ///
        /// - Returns: False if the view now has another data source, so that no items must be shown.
        func attach(to listView: ListView) -> Bool

        /// Shows sections in the view that the controller is the data source of.
        func apply<ID>(_ changes: SectionChanges, sections: [ListSection<ID, Item>])

        func lastOnScreen(in listView: ListView) -> IndexPath?
    }

    extension ItemsController {
        /// Shows items as the only section.
        package func apply(_ changes: ListChanges, items: [Item]) {
            apply(SectionChanges(ofOnlySection: changes), sections: [ListSection(id: 0, items: items)])
        }
    }

    extension ListChanges {
        /// Finds the changes that turn one list into another. Identifies items by `id` if they have one, else by hash,
        /// else by equality.
        static func between<Item: Equatable>(_ old: [Item], _ new: [Item]) -> ListChanges {
            if let type = Item.self as? any (Identifiable & Equatable).Type { return byID(type, old, new) }
            if let type = Item.self as? any Hashable.Type { return byHash(type, old, new) }
            return ListChanges(from: old, to: new)
        }

        // The lists are passed as `Any`: a cast from there does not visit the items.

        private static func byID<Item: Identifiable & Equatable>(
            _ type: Item.Type, _ old: Any, _ new: Any
        ) -> ListChanges {
            guard let old = old as? [Item], let new = new as? [Item] else { return .reload }
            return ListChanges(from: old, to: new)
        }

        private static func byHash<Item: Hashable>(_ type: Item.Type, _ old: Any, _ new: Any) -> ListChanges {
            guard let old = old as? [Item], let new = new as? [Item] else { return .reload }
            return ListChanges(from: old, to: new)
        }
    }
#endif
