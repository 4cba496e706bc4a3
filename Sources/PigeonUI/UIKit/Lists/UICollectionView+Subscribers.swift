#if canImport(UIKit) && !os(watchOS)
    public import PigeonBase
    public import PigeonREST
    public import UIKit

    extension UICollectionView {
        /// Returns a subscriber that shows the values of a publisher in this collection view, through a controller.
        ///
        /// ```swift
        /// photos.bind(subscriber: collectionView.itemsSubscriber(items)).store(in: &subscriptions)
        /// ```
        ///
        /// The first items are not animated. When the binding ends, the items stay. The subscriber does not retain the
        /// collection view.
        public func itemsSubscriber<Item>(
            _ controller: CollectionViewItemsController<Item>
        ) -> ListSubscriber<[Item]> {
            let shown = ShownItems<[Item]>()
            return ListSubscriber { [weak self] items in
                guard let self, controller.attach(to: self) else { return false }
                guard let changes = shown.changes(to: items, by: controller.changes) else { return true }
                controller.apply(
                    SectionChanges(ofOnlySection: changes), sections: [ListSection(id: 0, items: items)])
                return true
            }
        }

        /// Returns a subscriber that shows the sections of a publisher in this collection view, through a controller.
        /// The layout shows headers and footers.
        ///
        /// See ``UIKit/UICollectionView/itemsSubscriber(_:)``.
        public func sectionsSubscriber<ID, Item>(
            _ controller: CollectionViewItemsController<Item>
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
