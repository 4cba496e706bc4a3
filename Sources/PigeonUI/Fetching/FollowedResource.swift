#if canImport(SwiftUI)
    internal import PigeonREST
    public import SwiftUI

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
#endif
