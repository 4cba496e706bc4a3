#if canImport(SwiftUI)
    public import Pigeon
    internal import PigeonBase
    internal import PigeonCore
    public import SwiftUI

    /// A query, a consumer or a paginated query that a view can show.
    @MainActor
    public protocol ShownQuery<ShownContent>: ObservableObject {
        /// The type of the content.
        associatedtype ShownContent

        /// The current state, with the last value during a refetch.
        var viewState: ViewState<ShownContent> { get }

        /// Refetches, and waits until the fetch has succeeded or failed.
        func refresh() async
    }

    extension Query: ShownQuery {
        /// The state of the snapshot.
        public var viewState: ViewState<Response> { snapshot.viewState }
    }

    extension Query.Consumer: ShownQuery {
        /// The state of the snapshot.
        public var viewState: ViewState<Response> { snapshot.viewState }
    }

    extension PaginatedQuery: ShownQuery {
        /// The state with the items of all pages as its content.
        public var viewState: ViewState<[Response.Element]> {
            let state = snapshot.viewState
            return state.map { _ in items }
        }
    }

    /// Observes a query object for a view.
    @MainActor
    public struct ObservedQuery<Query: ShownQuery>: nonisolated DynamicProperty, ViewSource {
        @ObservedObject private var query: Query

        init(_ query: Query) {
            self.query = query
        }

        /// The query's state.
        public var viewState: ViewState<Query.ShownContent> { query.viewState }

        /// Refetches with the last request.
        public var retry: RetryAction? {
            let query = query
            return { launchOnMain { await query.refresh() } }
        }

        /// Refetches with the last request, and waits for the fetch.
        public func refresh() async {
            await query.refresh()
        }
    }
#endif
