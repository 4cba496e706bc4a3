public import CombineShim
internal import PigeonCore

extension StatusOverlay {
    /// Computes the status, and notifies the listeners that have not received it yet.
    ///
    /// If another thread is already doing that, that thread continues with the newest status instead. Listeners are
    /// therefore notified in order, and never of an older status after a newer one.
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
                _ = old  // released after the lock
            case .tell(let status, let listener, _):
                listener(status)
            }
        }
    }
}

extension StatusOverlay.State {
    /// Work to carry out outside the lock.
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
    /// Publishes the status now and after each change, on the thread of the change. A slow subscriber receives only the
    /// newest. Retains the overlay.
    public var statusPublisher: AnyPublisher<ResourceStatus, Never> {
        StatusPublisher(overlay: self).eraseToAnyPublisher()
    }

    /// The current status, and then each new one. A slow reader receives only the newest. Retains the overlay while it
    /// is read.
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
        let subscription = NewestSubscription<Output>(AnySubscriber(subscriber), deliveredOn: .immediate)
        subscriber.receive(subscription: subscription)
        subscription.begin { tell in
            let listening = overlay.onChange(tell)
            return QuerySubscription { [overlay] in
                listening.cancel()
                _ = overlay
            }
        }
    }
}
