public import CombineShim
public import PigeonCore

/// Something that is loaded, and whose status can be shown: a resource, or anything else a screen waits for.
///
/// Callable from any thread.
public protocol Loadable: AnyObject, Sendable {
    /// What decides about its status, all of one moment.
    var statusPart: ResourceStatus.Part { get }

    /// Loads again, however fresh it is.
    @discardableResult
    func reload() -> any ManualLoad

    /// Calls `changed` after each change of ``statusPart``, until the subscription ends.
    func onStatusChange(_ changed: @escaping @Sendable () -> Void) -> QuerySubscription
}

/// A load that a person asked for, such as a request.
public protocol ManualLoad: Sendable {
    /// Calls `action` once the load has ended, however it did; also when it already has.
    func whenEnded(_ action: @escaping @Sendable () -> Void)
}

extension Task: ManualLoad {
    /// Calls `action` once the task has ended.
    public func whenEnded(_ action: @escaping @Sendable () -> Void) {
        Task<Void, Never> {
            _ = await result
            action()
        }
    }
}

/// Something that shows the status of what it is told to watch: ``StatusOverlay``, and views that have one.
public protocol ResourceStatusObserving: AnyObject, Sendable {
    /// Watches a resource as well. What is watched twice has to be let go twice.
    func watch(_ loadable: any Loadable)

    /// Lets go of a resource. Does nothing when it is not watched.
    func unwatch(_ loadable: any Loadable)
}

extension Resource: Loadable {
    /// What decides about the status.
    public var statusPart: ResourceStatus.Part {
        let picture = picture
        return ResourceStatus.Part(
            isLoading: isLoading, hasContent: picture?.payload != nil, latestError: picture?.requestError)
    }

    /// Loads again, however fresh it is.
    @discardableResult
    public func reload() -> any ManualLoad {
        RequestedLoad(request: load())
    }

    /// Calls `changed` now and after each event, until the subscription ends.
    public func onStatusChange(_ changed: @escaping @Sendable () -> Void) -> QuerySubscription {
        let observation = follow { _ in changed() }
        return QuerySubscription { [self] in hub.remove(observation, from: self) }
    }
}

/// A request that a person asked for.
private struct RequestedLoad: ManualLoad {
    let request: any Request

    func whenEnded(_ action: @escaping @Sendable () -> Void) {
        request.onCompletion { _ in action() }
    }
}

extension StatusOverlay {
    /// Counts a request as a load that a person asked for, until it is over.
    public func trackManualLoad(_ request: any Request) {
        trackManualLoad(RequestedLoad(request: request))
    }
}

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
