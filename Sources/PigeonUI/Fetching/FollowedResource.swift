#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonREST
    public import SwiftUI

    /// Follows a resource for the life of a view.
    @MainActor
    public struct FollowedResource<T: Sendable>: nonisolated DynamicProperty, ViewSource {
        @StateObject private var model = ResourceModel<T>()
        private let resource: TypedResource<T>

        init(_ resource: TypedResource<T>) {
            self.resource = resource
        }

        /// The resource's state, as a view shows it. The resource is loaded if it is not up to date.
        public var viewState: ViewState<T> { model.state(of: resource).viewState }

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

    /// Follows one resource at a time.
    @MainActor
    private final class ResourceModel<T: Sendable>: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var resource: TypedResource<T>?
        private var subscription: AnyCancellable?
        private var state: ResourceState<T>?
        private var isBuilding = false

        nonisolated init() {}

        /// The present state of a resource, which is followed in place of the one before.
        func state(of resource: TypedResource<T>) -> ResourceState<T> {
            guard resource != self.resource || state == nil else { return state ?? resource.state }
            isBuilding = true
            defer { isBuilding = false }
            self.resource = resource
            state = nil
            // The new one first: a load that both share is not to be cancelled in between.
            let new = resource.statePublisher().sink { [weak self] state in
                MainActor.assumeIsolated { self?.show(state, of: resource) }
            }
            subscription = new
            return state ?? resource.state
        }

        private func show(_ state: ResourceState<T>, of resource: TypedResource<T>) {
            guard resource == self.resource else { return }
            if !isBuilding { objectWillChange.send() }
            self.state = state
        }
    }
#endif
