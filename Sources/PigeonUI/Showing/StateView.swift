#if canImport(SwiftUI)
    public import SwiftUI

    /// A view that shows a state of server data from any module. It shows the content if there is any. Otherwise it
    /// shows a loading view, an empty view, or the error with a way to retry.
    ///
    /// ```swift
    /// StateView(snapshot, retry: { users.refetch(request: ()) }) { users in
    ///     List(users) { Text($0.name) }
    /// }
    /// ```
    ///
    /// Content stays visible during a refetch and after a failed refetch. A message below the content then reports the
    /// failure (see `View.refreshFailures(_:)`). Make the content a single view, such as a list: if it consists of
    /// several rows, each row would have that message. All parts except the content have default views, which you can
    /// replace with closures.
    public struct StateView<Shown, Content: View, Loading: View, Failure: View, Empty: View>: View {
        private let state: ViewState<Shown>
        private let retry: RetryAction?
        private let content: (Shown) -> Content
        private let loading: () -> Loading
        private let failure: (any Error, RetryAction?) -> Failure
        private let empty: () -> Empty

        /// Creates a view that shows a state.
        ///
        /// - Parameters:
        ///   - state: A `Snapshot`, `QueryState`, `LoadingState`, `ResourceState`, or a ``ViewState``.
        ///   - retry: Loads the data again. Without it, failures cannot be retried.
        ///   - content: The view of the content.
        ///   - loading: The view during a load without content.
        ///   - failure: The view of an error without content.
        ///   - empty: The view of a collection without elements, and of a store that was emptied.
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

        /// The view that fits the state.
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
