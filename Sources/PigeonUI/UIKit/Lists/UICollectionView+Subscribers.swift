#if canImport(UIKit) && !os(watchOS)
    public import PigeonREST
    public import UIKit

    extension UICollectionView {
        /// What shows in this collection view what a publisher sends, by a controller.
        ///
        /// ```swift
        /// photos.bind(subscriber: collectionView.itemsSubscriber(items)).store(in: &subscriptions)
        /// ```
        ///
        /// The first show is not animated. When the binding ends, what is there stays. Does not keep the collection view.
        public func itemsSubscriber<Item>(
            _ controller: CollectionViewItemsController<Item>
        ) -> ListSubscriber<[Item]> {
            let shown = Shown<[Item]>()
            return ListSubscriber { [weak self] items in
                guard let self, controller.attach(to: self) else { return false }
                guard let changes = shown.changes(to: items, by: controller.changes) else { return true }
                controller.apply(changes, sections: [ListSection(id: 0, items: items)])
                return true
            }
        }

        /// What shows in this collection view sections that a publisher sends, by a controller. What stands above and below
        /// them is of the layout.
        ///
        /// As ``UIKit/UICollectionView/itemsSubscriber(_:)``.
        public func sectionsSubscriber<ID, Item>(
            _ controller: CollectionViewItemsController<Item>
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
