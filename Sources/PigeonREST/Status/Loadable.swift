public import CombineShim
public import PigeonCore

/// A value that can be loaded and whose status can be shown, such as a resource.
///
/// Its functions can be called from any thread.
public protocol Loadable: AnyObject, Sendable {
    /// The properties that determine the status, all from the same point in time.
    var statusPart: ResourceStatus.Part { get }

    /// Loads the value again, even if it is fresh.
    @discardableResult
    func reload() -> any ManualLoad

    /// Calls `changed` after each change of ``statusPart``, until the subscription ends.
    func onStatusChange(_ changed: @escaping @Sendable () -> Void) -> QuerySubscription
}

/// A load that the user started, such as a request.
public protocol ManualLoad: Sendable {
    /// Calls `action` when the load has succeeded or failed, or immediately if it already has.
    func whenEnded(_ action: @escaping @Sendable () -> Void)
}

extension Request {
    /// Calls `action` when the request has completed.
    public func whenEnded(_ action: @escaping @Sendable () -> Void) {
        onCompletion { _ in action() }
    }
}

extension Task: ManualLoad {
    /// Calls `action` when the task has ended.
    public func whenEnded(_ action: @escaping @Sendable () -> Void) {
        Task<Void, Never> {
            _ = await result
            action()
        }
    }
}

/// An object that shows the status of the resources that it watches, such as a ``StatusOverlay`` or a view that
/// contains one.
public protocol ResourceStatusObserving: AnyObject, Sendable {
    /// Adds a resource to watch. A resource that is added twice must be removed twice.
    func watch(_ loadable: any Loadable)

    /// Removes a resource. Does nothing if it is not watched.
    func unwatch(_ loadable: any Loadable)
}

extension Resource: Loadable {
    /// The properties of the resource that determine its status.
    public var statusPart: ResourceStatus.Part {
        let entryState = entryState
        return ResourceStatus.Part(
            isLoading: entryState?.isLoading ?? false, hasContent: entryState?.payload != nil,
            latestError: entryState?.requestError)
    }

    /// Loads the value again, even if it is fresh.
    @discardableResult
    public func reload() -> any ManualLoad {
        load()
    }

    /// Calls `changed` now, and again after each event, until the subscription ends.
    public func onStatusChange(_ changed: @escaping @Sendable () -> Void) -> QuerySubscription {
        let observation = follow { _ in changed() }
        return QuerySubscription { [self] in remove(observation) }
    }
}

extension ResourceStatusObserving {
    /// Adds a resource to watch. A resource that is added twice must be removed twice.
    public func watch<T>(_ resource: TypedResource<T>) {
        watch(resource.resource)
    }

    /// Removes a resource. Does nothing if it is not watched.
    public func unwatch<T>(_ resource: TypedResource<T>) {
        unwatch(resource.resource)
    }
}

extension Publisher {
    /// Makes an overlay watch only the newest resource, as the operator for untyped resources does.
    public func watchedBy<T>(
        statusOverlay: any ResourceStatusObserving
    ) -> AnyPublisher<Output, Failure> where Output == TypedResource<T> {
        watched(by: statusOverlay) { $0.resource }
    }

    /// Makes an overlay watch only the newest resource, or nothing while there is none.
    public func watchedBy<T>(
        statusOverlay: any ResourceStatusObserving
    ) -> AnyPublisher<Output, Failure> where Output == TypedResource<T>? {
        watched(by: statusOverlay) { $0?.resource }
    }
}
