#if canImport(UIKit) && !os(watchOS)
    public import PigeonBase
    public import UIKit

    /// Shows items in a collection view, each in a cell of a factory.
    ///
    /// ```swift
    /// let photo = UICollectionView.CellRegistration<PhotoCell, Photo> { cell, _, photo in cell.photo = photo }
    /// let items = CollectionViewItemsController<Photo> { view, indexPath, item in
    ///     view.dequeueConfiguredReusableCell(using: photo, for: indexPath, item: item)
    /// }
    /// let controller = QueryCollectionController(collectionView: collectionView, items: items, query: photos)
    /// ```
    ///
    /// A ``QueryCollectionController`` shows the list of a query with it, and `collectionView.itemsSubscriber(items)` of
    /// `PigeonUI` the values of a publisher.
    ///
    /// A layout with headers, footers or other supplementary views asks the controller for them. The texts of a section's
    /// header and footer are those of its `ListSection`:
    ///
    /// ```swift
    /// let title = UICollectionView.SupplementaryRegistration<TitleView>(
    ///     elementKind: UICollectionView.elementKindSectionHeader
    /// ) { [weak items] view, _, indexPath in view.text = items?.header(ofSection: indexPath.section) }
    /// items.supplementaryViewFactory = { view, _, indexPath in
    ///     view.dequeueConfiguredReusableSupplementary(using: title, for: indexPath)
    /// }
    /// ```
    ///
    /// Configures a cell again, in its place, when its item has new content. Inserts, removes and moves items as they
    /// change. Equal items do no harm. The collection view retains the controller while the controller is its data
    /// source. The controller does not retain the collection view.
    @MainActor
    public final class CollectionViewItemsController<Item: Sendable>: ItemsController {
        /// Returns the cell of an item, new or dequeued from the collection view.
        public typealias CellFactory = @MainActor (UICollectionView, IndexPath, Item) -> UICollectionViewCell

        /// Returns a supplementary view, new or dequeued from the collection view, which must have one at this position.
        public typealias SupplementaryViewFactory =
            @MainActor (
                _ collectionView: UICollectionView, _ kind: String, _ indexPath: IndexPath
            ) -> UICollectionReusableView

        /// Finds the changes that turn the items of a section into new ones.
        public typealias Changes = @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges

        /// True to animate changes. The first items are not animated, nor are changes while the view is not on screen,
        /// or if the user prefers less motion.
        public var isAnimated = true

        /// Returns the supplementary views that the layout shows, such as headers. Called again for a section whose header
        /// or footer text changed. A layout that shows such views needs it before the first items arrive.
        public var supplementaryViewFactory: SupplementaryViewFactory?

        package let changes: Changes
        package var onAsk: (IndexPath) -> Void = { _ in }
        private let cellFactory: CellFactory
        private var shown = NumberedSections<Item>()
        private var source: UICollectionViewDiffableDataSource<Int, Int>?
        private weak var collectionView: UICollectionView?

        /// Creates a controller with its own way to identify items.
        ///
        /// - Parameters:
        ///   - changes: Finds the changes that turn the items of a section into new ones.
        ///   - cellFactory: Returns the cell of an item.
        public init(changes: @escaping Changes, cellFactory: @escaping CellFactory) {
            self.changes = changes
            self.cellFactory = cellFactory
        }

        /// Returns the item of a cell, such as a selected one.
        public func item(at indexPath: IndexPath) -> Item? {
            shown.item(at: indexPath)
        }

        /// Returns the text of a section's header, if there is one.
        public func header(ofSection section: Int) -> String? {
            shown.section(at: section)?.header
        }

        /// Returns the text of a section's footer, if there is one.
        public func footer(ofSection section: Int) -> String? {
            shown.section(at: section)?.footer
        }

        package func attach(to collectionView: UICollectionView) -> Bool {
            if let source, self.collectionView === collectionView { return collectionView.dataSource === source }
            let made = UICollectionViewDiffableDataSource<Int, Int>(collectionView: collectionView) {
                [weak self] collectionView, indexPath, number in
                guard let self, let item = shown.item(number) else { return nil }
                onAsk(indexPath)
                return cellFactory(collectionView, indexPath, item)
            }
            made.supplementaryViewProvider = { [weak self] collectionView, kind, indexPath in
                self?.supplementaryViewFactory?(collectionView, kind, indexPath)
            }
            (source, self.collectionView) = (made, collectionView)
            collectionView.keep(self)
            return true
        }

        package func apply<ID>(_ changes: SectionChanges, sections: [ListSection<ID, Item>]) {
            guard let source else { return }
            let snapshot = shown.show(sections, after: changes)
            source.apply(snapshot, animatingDifferences: isAnimated && changes.mayMove(in: collectionView))
        }

        package func lastOnScreen(in collectionView: UICollectionView) -> IndexPath? {
            collectionView.indexPathsForVisibleItems.max()
        }
    }

    extension CollectionViewItemsController where Item: Equatable {
        /// Creates a controller. Items with the same `id` are the same item. Without an `id`, equal items are the same.
        ///
        /// - Parameter cellFactory: Returns the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { .between($0, $1) }, cellFactory: cellFactory)
        }
    }
#endif
