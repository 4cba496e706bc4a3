#if canImport(UIKit) && !os(watchOS)
    public import PigeonBase
    public import PigeonREST
    public import UIKit

    extension UITableView {
        /// Returns a subscriber that shows the values of a publisher in this table view, through a controller.
        ///
        /// ```swift
        /// repositories.bind(subscriber: tableView.rowsSubscriber(rows)).store(in: &subscriptions)
        /// ```
        ///
        /// The first items are not animated. When the binding ends, the items stay. The subscriber does not retain the
        /// table view.
        public func rowsSubscriber<Item>(_ controller: TableViewItemsController<Item>) -> ListSubscriber<[Item]> {
            controller.itemsSubscriber(in: self)
        }

        /// Returns a subscriber that shows the sections of a publisher in this table view, with headers and footers.
        ///
        /// See ``UIKit/UITableView/rowsSubscriber(_:)``.
        public func sectionsSubscriber<ID, Item>(
            _ controller: TableViewItemsController<Item>
        ) -> ListSubscriber<[ListSection<ID, Item>]> {
            controller.sectionsSubscriber(in: self)
        }
    }

    // There is a function for each way to distinguish items: by identity, by hash, and by equality.

    extension UITableView {
        /// Returns a subscriber that displays each value of a publisher in the table view, with a row for each item.
        /// Items with the same `id` are the same.
        ///
        /// ```swift
        /// repositories.contentPublisher()
        ///     .bind(subscriber: tableView.rowsSubscriber(cellIdentifier: "repo", cellType: RepositoryCell.self) {
        ///         cell, indexPath, repository in cell.repository = repository
        ///     })
        ///     .store(in: &subscriptions)
        /// ```
        ///
        /// - Parameters:
        ///   - cellIdentifier: The identifier of a prototype in a storyboard, or of a registered cell. If there is
        ///     none, the function registers `cellType`.
        ///   - cellType: The type of the cells.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func rowsSubscriber<Cell: UITableViewCell, Item: Identifiable & Equatable & Sendable>(
            cellIdentifier: String, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            rowsSubscriber(TableViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        /// Returns a subscriber that displays each value of a publisher in the table view, with a row for each item.
        /// Items with the same `id` are the same.
        ///
        /// ```swift
        /// repositories.contentPublisher()
        ///     .bind(subscriber: tableView.rowsSubscriber(cellIdentifier: "repo", cellType: RepositoryCell.self) {
        ///         cell, indexPath, repository in cell.repository = repository
        ///     })
        ///     .store(in: &subscriptions)
        /// ```
        ///
        /// - Parameters:
        ///   - cellIdentifier: The identifier of a prototype in a storyboard, or of a registered cell. If there is
        ///     none, the function registers `cellType`.
        ///   - cellType: The type of the cells.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func rowsSubscriber<Cell: UITableViewCell, Item: Identifiable & Hashable & Sendable>(
            cellIdentifier: String, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            rowsSubscriber(TableViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        /// Returns a subscriber that displays each value of a publisher in the table view, with a row for each item.
        /// Items that are equal are the same.
        ///
        /// ```swift
        /// repositories.contentPublisher()
        ///     .bind(subscriber: tableView.rowsSubscriber(cellIdentifier: "repo", cellType: RepositoryCell.self) {
        ///         cell, indexPath, repository in cell.repository = repository
        ///     })
        ///     .store(in: &subscriptions)
        /// ```
        ///
        /// - Parameters:
        ///   - cellIdentifier: The identifier of a prototype in a storyboard, or of a registered cell. If there is
        ///     none, the function registers `cellType`.
        ///   - cellType: The type of the cells.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func rowsSubscriber<Cell: UITableViewCell, Item: Hashable & Sendable>(
            cellIdentifier: String, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            rowsSubscriber(TableViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        /// Returns a subscriber that displays each value of a publisher in the table view, with a row for each item.
        /// Items that are equal are the same.
        ///
        /// ```swift
        /// repositories.contentPublisher()
        ///     .bind(subscriber: tableView.rowsSubscriber(cellIdentifier: "repo", cellType: RepositoryCell.self) {
        ///         cell, indexPath, repository in cell.repository = repository
        ///     })
        ///     .store(in: &subscriptions)
        /// ```
        ///
        /// - Parameters:
        ///   - cellIdentifier: The identifier of a prototype in a storyboard, or of a registered cell. If there is
        ///     none, the function registers `cellType`.
        ///   - cellType: The type of the cells.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func rowsSubscriber<Cell: UITableViewCell, Item: Equatable & Sendable>(
            cellIdentifier: String, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            rowsSubscriber(TableViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        private func cells<Cell: UITableViewCell, Item>(
            _ identifier: String, _ configure: @escaping @MainActor (Cell, IndexPath, Item) -> Void
        ) -> TableViewItemsController<Item>.CellFactory {
            var isKnown = false
            return { tableView, indexPath, item in
                if !isKnown, tableView.dequeueReusableCell(withIdentifier: identifier) == nil {
                    tableView.register(Cell.self, forCellReuseIdentifier: identifier)
                }
                isKnown = true
                let cell = tableView.dequeueReusableCell(withIdentifier: identifier, for: indexPath)
                guard let expected = cell as? Cell else {
                    assertionFailure("cells of \(identifier) are \(type(of: cell)) and not \(Cell.self)")
                    return cell
                }
                configure(expected, indexPath, item)
                return cell
            }
        }
    }
#endif
