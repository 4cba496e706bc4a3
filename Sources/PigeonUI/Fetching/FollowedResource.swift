#if canImport(SwiftUI)
    internal import PigeonREST
    public import SwiftUI

    /// Follows a resource for the life of a view.
    @MainActor
    public struct FollowedResource<T: Sendable>: nonisolated DynamicProperty, ViewSource {
        @StateObject private var follower = PublisherFollower<TypedResource<T>, ResourceState<T>>()
        private let resource: TypedResource<T>

        init(_ resource: TypedResource<T>) {
            self.resource = resource
        }

        /// The resource's state, as a view shows it. The resource is loaded if it is not up to date.
        public var viewState: ViewState<T> {
            let state = follower.state(of: resource) { resource.statePublisher(deliveredOn: .immediate) }
            return (state ?? resource.state).viewState
        }

        /// Loads again.
        public var retry: RetryAction? {
            let resource = resource
            return { resource.load() }
        }

        /// Loads again, and waits.
        public func refresh() async {
            _ = try? await resource.loaded()
        }
    }
#endif
