#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonBase
    internal import PigeonCore
    public import PigeonQueryUI
    public import PigeonStore
    public import SwiftUI

    extension QueryView {
        /// Shows the data of a store, and fetches it if the cached data is not valid.
        ///
        /// - Parameters:
        ///   - store: The store. If a later one has another key or another client, the view observes that one instead.
        ///   - content: The view of the content.
        ///   - loading: The view during a load without content.
        ///   - failure: The view of an error without content.
        ///   - empty: The view of a collection without elements.
        public init<KEY, DATA>(
            _ store: AnyStoreFlowable<KEY, DATA>,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { LoadingView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) where Source == FollowedStore<KEY, DATA>, Idle == IdleView {
            self.init(
                FollowedStore(store), content: content, loading: loading, failure: failure, empty: empty,
                idle: { IdleView() })
        }
    }

    /// Observes the data of a store for the lifetime of a view.
    @MainActor
    public struct FollowedStore<KEY: Hashable & Sendable, DATA: Sendable>: nonisolated DynamicProperty, ViewSource {
        @StateObject private var follower = ViewFollower<NewestState<StoreEntry, LoadingState<DATA>>?>(nil)
        private let store: AnyStoreFlowable<KEY, DATA>

        init(_ store: AnyStoreFlowable<KEY, DATA>) {
            self.store = store
        }

        /// The state of the store. Reading it fetches the data if the cached data is not valid.
        public var viewState: ViewState<DATA> {
            let entry = StoreEntry(client: store.client, key: store.queryKey)
            let state = follower.state(of: entry) { store.publish() }
            return (state ?? .loading(content: nil)).viewState
        }

        /// Fetches the data, whatever is cached.
        public var retry: RetryAction? {
            let store = store
            return { launchOnMain { await store.refresh() } }
        }
    }

    /// Identifies the data of a store. Each client has an entry of its own for a key.
    private struct StoreEntry: Equatable, Sendable {
        let client: QueryClient
        let key: QueryKey

        static func == (one: StoreEntry, other: StoreEntry) -> Bool {
            one.client === other.client && one.key == other.key
        }
    }

    extension LoadingState: ViewStateConvertible {
        /// The loaded or cached data. A state whose `hasNoData` is true counts as empty, and not as a failure.
        public var viewState: ViewState<T> {
            guard !hasNoData else { return .empty }
            return ViewState(content: content, isLoading: isLoading, error: error)
        }
    }
#endif
