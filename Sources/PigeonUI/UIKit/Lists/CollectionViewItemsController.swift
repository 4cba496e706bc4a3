#if canImport(UIKit) && !os(watchOS)
    public import PigeonREST
    public import UIKit

    /// Shows items in a collection view, with a closure that makes the cell of each item.
    ///
    /// ```swift
    /// let photo = UICollectionView.CellRegistration<PhotoCell, Photo> { cell, _, photo in cell.photo = photo }
    /// let items = CollectionViewItemsController<Photo> { view, indexPath, item in
    ///     view.dequeueConfiguredReusableCell(using: photo, for: indexPath, item: item)
    /// }
    /// photos.bind(subscriber: collectionView.itemsSubscriber(items)).store(in: &subscriptions)
    /// ```
    ///
    /// A cell whose item has new content is configured again in place. Removed, inserted and moved items are animated.
    /// Duplicate items are allowed. The collection view retains the controller while it is the data source. The
    /// controller does not retain the collection view.
    @MainActor
    public final class CollectionViewItemsController<Item: Sendable> {
        /// Returns the cell of an item, usually dequeued from the collection view.
        public typealias CellFactory = @MainActor (UICollectionView, IndexPath, Item) -> UICollectionViewCell

        /// Returns the changes that convert the old items of a section to the new ones.
        public typealias Changes = @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges

        /// True if changes are animated. The first update, and changes outside the screen, are never animated.
        public var isAnimated = true

        let changes: Changes
        /// Called with each index path whose cell is requested.
        var onAsk: (IndexPath) -> Void = { _ in }
        private let cellFactory: CellFactory
        private var shown = NumberedSections<Item>()
        private var source: UICollectionViewDiffableDataSource<Int, Int>?
        private weak var collectionView: UICollectionView?

        /// Creates a controller with a custom way to distinguish items.
        ///
        /// - Parameters:
        ///   - changes: Returns the changes that convert the old items of a section to the new ones.
        ///   - cellFactory: Makes the cell of an item.
        public init(changes: @escaping Changes, cellFactory: @escaping CellFactory) {
            self.changes = changes
            self.cellFactory = cellFactory
        }

        /// Returns the item of a cell, such as a selected one.
        public func item(at indexPath: IndexPath) -> Item? {
            shown.item(at: indexPath)
        }

        /// Makes the controller the data source of a collection view, unless it has been before.
        ///
        /// - Returns: `false` if it was the data source but another object has replaced it, so that it must not show
        ///   items any more.
        func attach(to collectionView: UICollectionView) -> Bool {
            if let source, self.collectionView === collectionView { return collectionView.dataSource === source }
            source = UICollectionViewDiffableDataSource(collectionView: collectionView) {
                [weak self] collectionView, indexPath, number in
                guard let self, let item = shown.item(number) else { return nil }
                onAsk(indexPath)
                return cellFactory(collectionView, indexPath, item)
            }
            self.collectionView = collectionView
            collectionView.keep(self)
            return true
        }

        func apply<ID>(_ changes: SectionChanges, sections: [ListSection<ID, Item>]) {
            guard let source else { return }
            let snapshot = shown.show(sections, after: changes)
            let isAnimated = isAnimated && !changes.isReload && collectionView?.window != nil
            source.apply(snapshot, animatingDifferences: isAnimated)
        }
    }
#endif
