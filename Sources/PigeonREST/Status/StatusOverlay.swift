public import CombineShim
public import PigeonCore

/// Determines the status that a user interface shows for the watched resources: a spinner, an error with a way to
/// retry, or no overlay because there is content.
///
/// ```swift
/// let overlay = StatusOverlay(displayPriority: .standard)
/// overlay.watch(repository)
/// for await status in overlay.statuses { draw(status) }
/// ```
///
/// A view of any framework only has to show ``status``. The functions can be called from any thread. Listeners are
/// called one at a time and in order, on the thread that makes a change.
public final class StatusOverlay: ResourceStatusObserving {
    typealias Listener = @Sendable (ResourceStatus) -> Void

    let state: Locked<State>

    /// Creates an overlay that does not watch any resource.
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

    /// Adds a resource to watch. A resource that is added twice must be removed twice. Retains the resource.
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

    /// Reloads all resources that have an error and can be loaded again, no matter how recent the error is. Treats the
    /// loads as started by the user.
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

    /// Calls `listener` with the current status, and again after each change, until the subscription ends.
    public func onChange(_ listener: @escaping @Sendable (ResourceStatus) -> Void) -> QuerySubscription {
        let id = state.withLock { $0.add(listener) }
        update()
        return QuerySubscription { [weak self] in
            let old = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            _ = old  // released outside the lock
        }
    }
}

extension StatusOverlay {
    struct State: Sendable {
        struct Watched: Sendable {
            let id: Int
            let loadable: any Loadable
            var count = 1
            var subscription: QuerySubscription?
        }

        struct StatusListener: Sendable {
            let tell: Listener
            var lastStatus: ResourceStatus?
        }

        var displayPriority: [StatusRule]
        var status = ResourceStatus.nothing
        var manualLoads = 0
        var listeners: [Int: StatusListener] = [:]
        var isUpdating = false
        var isOutdated = false
        private var watched: [Watched] = []
        private var nextID = 0

        init(displayPriority: [StatusRule]) {
            self.displayPriority = displayPriority
        }

        var loadables: [any Loadable] { watched.map(\.loadable) }

        /// - Returns: The number of the new watch, or `nil` if the resource is watched already.
        mutating func watch(_ loadable: any Loadable) -> Int? {
            if let index = index(of: loadable) {
                watched[index].count += 1
                return nil
            }
            let id = makeID()
            watched.append(Watched(id: id, loadable: loadable))
            return id
        }

        /// - Returns: `false` if the resource is no longer watched.
        mutating func keep(_ subscription: QuerySubscription, of id: Int) -> Bool {
            guard let index = watched.firstIndex(where: { $0.id == id }) else { return false }
            watched[index].subscription = subscription
            return true
        }

        /// - Returns: The removed watch if that was the last one.
        mutating func unwatch(_ loadable: any Loadable) -> Watched? {
            guard let index = index(of: loadable) else { return nil }
            watched[index].count -= 1
            return watched[index].count == 0 ? watched.remove(at: index) : nil
        }

        mutating func add(_ listener: @escaping Listener) -> Int {
            let id = makeID()
            listeners[id] = StatusListener(tell: listener)
            return id
        }

        private mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }

        private func index(of loadable: any Loadable) -> Int? {
            watched.firstIndex { $0.loadable === loadable }
        }
    }
}

extension StatusOverlay {
    /// Computes the status, and notifies the listeners that have not received it.
    ///
    /// If another call is already doing this, on any thread, that call also delivers the newer status. Listeners
    /// therefore receive statuses in order.
    func update() {
        let isMine = state.withLock { state in
            state.isOutdated = true
            guard !state.isUpdating else { return false }
            state.isUpdating = true
            return true
        }
        guard isMine else { return }
        while let job = state.withLock({ $0.nextJob() }) {
            switch job {
            case .find(let loadables, let priority, let isManualLoading):
                let status = ResourceStatus.of(
                    loadables.map(\.statusPart), priority: priority, isManualLoading: isManualLoading)
                let old = state.withLock { state in
                    defer { state.status = status }
                    return state.status
                }
                _ = old  // released outside the lock
            case .tell(let status, let listener, _):
                listener(status)
            }
        }
    }
}

extension StatusOverlay.State {
    /// A step that ``update()`` performs while it holds no lock.
    enum Job {
        case find([any Loadable], priority: [StatusRule], isManualLoading: Bool)
        case tell(ResourceStatus, StatusOverlay.Listener, old: ResourceStatus?)
    }

    mutating func nextJob() -> Job? {
        if isOutdated {
            isOutdated = false
            return .find(loadables, priority: displayPriority, isManualLoading: manualLoads > 0)
        }
        if let id = listeners.filter({ $0.value.lastStatus != status }).keys.min(), let listener = listeners[id] {
            listeners[id]?.lastStatus = status
            return .tell(status, listener.tell, old: listener.lastStatus)
        }
        isUpdating = false
        return nil
    }
}

extension StatusOverlay {
    /// Publishes the current status, and the new status after each change, on the thread that makes the change. A
    /// subscriber without demand receives only the newest status when it requests one. A subscription retains the
    /// overlay.
    public var statusPublisher: AnyPublisher<ResourceStatus, Never> {
        let statuses = SourcePublisher<ResourceStatus> { send in
            let listening = self.onChange(send)
            return QuerySubscription {
                listening.cancel()
                _ = self
            }
        }
        return statuses.eraseToAnyPublisher()
    }

    /// The current status, and the new status after each change. A slow reader receives only the newest status. The
    /// stream retains the overlay until it ends.
    public var statuses: AsyncStream<ResourceStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let subscription = onChange { continuation.yield($0) }
            continuation.onTermination = { [self] _ in
                subscription.cancel()
                _ = self
            }
        }
    }
}
