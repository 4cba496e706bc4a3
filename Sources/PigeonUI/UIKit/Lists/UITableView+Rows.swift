#if canImport(UIKit) && !os(watchOS)
    public import PigeonREST
    public import UIKit

    // One for each way to tell items apart: by identity, by hash, by equality.

    extension UITableView {
        /// What shows in this table view what a publisher sends, a row for each item. Items with the same `id` are the same.
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
        ///   - cellIdentifier: Of a prototype in a storyboard, or of what is registered. When there is none, the type is.
        ///   - cellType: What cells are.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func rowsSubscriber<Cell: UITableViewCell, Item: Identifiable & Equatable & Sendable>(
            cellIdentifier: String, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            rowsSubscriber(TableViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        /// What shows in this table view what a publisher sends, a row for each item. Items with the same `id` are the same.
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
        ///   - cellIdentifier: Of a prototype in a storyboard, or of what is registered. When there is none, the type is.
        ///   - cellType: What cells are.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func rowsSubscriber<Cell: UITableViewCell, Item: Identifiable & Hashable & Sendable>(
            cellIdentifier: String, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            rowsSubscriber(TableViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        /// What shows in this table view what a publisher sends, a row for each item. Items that are equal are the same.
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
        ///   - cellIdentifier: Of a prototype in a storyboard, or of what is registered. When there is none, the type is.
        ///   - cellType: What cells are.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func rowsSubscriber<Cell: UITableViewCell, Item: Hashable & Sendable>(
            cellIdentifier: String, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            rowsSubscriber(TableViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        /// What shows in this table view what a publisher sends, a row for each item. Items that are equal are the same.
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
        ///   - cellIdentifier: Of a prototype in a storyboard, or of what is registered. When there is none, the type is.
        ///   - cellType: What cells are.
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
