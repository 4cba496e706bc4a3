public import CombineShim

extension ResourceStatusObserving {
    /// Watches a resource as well. What is watched twice has to be let go twice.
    public func watch<T>(_ resource: TypedResource<T>) {
        watch(resource.resource)
    }

    /// Lets go of a resource. Does nothing when it is not watched.
    public func unwatch<T>(_ resource: TypedResource<T>) {
        unwatch(resource.resource)
    }
}

extension Publisher {
    /// Has an overlay watch the newest resource, and only that. As of resources without a type.
    public func watchedBy<T>(
        statusOverlay: any ResourceStatusObserving
    ) -> AnyPublisher<Output, Failure> where Output == TypedResource<T> {
        watched(by: statusOverlay) { $0.resource }
    }

    /// Has an overlay watch the newest resource, and only that; nothing while there is none.
    public func watchedBy<T>(
        statusOverlay: any ResourceStatusObserving
    ) -> AnyPublisher<Output, Failure> where Output == TypedResource<T>? {
        watched(by: statusOverlay) { $0?.resource }
    }
}
