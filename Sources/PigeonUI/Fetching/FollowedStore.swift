#if canImport(SwiftUI)
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonStore
    public import SwiftUI

    /// Observes the data of a store for the lifetime of a view.
    @MainActor
    public struct FollowedStore<KEY: Hashable & Sendable, DATA: Sendable>: nonisolated DynamicProperty, ViewSource {
        @StateObject private var follower = PublisherFollower<QueryKey, LoadingState<DATA>>()
        private let store: AnyStoreFlowable<KEY, DATA>

        init(_ store: AnyStoreFlowable<KEY, DATA>) {
            self.store = store
        }

        /// The state of the store. Reading it fetches the data if the cached data is not valid.
        public var viewState: ViewState<DATA> {
            let state = follower.state(of: store.queryKey) { store.publish() }
            return (state ?? .loading(content: nil)).viewState
        }

        /// Fetches the data, whatever is cached.
        public var retry: RetryAction? {
            let store = store
            return { launchOnMain { await store.refresh() } }
        }

        /// Fetches the data, whatever is cached, and waits for the fetch.
        public func refresh() async {
            await store.refresh()
        }
    }
#endif
