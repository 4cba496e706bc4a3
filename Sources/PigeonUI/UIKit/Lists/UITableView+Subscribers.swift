#if canImport(UIKit) && !os(watchOS)
    public import PigeonBase
    public import PigeonREST
    public import UIKit

    extension UITableView {
        /// Returns a subscriber that shows the values of a publisher in this table view, through a controller.
        ///
        /// ```swift
        /// repositories.bind(subscriber: tableView.rowsSubscriber(rows)).store(in: &subscriptions)
        /// ```
        ///
        /// The first items are not animated. When the binding ends, the items stay. The subscriber does not retain the
        /// table view.
        public func rowsSubscriber<Item>(_ controller: TableViewItemsController<Item>) -> ListSubscriber<[Item]> {
            let shown = ShownItems<[Item]>()
            return ListSubscriber { [weak self] items in
                guard let self, controller.attach(to: self) else { return false }
                guard let changes = shown.changes(to: items, by: controller.changes) else { return true }
                controller.apply(
                    SectionChanges(ofOnlySection: changes), sections: [ListSection(id: 0, items: items)])
                return true
            }
        }

        /// Returns a subscriber that shows the sections of a publisher in this table view, with headers and footers.
        ///
        /// See ``UIKit/UITableView/rowsSubscriber(_:)``.
        public func sectionsSubscriber<ID, Item>(
            _ controller: TableViewItemsController<Item>
        ) -> ListSubscriber<[ListSection<ID, Item>]> {
            let shown = ShownItems<[ListSection<ID, Item>]>()
            return ListSubscriber { [weak self] sections in
                guard let self, controller.attach(to: self) else { return false }
                guard let changes = shown.changes(to: sections, by: controller.changes) else { return true }
                controller.apply(changes, sections: sections)
                return true
            }
        }
    }
#endif
