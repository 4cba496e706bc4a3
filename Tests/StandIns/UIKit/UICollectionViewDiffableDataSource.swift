/// Stands for `UIKit.UICollectionViewDiffableDataSource`.
@preconcurrency
@MainActor
open class UICollectionViewDiffableDataSource<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: NSObject, UICollectionViewDataSource {
    /// Stands for `UICollectionViewDiffableDataSource.CellProvider`.
    public typealias CellProvider = (
        _ collectionView: UICollectionView, _ indexPath: IndexPath, _ itemIdentifier: ItemIdentifierType
    ) -> UICollectionViewCell?

    /// Stands for `UICollectionViewDiffableDataSource.SupplementaryViewProvider`.
    public typealias SupplementaryViewProvider = (
        _ collectionView: UICollectionView, _ elementKind: String, _ indexPath: IndexPath
    ) -> UICollectionReusableView?

    /// Stands for `supplementaryViewProvider`.
    public var supplementaryViewProvider: SupplementaryViewProvider?
    private weak var collectionView: UICollectionView?
    private let cellProvider: CellProvider
    private var current = NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>()
    private var isApplying = false
    /// What was done so far.
    package private(set) var steps: [DiffableStep] = []

    /// Stands for `init(collectionView:cellProvider:)`.
    public init(collectionView: UICollectionView, cellProvider: @escaping CellProvider) {
        self.collectionView = collectionView
        self.cellProvider = cellProvider
        super.init()
        collectionView.dataSource = self
    }

    /// Stands for `apply(_:animatingDifferences:completion:)`.
    open func apply(
        _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
        animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {
        precondition(!isApplying, "a snapshot is applied while another is")
        precondition(collectionView == nil || collectionView?.dataSource === self, "the view has another data source")
        isApplying = true
        steps.append(DiffableStep(from: current, to: snapshot, isAnimated: animatingDifferences))
        let moved = collectionView?.store.move(from: current, to: snapshot)
        let positions = snapshot.positions(ofSectionsOf: current)
        current = snapshot.settled
        if let collectionView, let moved {
            collectionView.show(moved.kept, sections: positions)
            for (place, item) in moved.reconfigured {
                collectionView.store.reconfigured[place] = moved.kept[place]
                let cell = cellProvider(collectionView, place, item)
                precondition(cell === moved.kept[place], "a cell that is reconfigured must be dequeued")
            }
            if collectionView.window != nil { collectionView.layoutIfNeeded() }
        }
        isApplying = false
        completion?()
    }

    /// Stands for `applySnapshotUsingReloadData(_:completion:)`.
    open func applySnapshotUsingReloadData(
        _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
        completion: (() -> Void)? = nil
    ) {
        current = snapshot.settled
        collectionView?.reloadData()
        completion?()
    }

    /// Stands for `snapshot()`.
    open func snapshot() -> NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType> { current }
    /// Stands for `itemIdentifier(for:)`.
    open func itemIdentifier(for indexPath: IndexPath) -> ItemIdentifierType? { current.item(at: indexPath) }
    /// Stands for `indexPath(for:)`.
    open func indexPath(for itemIdentifier: ItemIdentifierType) -> IndexPath? { current.places[itemIdentifier] }

    /// Stands for `numberOfSections(in:)`.
    open func numberOfSections(in collectionView: UICollectionView) -> Int { current.numberOfSections }
    /// Stands for `collectionView(_:numberOfItemsInSection:)`.
    open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        current.numberOfItems(inSection: current.sectionIdentifiers[section])
    }

    /// Stands for `collectionView(_:cellForItemAt:)`.
    open func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        guard let item = current.item(at: indexPath), let cell = cellProvider(collectionView, indexPath, item) else {
            preconditionFailure("the cell provider gave no cell")
        }
        return cell
    }

    /// Stands for `collectionView(_:viewForSupplementaryElementOfKind:at:)`.
    open func collectionView(
        _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView {
        guard let view = supplementaryViewProvider?(collectionView, kind, indexPath) else {
            preconditionFailure("the layout has supplementary views, and the data source has no provider of them")
        }
        return view
    }
}
