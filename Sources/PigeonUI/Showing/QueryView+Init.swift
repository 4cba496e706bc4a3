#if canImport(SwiftUI)
    public import PigeonCore
    public import PigeonREST
    public import PigeonStore
    public import SwiftUI

    extension QueryView {
        /// Shows a query, a consumer, or the items of a paginated query, which somebody else keeps and starts.
        ///
        /// - Parameters:
        ///   - query: Keep it in a `@StateObject`, or a model: one that is made in the body is made at every update.
        ///   - content: Shown of content.
        ///   - loading: Shown before there is anything to show.
        ///   - failure: Shown of an error when there is nothing else to show.
        ///   - empty: Shown of a collection without elements.
        public init<Query: ShownQuery>(
            _ query: Query,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { ProgressView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) where Source == ObservedQuery<Query> {
            self.init(source: ObservedQuery(query), content: content, loading: loading, failure: failure, empty: empty)
        }

        /// Shows what a definition fetches, by the client of the environment.
        ///
        /// - Parameters:
        ///   - definition: What to fetch.
        ///   - content: Shown of content.
        ///   - loading: Shown before there is anything to show.
        ///   - failure: Shown of an error when there is nothing else to show.
        ///   - empty: Shown of a collection without elements.
        public init<Value>(
            _ definition: QueryDefinition<Value>,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { ProgressView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) where Source == UseQuery<Value> {
            self.init(source: UseQuery(definition), content: content, loading: loading, failure: failure, empty: empty)
        }

        /// Shows what a property of the view fetches: `QueryView($user) { user in … }`.
        ///
        /// - Parameters:
        ///   - fetched: What is fetched.
        ///   - content: Shown of content.
        ///   - loading: Shown before there is anything to show.
        ///   - failure: Shown of an error when there is nothing else to show.
        ///   - empty: Shown of a collection without elements.
        public init<Value>(
            _ fetched: UseQuery<Value>,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { ProgressView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) where Source == UseQuery<Value> {
            self.init(source: fetched, content: content, loading: loading, failure: failure, empty: empty)
        }

        /// Shows a resource. It is loaded when it is not up to date.
        ///
        /// - Parameters:
        ///   - resource: What to load.
        ///   - content: Shown of content.
        ///   - loading: Shown before there is anything to show.
        ///   - failure: Shown of an error when there is nothing else to show.
        ///   - empty: Shown of a collection without elements.
        public init<T>(
            _ resource: TypedResource<T>,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { ProgressView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) where Source == FollowedResource<T> {
            self.init(
                source: FollowedResource(resource), content: content, loading: loading, failure: failure, empty: empty)
        }

        /// Shows the data of a store. It is fetched when what is cached is not valid.
        ///
        /// - Parameters:
        ///   - store: What to load.
        ///   - content: Shown of content.
        ///   - loading: Shown before there is anything to show.
        ///   - failure: Shown of an error when there is nothing else to show.
        ///   - empty: Shown of a collection without elements.
        public init<KEY, DATA>(
            _ store: AnyStoreFlowable<KEY, DATA>,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { ProgressView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) where Source == FollowedStore<KEY, DATA> {
            self.init(
                source: FollowedStore(store), content: content, loading: loading, failure: failure, empty: empty)
        }
    }
#endif
