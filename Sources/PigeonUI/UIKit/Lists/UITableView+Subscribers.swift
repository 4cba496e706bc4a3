#if canImport(UIKit) && !os(watchOS)
    public import PigeonREST
    public import UIKit

    extension UITableView {
        /// What shows in this table view what a publisher sends, by a controller.
        ///
        /// ```swift
        /// repositories.bind(subscriber: tableView.rowsSubscriber(rows)).store(in: &subscriptions)
        /// ```
        ///
        /// The first show is not animated. When the binding ends, what is there stays. Does not keep the table view.
        public func rowsSubscriber<Item>(_ controller: TableViewItemsController<Item>) -> ListSubscriber<[Item]> {
            let shown = Shown<[Item]>()
            return ListSubscriber { [weak self] items in
                guard let self, controller.attach(to: self) else { return false }
                guard let changes = shown.changes(to: items, by: controller.changes) else { return true }
                controller.apply(changes, sections: [ListSection(id: 0, items: items)])
                return true
            }
        }

        /// What shows in this table view sections that a publisher sends, with their headers and footers, by a controller.
        ///
        /// As ``UIKit/UITableView/rowsSubscriber(_:)``.
        public func sectionsSubscriber<ID, Item>(
            _ controller: TableViewItemsController<Item>
        ) -> ListSubscriber<[ListSection<ID, Item>]> {
            let shown = Shown<[ListSection<ID, Item>]>()
            return ListSubscriber { [weak self] sections in
                guard let self, controller.attach(to: self) else { return false }
                guard let changes = shown.changes(to: sections, by: controller.changes) else { return true }
                controller.apply(changes, sections: sections)
                return true
            }
        }
    }
#endif
