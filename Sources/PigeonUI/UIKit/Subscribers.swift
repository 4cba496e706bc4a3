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

        /// Returns a subscriber that displays each value of a publisher in the table view, with a row for each item.
        /// Items with the same `id` are the same. Without an `id`, equal items are the same.
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
                if let cell = cell.expected(as: Cell.self, for: identifier) { configure(cell, indexPath, item) }
                return cell
            }
        }
    }

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
            controller.itemsSubscriber(in: self)
        }

        /// Returns a subscriber that shows the sections of a publisher in this collection view, through a controller.
        ///
        /// ```swift
        /// albums.bind(subscriber: collectionView.sectionsSubscriber(items)).store(in: &subscriptions)
        /// ```
        ///
        /// If the layout shows headers and footers, the controller's
        /// ``/PigeonQueryUI/CollectionViewItemsController/supplementaryViewFactory`` makes them.
        ///
        /// See ``UIKit/UICollectionView/itemsSubscriber(_:)``.
        public func sectionsSubscriber<ID, Item>(
            _ controller: CollectionViewItemsController<Item>
        ) -> ListSubscriber<[ListSection<ID, Item>]> {
            controller.sectionsSubscriber(in: self)
        }

        /// Returns a subscriber that displays each value of a publisher in the collection view, with a cell for each
        /// item. Items with the same `id` are the same. Without an `id`, equal items are the same.
        ///
        /// ```swift
        /// photos.contentPublisher()
        ///     .bind(subscriber: collectionView.itemsSubscriber(cellType: PhotoCell.self) { cell, indexPath, photo in
        ///         cell.photo = photo
        ///     })
        ///     .store(in: &subscriptions)
        /// ```
        ///
        /// - Parameters:
        ///   - cellIdentifier: The identifier of a prototype in a storyboard, or of a registered cell. With `nil`, no
        ///     registration is necessary.
        ///   - cellType: The type of the cells.
        ///   - cellConfig: Shows an item in a cell. Called again when the item has new content.
        public func itemsSubscriber<Cell: UICollectionViewCell, Item: Equatable & Sendable>(
            cellIdentifier: String? = nil, cellType: Cell.Type,
            cellConfig: @escaping @MainActor (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        ) -> ListSubscriber<[Item]> {
            itemsSubscriber(CollectionViewItemsController(cellFactory: cells(cellIdentifier, cellConfig)))
        }

        private func cells<Cell: UICollectionViewCell, Item>(
            _ identifier: String?, _ configure: @escaping @MainActor (Cell, IndexPath, Item) -> Void
        ) -> CollectionViewItemsController<Item>.CellFactory {
            guard let identifier else {
                let registration = CellRegistration<Cell, Item> { cell, indexPath, item in
                    configure(cell, indexPath, item)
                }
                return { $0.dequeueConfiguredReusableCell(using: registration, for: $1, item: $2) }
            }
            return { collectionView, indexPath, item in
                let cell = collectionView.dequeueReusableCell(withReuseIdentifier: identifier, for: indexPath)
                if let cell = cell.expected(as: Cell.self, for: identifier) { configure(cell, indexPath, item) }
                return cell
            }
        }
    }

    extension UIView {
        /// Returns the cell as the type that the program named. `nil` if the storyboard gives its identifier another type,
        /// which stops a debug build.
        fileprivate func expected<Cell: UIView>(as type: Cell.Type, for identifier: String) -> Cell? {
            if let cell = self as? Cell { return cell }
            assertionFailure("cells of \(identifier) are \(Swift.type(of: self)) and not \(type)")
            return nil
        }
    }

    extension ItemsController {
        /// Returns a subscriber that shows items in a view. Does not retain the view.
        func itemsSubscriber(in listView: ListView) -> ListSubscriber<[Item]> {
            let shown = ShownItems<[Item]>()
            return ListSubscriber { [weak listView] items in
                guard let listView, self.attach(to: listView) else { return false }
                if let changes = shown.changes(to: items, by: self.changes) { self.apply(changes, items: items) }
                return true
            }
        }

        /// Returns a subscriber that shows sections in a view. Does not retain the view.
        func sectionsSubscriber<ID>(in listView: ListView) -> ListSubscriber<[ListSection<ID, Item>]> {
            let shown = ShownItems<[ListSection<ID, Item>]>()
            return ListSubscriber { [weak listView] sections in
                guard let listView, self.attach(to: listView) else { return false }
                if let changes = shown.changes(to: sections, by: self.changes) {
                    self.apply(changes, sections: sections)
                }
                return true
            }
        }
    }
#endif
