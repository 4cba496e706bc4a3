public import CombineShim
internal import PigeonCore

extension StatusOverlay {
    /// Computes the status, and notifies the listeners that have not received it.
    ///
    /// If another call, on any thread, is doing this already, that call continues with the newer status, so that
    /// listeners receive statuses in order.
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
    /// A step that is taken while no lock is held.
    enum Job {
        case find([any Loadable], priority: [StatusRule], isManualLoading: Bool)
        case tell(ResourceStatus, StatusOverlay.Listener, old: ResourceStatus?)
    }

    mutating func nextJob() -> Job? {
        if isOutdated {
            isOutdated = false
            return .find(loadables, priority: displayPriority, isManualLoading: manualLoads > 0)
        }
        if let id = listeners.filter({ $0.value.told != status }).keys.min(), let listener = listeners[id] {
            listeners[id]?.told = status
            return .tell(status, listener.tell, old: listener.told)
        }
        isUpdating = false
        return nil
    }
}

extension StatusOverlay {
    /// Publishes the status: now, and after each change, on the thread of the change. A subscriber without demand
    /// receives the newest status when it requests one. A subscription retains the overlay.
    public var statusPublisher: AnyPublisher<ResourceStatus, Never> {
        StatusPublisher(overlay: self).eraseToAnyPublisher()
    }

    /// The status: now, and after each change. A slow reader receives the newest. An iteration retains the overlay.
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

private struct StatusPublisher: Publisher {
    typealias Output = ResourceStatus
    typealias Failure = Never

    let overlay: StatusOverlay

    func receive<S: Subscriber>(subscriber: S) where S.Input == ResourceStatus, S.Failure == Never {
        let delivery = Delivery<Output, Never>(to: subscriber, .newestWithoutDemand)
        subscriber.receive(subscription: delivery)
        delivery.follow { send in
            let listening = overlay.onChange(send)
            return QuerySubscription { [overlay] in
                listening.cancel()
                _ = overlay
            }
        }
    }
}
