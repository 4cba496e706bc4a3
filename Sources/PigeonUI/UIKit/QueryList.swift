#if canImport(UIKit) && !os(watchOS)
    internal import PigeonBase
    internal import UIKit

    /// The table or collection that shows the list of a query. Does not retain it.
    @MainActor
    struct QueryList<Item: Sendable> {
        weak var view: UIScrollView?
        let changes: ([Item], [Item]) -> ListChanges
        let show: (SectionChanges, [Item]) -> Void
        let onAsk: (@escaping (IndexPath) -> Void) -> Void
        let lastOnScreen: () -> IndexPath?

        init(_ tableView: UITableView, _ items: TableViewItemsController<Item>) {
            view = tableView
            changes = items.changes
            show = { [weak tableView] changes, new in
                guard let tableView, items.attach(to: tableView) else { return }
                items.apply(changes, sections: [ListSection(id: 0, items: new)])
            }
            onAsk = { items.onAsk = $0 }
            lastOnScreen = { [weak tableView] in tableView?.indexPathsForVisibleRows?.max() }
        }

        init(_ collectionView: UICollectionView, _ items: CollectionViewItemsController<Item>) {
            view = collectionView
            changes = items.changes
            show = { [weak collectionView] changes, new in
                guard let collectionView, items.attach(to: collectionView) else { return }
                items.apply(changes, sections: [ListSection(id: 0, items: new)])
            }
            onAsk = { items.onAsk = $0 }
            lastOnScreen = { [weak collectionView] in collectionView?.indexPathsForVisibleItems.max() }
        }
    }
#endif
