#if canImport(UIKit) && !os(watchOS)
    public import Pigeon
    public import UIKit

    extension QueryCollectionController {
        /// Shows a list in a table view, page by page.
        ///
        /// - Parameters:
        ///   - tableView: The table view. The controller adds a refresh control, unless it has one.
        ///   - items: Makes the cells.
        ///   - query: The query whose list is shown.
        public convenience init<Request, PageID, Response>(
            tableView: UITableView, items: TableViewItemsController<Item>,
            query: PaginatedQuery<Request, PageID, Response>
        ) where Response.Element == Item {
            self.init(QueryFeed(query), in: QueryList(tableView, items))
        }

        /// Shows a list in a table view. The parameters are the same as those of the other initializer.
        public convenience init<Request, Response: Sequence>(
            tableView: UITableView, items: TableViewItemsController<Item>, query: Query<Request, Response>
        ) where Response.Element == Item {
            self.init(QueryFeed(query), in: QueryList(tableView, items))
        }

        /// Shows a list in a collection view, page by page.
        ///
        /// - Parameters:
        ///   - collectionView: The collection view. The controller adds a refresh control, unless it has one.
        ///   - items: Makes the cells.
        ///   - query: The query whose list is shown.
        public convenience init<Request, PageID, Response>(
            collectionView: UICollectionView, items: CollectionViewItemsController<Item>,
            query: PaginatedQuery<Request, PageID, Response>
        ) where Response.Element == Item {
            self.init(QueryFeed(query), in: QueryList(collectionView, items))
        }

        /// Shows a list in a collection view. The parameters are the same as those of the other initializer.
        public convenience init<Request, Response: Sequence>(
            collectionView: UICollectionView, items: CollectionViewItemsController<Item>,
            query: Query<Request, Response>
        ) where Response.Element == Item {
            self.init(QueryFeed(query), in: QueryList(collectionView, items))
        }
    }
#endif
