#if canImport(UIKit) && !os(watchOS)
    internal import CombineShim
    internal import PigeonREST
    internal import UIKit

    /// Shows the list of a query in a table or collection view, page by page. Refetches the list when the user pulls it
    /// down.
    ///
    /// ```swift
    /// let cells = TableViewItemsController<Post>(cellFactory: makeCell)
    /// let controller = QueryCollectionController(tableView: tableView, items: cells, query: posts)
    /// controller.onStatusChange = { status in
    ///     emptyLabel.isHidden = !status.isEmpty
    ///     errorBanner.text = status.error?.localizedDescription
    /// }
    /// ```
    ///
    /// The controller fetches only the next page, when the user scrolls near the end of the list. A page that failed is
    /// retried only by ``fetchNextPage()``. Retain the controller for as long as the list is on screen. It retains the
    /// query, but not the view.
    @MainActor
    public final class QueryCollectionController<Item: Sendable> {
        /// The status to show besides the list.
        public private(set) var status = QueryCollectionStatus.idle

        /// Called with the current status when the closure is set, and whenever the status may have changed.
        public var onStatusChange: (QueryCollectionStatus) -> Void = { _ in } {
            didSet { onStatusChange(status) }
        }

        /// The number of items from the end at which the next page is requested.
        public var prefetchDistance = 5

        private let feed: QueryFeed<Item>
        private let list: QueryList<Item>
        private let shown = Shown<[Item]>()
        private var hasShown = false
        private var shownMark: QueryFeed<Item>.Mark?
        private var count = 0
        private var following: AnyCancellable?
        /// True if an update for the newest state, or for the end of the list, is scheduled.
        private var isScheduled = false
        /// The last item whose cell was requested since the last update, or -1. It may not be on screen yet.
        private var askedFor = -1

        init(_ feed: QueryFeed<Item>, in list: QueryList<Item>) {
            self.feed = feed
            self.list = list
            following = feed.changes.sink { [weak self] _ in self?.schedule() }
            list.onAsk { [weak self] place in self?.asked(for: place) }
            #if !os(tvOS) && !targetEnvironment(macCatalyst)
                makeRefreshControl()
            #endif
            update()
        }

        /// Refetches the list with its last request.
        public func refetch() {
            feed.refetch()
            update()
        }

        /// Loads the next page, unless one is being loaded or there is none.
        public func fetchNextPage() {
            feed.fetchNextPage()
        }

        // MARK: Showing

        /// Schedules an update. A query notifies before it changes, so the new state is read afterwards, once for
        /// several changes. The view also must not be changed while it requests cells.
        private func schedule() {
            guard !isScheduled else { return }
            isScheduled = true
            Task { [weak self] in
                self?.isScheduled = false
                self?.update()
            }
        }

        private func update() {
            let reading = feed.read()
            show(reading)
            status = QueryCollectionStatus(reading)
            #if !os(tvOS)
                if !reading.isFetching { list.view?.refreshControl?.endRefreshing() }
            #endif
            onStatusChange(status)
            approachEnd(reading)
        }

        private func show(_ reading: QueryFeed<Item>.Reading) {
            guard reading.items != nil || hasShown, shownMark != reading.mark || !hasShown else { return }
            let items = reading.items ?? []
            guard let changes = shown.changes(to: items, by: list.changes) else { return shownMark = reading.mark }
            (hasShown, shownMark, count) = (true, reading.mark, items.count)
            list.show(changes, items)
        }

        // MARK: Pages

        /// Schedules a check for the next page, because the view must not be changed while it requests cells.
        private func asked(for place: IndexPath) {
            guard isNearEnd(place.item), feed.read().canFetchNextPage else { return }
            askedFor = max(askedFor, place.item)
            schedule()
        }

        /// Requests the next page if the end is near. A page that failed is retried only by ``fetchNextPage()``.
        private func approachEnd(_ reading: QueryFeed<Item>.Reading) {
            let last = max(askedFor, list.lastOnScreen()?.item ?? -1)
            askedFor = -1
            guard last >= 0, isNearEnd(last), reading.canFetchNextPage, reading.nextPageError == nil else { return }
            feed.fetchNextPage()
        }

        private func isNearEnd(_ item: Int) -> Bool {
            item >= count - prefetchDistance
        }

        // tvOS has no refresh control, and Mac Catalyst apps must not create one.
        #if !os(tvOS) && !targetEnvironment(macCatalyst)
            private func makeRefreshControl() {
                guard let view = list.view else { return }
                let control = view.refreshControl ?? UIRefreshControl()
                let refetch = UIAction(identifier: UIAction.Identifier("pigeon.refetch")) { [weak self] action in
                    if let self { self.refetch() } else { (action.sender as? UIRefreshControl)?.endRefreshing() }
                }
                control.addAction(refetch, for: .valueChanged)
                view.refreshControl = control
            }
        #endif
    }
#endif
