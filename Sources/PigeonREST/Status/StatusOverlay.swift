public import PigeonCore

/// Determines what a user interface shows about the resources that it watches: a spinner, an error with a way to retry,
/// or nothing, because there is content.
///
/// ```swift
/// let overlay = StatusOverlay(displayPriority: .standard)
/// overlay.watch(repository)
/// for await status in overlay.statuses { draw(status) }
/// ```
///
/// Views of any framework only have to show ``status``. The functions can be called from any thread. Listeners are
/// called on the thread of a change, one at a time and in order.
public final class StatusOverlay: ResourceStatusObserving {
    typealias Listener = @Sendable (ResourceStatus) -> Void

    let state: Locked<State>

    /// Creates an overlay that watches nothing.
    ///
    /// - Parameter displayPriority: The rules. The first rule that applies decides.
    public init(displayPriority: [StatusRule] = .loadingFirst) {
        state = Locked(State(displayPriority: displayPriority))
    }

    /// The status to show.
    public var status: ResourceStatus { state.withLock { $0.status } }

    /// The rules. The first rule that applies decides.
    public var displayPriority: [StatusRule] {
        get { state.withLock { $0.displayPriority } }
        set {
            state.withLock { $0.displayPriority = newValue }
            update()
        }
    }

    /// Adds a resource whose status is shown. A resource that is added twice must be removed twice. Retains the
    /// resource.
    public func watch(_ loadable: any Loadable) {
        let watched = state.withLock { $0.watch(loadable) }
        guard let watched else { return }
        let subscription = loadable.onStatusChange { [weak self] in self?.update() }
        let isWanted = state.withLock { $0.keep(subscription, of: watched) }
        if !isWanted { subscription.cancel() }
        update()
    }

    /// Removes a resource. Does nothing if it is not watched.
    public func unwatch(_ loadable: any Loadable) {
        let watched = state.withLock { $0.unwatch(loadable) }
        watched?.subscription?.cancel()
        if watched != nil { update() }
    }

    /// Reloads all resources that have an error and can be loaded again, however recent the error is. Tracks the loads
    /// as manual ones.
    public func retryFailedRequests() {
        for loadable in state.withLock({ $0.loadables }) {
            let part = loadable.statusPart
            if part.latestError != nil, part.canReload { trackManualLoad(loadable.reload()) }
        }
    }

    /// Treats a load as one that the user started, until it completes. The rule ``StatusRule/manualLoading`` shows such
    /// loads.
    public func trackManualLoad(_ load: any ManualLoad) {
        state.withLock { $0.manualLoads += 1 }
        load.whenEnded { [weak self] in
            guard let self else { return }
            state.withLock { $0.manualLoads -= 1 }
            update()
        }
        update()
    }

    /// Calls `listener` with the status now and after each change, until the subscription ends.
    public func onChange(_ listener: @escaping @Sendable (ResourceStatus) -> Void) -> QuerySubscription {
        let id = state.withLock { $0.add(listener) }
        update()
        return QuerySubscription { [weak self] in
            let old = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            _ = old  // released outside the lock
        }
    }
}
