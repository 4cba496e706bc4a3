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
