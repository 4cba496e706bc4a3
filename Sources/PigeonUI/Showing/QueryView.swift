#if canImport(SwiftUI)
    public import SwiftUI

    /// Shows server data, whatever it is kept in: a query, a consumer, a definition, a resource.
    ///
    /// ```swift
    /// QueryView(.user(42)) { user in
    ///     Text(user.name)
    /// }
    /// ```
    ///
    /// It is followed for the life of the view, and never fetched twice because the view was built again. What is shown when
    /// is told by ``StateView``. Where data is a list of pages, see ``NextPageView`` for those to come.
    public struct QueryView<Source: ViewSource, Content: View, Loading: View, Failure: View, Empty: View>: View {
        private let source: Source
        private let content: (Source.ShownContent) -> Content
        private let loading: () -> Loading
        private let failure: (any Error, RetryAction?) -> Failure
        private let empty: () -> Empty

        init(
            source: Source, content: @escaping (Source.ShownContent) -> Content, loading: @escaping () -> Loading,
            failure: @escaping (any Error, RetryAction?) -> Failure, empty: @escaping () -> Empty
        ) {
            self.source = source
            self.content = content
            self.loading = loading
            self.failure = failure
            self.empty = empty
        }

        /// The part that fits the state.
        public var body: some View {
            StateView(
                source.viewState, retry: source.retry, content: content, loading: loading, failure: failure,
                empty: empty)
        }
    }

    /// Shows a resource of a REST service. The same view as for queries.
    public typealias ResourceView = QueryView
#endif
