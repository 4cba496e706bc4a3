#if canImport(SwiftUI)
    public import Pigeon
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonREST
    internal import PigeonStore
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

        /// Loads the data again, and waits until the fetch has succeeded or failed.
        func refresh() async

        /// Called when a view that shows the source appears on screen. The default does nothing.
        func appeared()

        /// Called when a view that shows the source is no longer on screen, such as in a tab that is not selected. It may
        /// appear again. The default does nothing.
        func disappeared()
    }

    extension ViewSource {
        /// The default does nothing.
        public func appeared() {}

        /// The default does nothing.
        public func disappeared() {}
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
            onAppear { fetched.appeared() }.onDisappear { fetched.disappeared() }
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

        /// Refetches with the last request, and waits for the fetch.
        public func refresh() async {
            await query.refresh()
        }
    }

    /// Observes a resource for the lifetime of a view.
    @MainActor
    public struct FollowedResource<T: Sendable>: nonisolated DynamicProperty, ViewSource {
        @StateObject private var follower = PublisherFollower<TypedResource<T>, ResourceState<T>>()
        private let resource: TypedResource<T>

        init(_ resource: TypedResource<T>) {
            self.resource = resource
        }

        /// The state of the resource. Reading it loads the resource if it is not up to date.
        public var viewState: ViewState<T> {
            let state = follower.state(of: resource) { resource.statePublisher(deliveredOn: .immediate) }
            return (state ?? resource.state).viewState
        }

        /// Loads the resource again.
        public var retry: RetryAction? {
            let resource = resource
            return { resource.load() }
        }

        /// Loads the resource again, and waits for the load.
        public func refresh() async {
            _ = try? await resource.loaded()
        }
    }

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
