#if canImport(SwiftUI)
    public import PigeonCore
    public import SwiftUI

    /// A view that shows server data of a query, a consumer or a definition. `PigeonUI` adds resources and stores.
    ///
    /// ```swift
    /// QueryView(.user(42)) { user in
    ///     Text(user.name)
    /// }
    /// ```
    ///
    /// The view observes the data for its lifetime, and building the view again never fetches it again. ``StateView``
    /// defines which part is shown in which state. A definition that polls pauses while the view is not on screen, as with
    /// `View.pollsWhileVisible(_:)`. For lists of pages, add a ``NextPageView``, which loads the next page.
    public struct QueryView<
        Source: ViewSource, Content: View, Loading: View, Failure: View, Empty: View, Idle: View
    >: View {
        private let source: Source
        private let show: (Source) -> StateView<Source.ShownContent, Content, Loading, Failure, Empty, Idle>

        /// Shows a source, such as a property of the view: `QueryView($user) { user in … }`.
        ///
        /// - Parameters:
        ///   - source: The source.
        ///   - content: The view of the content.
        ///   - loading: The view during a load without content.
        ///   - failure: The view of an error without content.
        ///   - empty: The view of a collection without elements.
        ///   - idle: The view while nothing is requested.
        public init(
            _ source: Source,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { LoadingView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() },
            @ViewBuilder idle: @escaping () -> Idle = { IdleView() }
        ) {
            self.source = source
            show = { source in
                StateView(
                    source.viewState, retry: source.retry, content: content, loading: loading, failure: failure,
                    empty: empty, idle: idle)
            }
        }

        /// The view that fits the state.
        public var body: some View {
            show(source).pollsWhileVisible(source)
        }
    }

    extension QueryView {
        /// Shows a query, a consumer, or the items of a paginated query. The view neither retains nor starts the query.
        ///
        /// - Parameters:
        ///   - query: The query. Store it in a `@StateObject` or a model, because a query that is created in the body
        ///     is created at every update.
        ///   - content: The view of the content.
        ///   - loading: The view during a load without content.
        ///   - failure: The view of an error without content.
        ///   - empty: The view of a collection without elements.
        ///   - idle: The view while nothing is requested.
        public init<Query: ShownQuery>(
            _ query: Query,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { LoadingView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() },
            @ViewBuilder idle: @escaping () -> Idle = { IdleView() }
        ) where Source == ObservedQuery<Query> {
            self.init(
                ObservedQuery(query), content: content, loading: loading, failure: failure, empty: empty, idle: idle)
        }

        /// Fetches and shows a query with the client of the environment.
        ///
        /// - Parameters:
        ///   - definition: The definition of the query.
        ///   - content: The view of the content.
        ///   - loading: The view during a load without content.
        ///   - failure: The view of an error without content.
        ///   - empty: The view of a collection without elements.
        ///   - idle: The view while nothing is requested.
        public init<Value>(
            _ definition: QueryDefinition<Value>,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { LoadingView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() },
            @ViewBuilder idle: @escaping () -> Idle = { IdleView() }
        ) where Source == UseQuery<Value> {
            self.init(
                UseQuery(definition), content: content, loading: loading, failure: failure, empty: empty, idle: idle)
        }
    }
#endif
