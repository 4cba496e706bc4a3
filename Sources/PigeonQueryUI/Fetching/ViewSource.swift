#if canImport(SwiftUI)
    public import Pigeon
    internal import PigeonBase
    internal import PigeonCore
    public import SwiftUI

    /// A source of data for a ``QueryView``, which observes it for its lifetime and can load it again.
    ///
    /// The initializers of ``QueryView`` create the sources, so there is no need to name their types.
    @MainActor
    public protocol ViewSource<ShownContent>: DynamicProperty {
        /// The type of the content.
        associatedtype ShownContent

        /// The current state. Reading it makes the view observe the source.
        var viewState: ViewState<ShownContent> { get }

        /// Loads the data again. `nil` if that is not possible.
        var retry: RetryAction? { get }
    }

    /// A source that polls only while a view that shows it is on screen.
    @MainActor
    protocol PollingSource {
        /// Called when a view that shows the source appears on screen.
        func appeared()

        /// Called when a view that shows the source is no longer on screen, such as in a tab that is not selected. It may
        /// appear again.
        func disappeared()
    }

    extension View {
        /// Pauses the polls of a property while this view is not on screen: in a tab that is not selected, below another
        /// page of a navigation stack, or in a row that was scrolled away.
        ///
        /// ```swift
        /// struct ScoreView: View {
        ///     @UseQuery(.score.poll(every: .seconds(10))) var score: Snapshot<Int>
        ///
        ///     var body: some View {
        ///         Text("\(score.value ?? 0)").pollsWhileVisible($score)
        ///     }
        /// }
        /// ```
        ///
        /// The view keeps observing, so it shows what others fetch. When it appears again, a poll that has become due in the
        /// meantime starts at once. A ``QueryView`` does the same for its definition. For other properties, SwiftUI offers no
        /// way to learn whether their view is on screen, so they poll for as long as the view exists.
        ///
        /// - Parameter fetched: A property of this view: `$score`.
        public func pollsWhileVisible(_ fetched: some ViewSource) -> some View {
            let source = fetched as? any PollingSource
            return onAppear { source?.appeared() }.onDisappear { source?.disappeared() }
        }
    }

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
        /// The state of the snapshot. Never idle, because a consumer waits for the queries that fetch.
        public var viewState: ViewState<Response> {
            var state = snapshot.viewState
            state.isIdle = false
            return state
        }
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
    }
#endif
