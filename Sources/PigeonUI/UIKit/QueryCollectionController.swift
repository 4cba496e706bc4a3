#if canImport(UIKit) && !os(watchOS)
    internal import CombineShim
    internal import PigeonBase
    internal import UIKit

    /// Shows in a table or a collection the list that a query brings: page by page, and anew when it is pulled down.
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
    /// Does not fetch by itself, but for the next page when the end of the list comes near; a page that failed waits for
    /// ``fetchNextPage()``. Keep it as long as the list is on screen. It keeps the query, and not the view.
    @MainActor
    public final class QueryCollectionController<Item: Sendable> {
        /// What the screen is to say beside the list.
        public private(set) var status = QueryCollectionStatus.idle

        /// Called with the present status when it is set, and whenever that may have changed.
        public var onStatusChange: (QueryCollectionStatus) -> Void = { _ in } {
            didSet { onStatusChange(status) }
        }

        /// How many items from the end the next page is asked for.
        public var prefetchDistance = 5

        private let feed: QueryFeed<Item>
        private let list: QueryList<Item>
        private let shown = ShownItems<[Item]>()
        private var hasShown = false
        private var shownMark: QueryFeed<Item>.Mark?
        private var count = 0
        private var following: AnyCancellable?
        /// Whether the newest state, or the end of the list, is about to be looked at.
        private var isScheduled = false
        /// The last item whose cell was asked for since then; -1 for none. It may not be on screen yet.
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

        /// Fetches the list again, with the request it was fetched with.
        public func refetch() {
            feed.refetch()
            update()
        }

        /// Loads the next page, unless one is being loaded or there is none.
        public func fetchNextPage() {
            feed.fetchNextPage()
        }

        // MARK: Showing

        /// A query says that it is about to change: what it is then is looked at soon, once for several changes. Nor is
        /// anything changed while the view asks for cells.
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
            list.show(SectionChanges(ofOnlySection: changes), items)
        }

        // MARK: Pages

        /// Looked at later: not while the view asks for cells.
        private func asked(for place: IndexPath) {
            guard isNearEnd(place.item), feed.read().canFetchNextPage else { return }
            askedFor = max(askedFor, place.item)
            schedule()
        }

        /// Asks for the next page when the end is near. One that failed is asked for again by ``fetchNextPage()`` alone.
        private func approachEnd(_ reading: QueryFeed<Item>.Reading) {
            let last = max(askedFor, list.lastOnScreen()?.item ?? -1)
            askedFor = -1
            guard last >= 0, isNearEnd(last), reading.canFetchNextPage, reading.nextPageError == nil else { return }
            feed.fetchNextPage()
        }

        private func isNearEnd(_ item: Int) -> Bool {
            item >= count - prefetchDistance
        }

        // There is none on a television, and none may be made in an app for the Mac.
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
