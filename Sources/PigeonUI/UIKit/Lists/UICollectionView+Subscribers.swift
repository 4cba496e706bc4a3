#if canImport(UIKit) && !os(watchOS)
    public import PigeonREST
    public import UIKit

    extension UICollectionView {
        /// Returns a subscriber that displays each value of a publisher in the collection view, using a controller.
        ///
        /// ```swift
        /// photos.bind(subscriber: collectionView.itemsSubscriber(items)).store(in: &subscriptions)
        /// ```
        ///
        /// The first update is not animated. The items stay when the subscription ends. Does not retain the collection
        /// view.
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

        /// Returns a subscriber that displays the sections of a publisher in the collection view, using a controller.
        /// The layout defines their headers and footers.
        ///
        /// See also ``UIKit/UICollectionView/itemsSubscriber(_:)``, which behaves the same.
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
