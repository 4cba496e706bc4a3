#if canImport(UIKit) && !os(watchOS)
    internal import CombineShim
    public import Pigeon
    internal import PigeonBase
    public import UIKit

    /// Shows the list of a query in a table or a collection. Loads it page by page, and again on pull to refresh.
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
    /// Fetches the next page when the end of the list is near, and nothing else. A page that failed is fetched again
    /// only by ``fetchNextPage()``. Retain the controller while the list is on screen. It retains the query, but not
    /// the view.
    @MainActor
    public final class QueryCollectionController<Item: Sendable> {
        /// The status that the screen shows beside the list.
        public private(set) var status = QueryCollectionStatus.idle

        /// Called with the current status when this property is set, and whenever the status may have changed.
        public var onStatusChange: (QueryCollectionStatus) -> Void = { _ in } {
            didSet { onStatusChange(status) }
        }

        /// The number of items before the end at which the next page is fetched.
        public var prefetchDistance = 5

        private let feed: QueryFeed<Item>
        private let list: QueryList<Item>
        private let shown = ShownItems<[Item]>()
        /// Identifies the list that was shown last. `nil` before the first one.
        private var shownMark: QueryFeed<Item>.Mark?
        private var count = 0
        private var following: AnyCancellable?
        private let scheduler = MainScheduler()
        /// The last item whose cell was requested since the last update, or -1 for none. It may not be on screen yet.
        private var askedFor = -1
        /// The number of refetches whose tasks have not begun yet.
        private var upcomingRefetches = 0
        /// True while a load runs that the user has started by pulling the list down.
        private var isPulled = false
        /// The number of fetches that had ended at the last update.
        private var lastEnds: Int
        /// Announces the end of loads.
        package var announce: Announce = { Announcement.post($0) }

        /// True if the controller announces to users of VoiceOver that a load that they wait for has ended, or has failed. A
        /// refetch behind items that are shown is not announced, unless the user started it. True by default.
        public var announcesLoads = true

        init(_ feed: QueryFeed<Item>, in list: QueryList<Item>) {
            self.feed = feed
            self.list = list
            lastEnds = feed.read().ends
            following = feed.changes.sink { [weak self] _ in self?.schedule() }
            list.onAsk { [weak self] place in self?.asked(for: place) }
            #if !os(tvOS) && !targetEnvironment(macCatalyst)
                makeRefreshControl()
            #endif
            update()
        }

        /// Fetches the list again, with its last request. The list counts as loading when this returns.
        public func refetch() {
            upcomingRefetches += 1
            Task { [feed, weak self] in
                self?.upcomingRefetches -= 1
                await feed.refresh()
                // The query announces no change if there was nothing to fetch.
                self?.update()
            }
            update()
        }

        /// Loads the next page, unless a page is loading or there is none.
        public func fetchNextPage() {
            feed.fetchNextPage()
        }

        // MARK: Showing

        /// Schedules one update for several changes. The query announces a change before it happens, and nothing may
        /// change while the view requests cells.
        private func schedule() {
            scheduler.schedule { [weak self] in self?.update() }
        }

        /// Reads the state of the list. A refetch counts as running before its task begins.
        private func read() -> QueryFeed<Item>.FeedReading {
            var reading = feed.read()
            if upcomingRefetches > 0 { (reading.isFetching, reading.canFetchNextPage) = (true, false) }
            return reading
        }

        private func update() {
            let reading = read()
            show(reading)
            let old = status
            status = QueryCollectionStatus(reading)
            announceEnd(of: reading, after: old)
            #if !os(tvOS)
                if !reading.isFetching { list.view?.refreshControl?.endRefreshing() }
            #endif
            onStatusChange(status)
            approachEnd(reading)
        }

        private func announceEnd(of reading: QueryFeed<Item>.FeedReading, after old: QueryCollectionStatus) {
            guard !reading.isFetching, reading.ends != lastEnds else { return }
            let isAwaited = isPulled || !old.hasList
            (lastEnds, isPulled) = (reading.ends, false)
            // A view below another page, or in another tab, is in no window.
            guard announcesLoads, isAwaited, list.view?.window != nil else { return }
            announce(status.error?.userMessage ?? (status.isEmpty ? UserText.nothingHere : .loaded).text)
        }

        private func show(_ reading: QueryFeed<Item>.FeedReading) {
            guard reading.items != nil || shownMark != nil, shownMark != reading.mark else { return }
            shownMark = reading.mark
            let items = reading.items ?? []
            guard let changes = shown.changes(to: items, by: list.changes) else { return }
            count = items.count
            list.show(changes, items)
        }

        // MARK: Pages

        /// Schedules an update, because nothing may change while the view requests cells.
        private func asked(for place: IndexPath) {
            guard isNearEnd(place.item), read().canFetchNextPage else { return }
            askedFor = max(askedFor, place.item)
            schedule()
        }

        /// Fetches the next page when the end is near. Only ``fetchNextPage()`` fetches a failed page again.
        private func approachEnd(_ reading: QueryFeed<Item>.FeedReading) {
            let last = max(askedFor, list.lastOnScreen()?.item ?? -1)
            askedFor = -1
            guard last >= 0, isNearEnd(last), reading.canFetchNextPage, reading.nextPageError == nil else { return }
            feed.fetchNextPage()
        }

        private func isNearEnd(_ item: Int) -> Bool {
            item >= count - prefetchDistance
        }

        // Not available on tvOS, and not allowed in an app for the Mac.
        #if !os(tvOS) && !targetEnvironment(macCatalyst)
            private func makeRefreshControl() {
                guard let view = list.view else { return }
                let control = view.refreshControl ?? UIRefreshControl()
                let refetch = UIAction(identifier: UIAction.Identifier("pigeon.refetch")) { [weak self] action in
                    if let self { self.pulled() } else { (action.sender as? UIRefreshControl)?.endRefreshing() }
                }
                control.addAction(refetch, for: .valueChanged)
                view.refreshControl = control
            }

            private func pulled() {
                isPulled = true
                refetch()
            }
        #endif
    }

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

    /// The status that a screen shows besides the list of a query. See ``QueryCollectionController``.
    public enum QueryCollectionStatus: Sendable {
        /// The query has made no request yet.
        case idle
        /// The list is being loaded, and there are no items to show.
        case loading
        /// The list is loaded. `error` is the error of its last refresh, or of its next page.
        case content(error: (any Error)?)
        /// The list is loaded, and has no items.
        case empty
        /// The list could not be loaded, and there are no items to show.
        case failed(any Error)

        init<Item>(_ reading: QueryFeed<Item>.FeedReading) {
            let error = reading.error ?? reading.nextPageError
            self =
                switch (reading.items?.isEmpty, error) {
                case (false, let error): .content(error: error)
                case (_, let error?) where !reading.isFetching: .failed(error)
                case (true, _): .empty
                case (nil, _): reading.isFetching ? .loading : .idle
                }
        }

        /// True if the list is loaded and has no items.
        public var isEmpty: Bool {
            if case .empty = self { true } else { false }
        }

        /// True if a list is shown, even an empty one.
        fileprivate var hasList: Bool {
            switch self {
            case .content, .empty: true
            case .idle, .loading, .failed: false
            }
        }

        /// True if the list is being loaded and there are no items to show.
        public var isLoading: Bool {
            if case .loading = self { true } else { false }
        }

        /// The error of loading the list, of its last refresh, or of its next page.
        public var error: (any Error)? {
            switch self {
            case .content(let error): error
            case .failed(let error): error
            case .idle, .loading, .empty: nil
            }
        }
    }
#endif
