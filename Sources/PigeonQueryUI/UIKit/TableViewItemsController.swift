#if canImport(UIKit) && !os(watchOS)
    public import PigeonBase
    public import UIKit

    /// Shows items in a table view, each in a cell of a factory.
    ///
    /// ```swift
    /// let rows = TableViewItemsController<Repository> { table, indexPath, repository in
    ///     let cell = table.dequeueReusableCell(withIdentifier: repository.isFork ? "fork" : "own", for: indexPath)
    ///     cell.textLabel?.text = repository.name
    ///     return cell
    /// }
    /// let controller = QueryCollectionController(tableView: tableView, items: rows, query: repositories)
    /// ```
    ///
    /// A ``QueryCollectionController`` shows the list of a query with it, and `tableView.rowsSubscriber(rows)` of `PigeonUI`
    /// the values of a publisher. Configures a cell again, in its place, when its item has new content. Inserts, removes and moves items as they
    /// change. Equal items do no harm. The table view retains the controller while the controller is its data source.
    /// The controller does not retain the table view.
    @MainActor
    public final class TableViewItemsController<Item: Sendable>: ItemsController {
        /// Returns the cell of an item, new or dequeued from the table view.
        public typealias CellFactory = @MainActor (UITableView, IndexPath, Item) -> UITableViewCell

        /// Finds the changes that turn the items of a section into new ones.
        public typealias Changes = @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges

        /// True to animate changes. The first items are not animated, nor are changes while the view is not on screen,
        /// or if the user prefers less motion.
        public var isAnimated = true

        /// The animation of inserted and removed rows.
        public var rowAnimation = UITableView.RowAnimation.automatic {
            didSet { source?.defaultRowAnimation = rowAnimation }
        }

        package let changes: Changes
        package var onAsk: (IndexPath) -> Void = { _ in }
        private let cellFactory: CellFactory
        private var shown = NumberedSections<Item>()
        private var source: TableDataSource?
        private weak var tableView: UITableView?

        /// Creates a controller with its own way to identify items.
        ///
        /// - Parameters:
        ///   - changes: Finds the changes that turn the items of a section into new ones.
        ///   - cellFactory: Returns the cell of an item.
        public init(changes: @escaping Changes, cellFactory: @escaping CellFactory) {
            self.changes = changes
            self.cellFactory = cellFactory
        }

        /// Returns the item of a row, such as a selected one.
        public func item(at indexPath: IndexPath) -> Item? {
            shown.item(at: indexPath)
        }

        package func attach(to tableView: UITableView) -> Bool {
            if let source, self.tableView === tableView { return tableView.dataSource === source }
            let made = TableDataSource(tableView: tableView) { [weak self] tableView, indexPath, number in
                self?.cell(of: number, at: indexPath, in: tableView)
            }
            made.defaultRowAnimation = rowAnimation
            (source, self.tableView) = (made, tableView)
            tableView.keep(self)
            return true
        }

        package func apply<ID>(_ changes: SectionChanges, sections: [ListSection<ID, Item>]) {
            guard let source else { return }
            let snapshot = shown.show(sections, after: changes)
            source.titles = sections.map { ($0.header, $0.footer) }
            source.apply(snapshot, animatingDifferences: isAnimated && changes.mayMove(in: tableView))
        }

        package func lastOnScreen(in tableView: UITableView) -> IndexPath? {
            tableView.indexPathsForVisibleRows?.max()
        }

        private func cell(of number: Int, at indexPath: IndexPath, in tableView: UITableView) -> UITableViewCell {
            guard let item = shown.item(number) else { return UITableViewCell(style: .default, reuseIdentifier: nil) }
            onAsk(indexPath)
            return cellFactory(tableView, indexPath, item)
        }
    }

    /// A diffable data source whose sections have titles.
    @MainActor
    private final class TableDataSource: UITableViewDiffableDataSource<Int, Int> {
        var titles: [(header: String?, footer: String?)] = []

        override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
            titles.indices.contains(section) ? titles[section].header : nil
        }

        override func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? {
            titles.indices.contains(section) ? titles[section].footer : nil
        }
    }

    extension TableViewItemsController where Item: Equatable {
        /// Creates a controller. Items with the same `id` are the same item. Without an `id`, equal items are the same.
        ///
        /// - Parameter cellFactory: Returns the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { .between($0, $1) }, cellFactory: cellFactory)
        }
    }
#endif
