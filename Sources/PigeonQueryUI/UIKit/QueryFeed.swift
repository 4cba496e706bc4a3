#if canImport(UIKit) && !os(watchOS)
    internal import CombineShim
    internal import Pigeon
    internal import PigeonBase
    internal import PigeonCore
    internal import UIKit

    /// A type-erased query of a list.
    @MainActor
    struct QueryFeed<Item: Sendable> {
        /// Distinguishes lists without comparing their items.
        struct Mark: Equatable {
            var key: QueryKey
            var version: UInt64
            /// Tells a placeholder from the failure that takes its place.
            var isPlaceholder: Bool
        }

        struct FeedReading {
            var mark: Mark
            var items: [Item]?
            /// True if a fetch runs, or waits for the network or the foreground.
            var isFetching: Bool
            /// The number of fetches that have ended.
            var ends: Int
            var error: (any Error)?
            var nextPageError: (any Error)?
            var canFetchNextPage = false
        }

        let read: () -> FeedReading
        /// Refetches, and waits until the fetch has succeeded or failed. Does not wait for the network.
        let refresh: @MainActor () async -> Void
        let fetchNextPage: () -> Void
        let changes: ObservableObjectPublisher

        init<Request, Response: Sequence>(_ query: Query<Request, Response>) where Response.Element == Item {
            read = {
                let snapshot = query.snapshot
                return FeedReading(snapshot, items: query.value.map(Array.init))
            }
            refresh = { await query.refresh() }
            fetchNextPage = {}
            changes = query.objectWillChange
        }

        init<Request, PageID, Response>(_ query: PaginatedQuery<Request, PageID, Response>)
        where Response.Element == Item {
            read = {
                let snapshot = query.snapshot
                var reading = FeedReading(snapshot, items: snapshot.value == nil ? nil : query.items)
                reading.nextPageError = query.nextPageError
                reading.canFetchNextPage =
                    snapshot.value != nil && query.hasNextPage && !query.isFetchingNextPage && !reading.isFetching
                return reading
            }
            refresh = { await query.refresh() }
            fetchNextPage = { query.fetchNextPage() }
            changes = query.objectWillChange
        }
    }

    extension QueryFeed.FeedReading {
        fileprivate init<Value>(_ snapshot: Snapshot<Value>, items: [Item]?) {
            self.init(
                mark: QueryFeed.Mark(
                    key: snapshot.key, version: snapshot.valueVersion, isPlaceholder: snapshot.isPlaceholder),
                items: items, isFetching: snapshot.activity != .idle,
                ends: Int(snapshot.entryState.answerCount) + snapshot.failureCount, error: snapshot.error)
        }
    }

    /// The table or collection that shows the list of a query. Does not retain it.
    @MainActor
    struct QueryList<Item: Sendable> {
        weak var view: UIScrollView?
        let changes: ([Item], [Item]) -> ListChanges
        let show: (ListChanges, [Item]) -> Void
        let onAsk: (@escaping (IndexPath) -> Void) -> Void
        let lastOnScreen: () -> IndexPath?

        init<Controller: ItemsController<Item>>(_ listView: Controller.ListView, _ items: Controller) {
            view = listView
            changes = items.changes
            show = { [weak listView] changes, new in
                guard let listView, items.attach(to: listView) else { return }
                items.apply(changes, items: new)
            }
            onAsk = { items.onAsk = $0 }
            lastOnScreen = { [weak listView] in listView.flatMap { items.lastOnScreen(in: $0) } }
        }
    }
#endif
