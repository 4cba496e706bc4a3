#if canImport(UIKit) && !os(watchOS)
    internal import CombineShim
    internal import PigeonBase
    internal import Pigeon
    internal import PigeonCore

    /// A type-erased query of a list.
    @MainActor
    struct QueryFeed<Item: Sendable> {
        /// Distinguishes lists without comparing their items.
        struct Mark: Equatable {
            var key: QueryKey
            var version: UInt64
        }

        struct Reading {
            var mark: Mark
            var items: [Item]?
            var isFetching: Bool
            var error: (any Error)?
            var nextPageError: (any Error)?
            var canFetchNextPage = false
        }

        let read: () -> Reading
        let refetch: () -> Void
        let fetchNextPage: () -> Void
        let changes: ObservableObjectPublisher

        init<Request, Response: Sequence>(_ query: Query<Request, Response>) where Response.Element == Item {
            read = {
                let snapshot = query.snapshot
                return Reading(snapshot, items: query.value.map(Array.init))
            }
            refetch = { launchOnMain { await query.refresh() } }
            fetchNextPage = {}
            changes = query.objectWillChange
        }

        init<Request, PageID, Response>(_ query: PaginatedQuery<Request, PageID, Response>)
        where Response.Element == Item {
            read = {
                let snapshot = query.snapshot
                var reading = Reading(snapshot, items: snapshot.value == nil ? nil : query.items)
                reading.nextPageError = query.nextPageError
                reading.canFetchNextPage =
                    snapshot.value != nil && query.hasNextPage && !query.isFetchingNextPage && !snapshot.isFetching
                return reading
            }
            refetch = { launchOnMain { await query.refresh() } }
            fetchNextPage = { query.fetchNextPage() }
            changes = query.objectWillChange
        }
    }

    extension QueryFeed.Reading {
        fileprivate init<Value>(_ snapshot: Snapshot<Value>, items: [Item]?) {
            self.init(
                mark: QueryFeed.Mark(key: snapshot.key, version: snapshot.valueVersion), items: items,
                isFetching: snapshot.isFetching, error: snapshot.error)
        }
    }
#endif
