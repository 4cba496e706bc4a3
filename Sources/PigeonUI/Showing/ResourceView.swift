#if canImport(SwiftUI)
    internal import CombineShim
    public import PigeonQueryUI
    public import PigeonREST
    public import SwiftUI

    /// A view that shows a resource of a REST service. Same as ``/PigeonQueryUI/QueryView``.
    public typealias ResourceView = QueryView

    extension QueryView {
        /// Shows a resource, and loads it if it is not up to date.
        ///
        /// - Parameters:
        ///   - resource: The resource.
        ///   - content: The view of the content.
        ///   - loading: The view during a load without content.
        ///   - failure: The view of an error without content.
        ///   - empty: The view of a collection without elements.
        public init<T>(
            _ resource: TypedResource<T>,
            @ViewBuilder content: @escaping (Source.ShownContent) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { LoadingView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() }
        ) where Source == FollowedResource<T>, Idle == IdleView {
            self.init(
                FollowedResource(resource), content: content, loading: loading, failure: failure, empty: empty,
                idle: { IdleView() })
        }
    }

    /// Observes a resource for the lifetime of a view.
    @MainActor
    public struct FollowedResource<T: Sendable>: nonisolated DynamicProperty, ViewSource {
        @StateObject private var follower = ViewFollower<NewestState<TypedResource<T>, ResourceState<T>>?>(nil)
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
    }

    extension ResourceState: ViewStateConvertible {
        /// The content in any activity.
        public var viewState: ViewState<T> {
            ViewState(content: content, isLoading: isLoading, error: latestError)
        }
    }
#endif
