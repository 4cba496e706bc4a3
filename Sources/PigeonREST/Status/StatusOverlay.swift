public import PigeonCore

/// Says what a user interface is to show of the resources it watches: a spinner, an error with a way to retry, or nothing,
/// because there is content.
///
/// ```swift
/// let overlay = StatusOverlay(displayPriority: .standard)
/// overlay.watch(repository)
/// for await status in overlay.statuses { draw(status) }
/// ```
///
/// Views, whatever they are made with, show ``status`` and nothing else. Callable from any thread; listeners are called
/// where a change happens, one at a time and in order.
public final class StatusOverlay: ResourceStatusObserving {
    typealias Listener = @Sendable (ResourceStatus) -> Void

    let state: Locked<State>

    /// Creates an overlay that watches nothing.
    ///
    /// - Parameter displayPriority: The rules: the first that applies decides.
    public init(displayPriority: [StatusRule] = .loadingFirst) {
        state = Locked(State(displayPriority: displayPriority))
    }

    /// What is to be shown.
    public var status: ResourceStatus { state.withLock { $0.status } }

    /// The rules: the first that applies decides.
    public var displayPriority: [StatusRule] {
        get { state.withLock { $0.displayPriority } }
        set {
            state.withLock { $0.displayPriority = newValue }
            update()
        }
    }

    /// Shows the status of a resource as well. What is watched twice has to be let go twice. Keeps the resource.
    public func watch(_ loadable: any Loadable) {
        let watched = state.withLock { $0.watch(loadable) }
        guard let watched else { return }
        let subscription = loadable.onStatusChange { [weak self] in self?.update() }
        let isWanted = state.withLock { $0.keep(subscription, of: watched) }
        if !isWanted { subscription.cancel() }
        update()
    }

    /// Lets go of a resource. Does nothing when it is not watched.
    public func unwatch(_ loadable: any Loadable) {
        let watched = state.withLock { $0.unwatch(loadable) }
        watched?.subscription?.cancel()
        if watched != nil { update() }
    }

    /// Loads all resources again that have an error and can be, however recent the error is, and tracks the loads as
    /// manual ones.
    public func retryFailedRequests() {
        for loadable in state.withLock({ $0.loadables }) {
            let part = loadable.statusPart
            if part.latestError != nil, part.canReload { trackManualLoad(loadable.reload()) }
        }
    }

    /// Counts a load as one that a person asked for until it has ended: ``StatusRule/manualLoading`` shows those.
    public func trackManualLoad(_ load: any ManualLoad) {
        state.withLock { $0.manualLoads += 1 }
        load.whenEnded { [weak self] in
            guard let self else { return }
            state.withLock { $0.manualLoads -= 1 }
            update()
        }
        update()
    }

    /// Calls `listener` with the status, now and after each change, until the subscription ends.
    public func onChange(_ listener: @escaping @Sendable (ResourceStatus) -> Void) -> QuerySubscription {
        let id = state.withLock { $0.add(listener) }
        update()
        return QuerySubscription { [weak self] in
            let old = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            _ = old  // freed after the lock is
        }
    }
}
