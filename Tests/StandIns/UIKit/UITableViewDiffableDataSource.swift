/// Stands for `UIKit.UITableViewDiffableDataSource`.
@preconcurrency
@MainActor
open class UITableViewDiffableDataSource<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: NSObject, UITableViewDataSource {
    /// Stands for `UITableViewDiffableDataSource.CellProvider`.
    public typealias CellProvider = (
        _ tableView: UITableView, _ indexPath: IndexPath, _ itemIdentifier: ItemIdentifierType
    ) -> UITableViewCell?

    private weak var tableView: UITableView?
    private let cellProvider: CellProvider
    private var current = NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>()
    private var isApplying = false
    /// What was done so far.
    package private(set) var steps: [DiffableStep] = []

    /// Stands for `init(tableView:cellProvider:)`.
    public init(tableView: UITableView, cellProvider: @escaping CellProvider) {
        self.tableView = tableView
        self.cellProvider = cellProvider
        super.init()
        tableView.dataSource = self
    }

    /// Stands for `defaultRowAnimation`.
    open var defaultRowAnimation = UITableView.RowAnimation.automatic

    /// Stands for `apply(_:animatingDifferences:completion:)`.
    open func apply(
        _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
        animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {
        precondition(!isApplying, "a snapshot is applied while another is")
        precondition(tableView == nil || tableView?.dataSource === self, "the view has another data source")
        isApplying = true
        steps.append(DiffableStep(from: current, to: snapshot, isAnimated: animatingDifferences))
        let moved = tableView?.store.move(from: current, to: snapshot)
        current = snapshot.settled
        if let tableView, let moved {
            tableView.show(moved.kept)
            for (place, item) in moved.reconfigured {
                tableView.store.reconfigured[place] = moved.kept[place]
                let cell = cellProvider(tableView, place, item)
                precondition(cell === moved.kept[place], "a cell that is reconfigured must be dequeued")
            }
            if tableView.window != nil { tableView.layoutIfNeeded() }
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
        tableView?.reloadData()
        completion?()
    }

    /// Stands for `snapshot()`.
    open func snapshot() -> NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType> { current }
    /// Stands for `itemIdentifier(for:)`.
    open func itemIdentifier(for indexPath: IndexPath) -> ItemIdentifierType? { current.item(at: indexPath) }
    /// Stands for `indexPath(for:)`.
    open func indexPath(for itemIdentifier: ItemIdentifierType) -> IndexPath? { current.places[itemIdentifier] }

    /// Stands for `numberOfSections(in:)`.
    open func numberOfSections(in tableView: UITableView) -> Int { current.numberOfSections }
    /// Stands for `tableView(_:numberOfRowsInSection:)`.
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        current.numberOfItems(inSection: current.sectionIdentifiers[section])
    }

    /// Stands for `tableView(_:cellForRowAt:)`.
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        guard let item = current.item(at: indexPath), let cell = cellProvider(tableView, indexPath, item) else {
            preconditionFailure("the cell provider gave no cell")
        }
        return cell
    }

    /// Stands for `tableView(_:titleForHeaderInSection:)`.
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    /// Stands for `tableView(_:titleForFooterInSection:)`.
    open func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { nil }
}
