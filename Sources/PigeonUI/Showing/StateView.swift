#if canImport(SwiftUI)
    public import SwiftUI

    /// Shows a state of server data, of any face: the content when there is some, else that it is loaded, that there is
    /// nothing, or why it failed, with a way to retry.
    ///
    /// ```swift
    /// StateView(snapshot, retry: { users.refetch(request: ()) }) { users in
    ///     List(users) { Text($0.name) }
    /// }
    /// ```
    ///
    /// Content stays in sight while it is loaded again, and after that failed: then a line below it says so
    /// (see `View.refreshFailures(_:)`). Make the content one view, such as a list: of several rows each would have that
    /// line. Each part but the content has a stock view; give a closure for one of your own.
    public struct StateView<Shown, Content: View, Loading: View, Failure: View, Empty: View>: View {
        private let state: ViewState<Shown>
        private let retry: RetryAction?
        private let content: (Shown) -> Content
        private let loading: () -> Loading
        private let failure: (any Error, RetryAction?) -> Failure
        private let empty: () -> Empty

        /// Shows a state.
        ///
        /// - Parameters:
        ///   - state: A `Snapshot`, `QueryState`, `LoadingState`, `ResourceState`, or a ``ViewState``.
        ///   - retry: Asks again. Without it, failures cannot be retried.
        ///   - content: Shown of content.
        ///   - loading: Shown before there is anything to show.
        ///   - failure: Shown of an error when there is nothing else to show.
        ///   - empty: Shown of a collection without elements, and of a store that was emptied.
        public init(
            _ state: some ViewStateConvertible<Shown>, retry: RetryAction? = nil,
            @ViewBuilder content: @escaping (Shown) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { ProgressView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) {
            self.state = state.viewState
            self.retry = retry
            self.content = content
            self.loading = loading
            self.failure = failure
            self.empty = empty
        }

        /// The part that fits the state.
        public var body: some View {
            switch state.phase {
            case .content(let shown): content(shown).modifier(RefreshFailure(error: state.error, retry: retry))
            case .empty: empty().modifier(RefreshFailure(error: state.error, retry: retry))
            case .failure(let error): failure(error, retry)
            case .loading where state.isWaiting: WaitingView()
            case .loading: loading()
            }
        }
    }
#endif
