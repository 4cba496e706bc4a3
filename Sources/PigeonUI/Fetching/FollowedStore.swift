#if canImport(SwiftUI)
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonStore
    public import SwiftUI

    /// Follows a store's data for the life of a view.
    @MainActor
    public struct FollowedStore<KEY: Hashable & Sendable, DATA: Sendable>: nonisolated DynamicProperty, ViewSource {
        @StateObject private var follower = PublisherFollower<QueryKey, LoadingState<DATA>>()
        private let store: AnyStoreFlowable<KEY, DATA>

        init(_ store: AnyStoreFlowable<KEY, DATA>) {
            self.store = store
        }

        /// The store's state, as a view shows it. The data is fetched if what is cached is not valid.
        public var viewState: ViewState<DATA> {
            let state = follower.state(of: store.queryKey) { store.publish() }
            return (state ?? .loading(content: nil)).viewState
        }

        /// Fetches, whatever is cached.
        public var retry: RetryAction? {
            let store = store
            return { launchOnMain { await store.refresh() } }
        }

        /// Fetches, whatever is cached, and waits.
        public func refresh() async {
            await store.refresh()
        }
    }
#endif
