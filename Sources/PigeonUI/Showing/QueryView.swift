#if canImport(SwiftUI)
    public import SwiftUI

    /// A view that shows server data of a query, a consumer, a definition, a resource or a store.
    ///
    /// ```swift
    /// QueryView(.user(42)) { user in
    ///     Text(user.name)
    /// }
    /// ```
    ///
    /// The view observes the data for its lifetime, and building the view again never fetches it again. ``StateView``
    /// defines which part is shown in which state. For lists of pages, add a ``NextPageView``, which loads the next
    /// page.
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

        /// The view that fits the state.
        public var body: some View {
            StateView(
                source.viewState, retry: source.retry, content: content, loading: loading, failure: failure,
                empty: empty)
        }
    }

    /// A view that shows a resource of a REST service. Same as ``QueryView``.
    public typealias ResourceView = QueryView
#endif
