#if canImport(SwiftUI)
    public import Pigeon
    internal import PigeonBase
    internal import PigeonCore
    public import SwiftUI

    /// A query, a consumer or a paginated query, as a view shows it.
    @MainActor
    public protocol ShownQuery<ShownContent>: ObservableObject {
        /// What there is to show when there is something.
        associatedtype ShownContent

        /// The present state, with the last value while it is loaded again.
        var viewState: ViewState<ShownContent> { get }

        /// Fetches again, and waits until that has ended, well or not.
        func refresh() async
    }

    extension Query: ShownQuery {
        /// The snapshot, as a view shows it.
        public var viewState: ViewState<Response> { snapshot.viewState }
    }

    extension Query.Consumer: ShownQuery {
        /// The snapshot, as a view shows it.
        public var viewState: ViewState<Response> { snapshot.viewState }
    }

    extension PaginatedQuery: ShownQuery {
        /// The items of all pages.
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

        /// Fetches again with the last request.
        public var retry: RetryAction? {
            let query = query
            return { launchOnMain { await query.refresh() } }
        }

        /// Fetches again with the last request, and waits.
        public func refresh() async {
            await query.refresh()
        }
    }
#endif
