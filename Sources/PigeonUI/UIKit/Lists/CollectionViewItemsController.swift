#if canImport(UIKit) && !os(watchOS)
    public import PigeonBase
    public import UIKit

    /// Shows items in a collection view, each in a cell that it is told to make.
    ///
    /// ```swift
    /// let photo = UICollectionView.CellRegistration<PhotoCell, Photo> { cell, _, photo in cell.photo = photo }
    /// let items = CollectionViewItemsController<Photo> { view, indexPath, item in
    ///     view.dequeueConfiguredReusableCell(using: photo, for: indexPath, item: item)
    /// }
    /// photos.bind(subscriber: collectionView.itemsSubscriber(items)).store(in: &subscriptions)
    /// ```
    ///
    /// A cell whose item has new content is configured again where it is; an item that is gone, new or elsewhere moves.
    /// Items that are alike do no harm. The collection view keeps the controller as long as that is its data source; the
    /// controller does not keep the collection view.
    @MainActor
    public final class CollectionViewItemsController<Item: Sendable> {
        /// Makes the cell of an item, or takes it from the collection view.
        public typealias CellFactory = @MainActor (UICollectionView, IndexPath, Item) -> UICollectionViewCell

        /// Finds what makes the items of a section into others.
        public typealias Changes = @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges

        /// Whether changes are animated. Those to what was not on screen are not, nor is the first show.
        public var isAnimated = true

        let changes: Changes
        /// Told of each place whose cell is asked for.
        var onAsk: (IndexPath) -> Void = { _ in }
        private let cellFactory: CellFactory
        private var shown = NumberedSections<Item>()
        private var source: UICollectionViewDiffableDataSource<Int, Int>?
        private weak var collectionView: UICollectionView?

        /// Creates a controller that tells items apart in a way of its own.
        ///
        /// - Parameters:
        ///   - changes: Finds what makes the items of a section into others.
        ///   - cellFactory: Makes the cell of an item.
        public init(changes: @escaping Changes, cellFactory: @escaping CellFactory) {
            self.changes = changes
            self.cellFactory = cellFactory
        }

        /// The item of a cell, such as one that was selected.
        public func item(at indexPath: IndexPath) -> Item? {
            shown.item(at: indexPath)
        }

        /// Becomes the data source of a collection view, unless it was before.
        ///
        /// - Returns: `false` when it was, and is no longer: what it has is not to be shown any more.
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
