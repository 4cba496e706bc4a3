#if canImport(UIKit) && !os(watchOS)
    internal import PigeonBase
    internal import PigeonREST
    internal import UIKit

    extension ItemsController {
        /// Returns a subscriber that shows items in a view. Does not retain the view.
        func itemsSubscriber(in listView: ListView) -> ListSubscriber<[Item]> {
            let shown = ShownItems<[Item]>()
            return ListSubscriber { [weak listView] items in
                guard let listView, self.attach(to: listView) else { return false }
                if let changes = shown.changes(to: items, by: self.changes) { self.apply(changes, items: items) }
                return true
            }
        }

        /// Returns a subscriber that shows sections in a view. Does not retain the view.
        func sectionsSubscriber<ID>(in listView: ListView) -> ListSubscriber<[ListSection<ID, Item>]> {
            let shown = ShownItems<[ListSection<ID, Item>]>()
            return ListSubscriber { [weak listView] sections in
                guard let listView, self.attach(to: listView) else { return false }
                if let changes = shown.changes(to: sections, by: self.changes) {
                    self.apply(changes, sections: sections)
                }
                return true
            }
        }
    }
#endif
