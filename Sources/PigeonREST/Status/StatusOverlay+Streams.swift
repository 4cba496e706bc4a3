public import CombineShim
internal import PigeonBase

extension StatusOverlay {
    /// The status, now and after each change, where that happens. Who is slow finds the newest. Keeps the overlay.
    public var statusPublisher: AnyPublisher<ResourceStatus, Never> {
        StatusPublisher(overlay: self).eraseToAnyPublisher()
    }

    /// The status, now and after each change. Who is slow finds the newest. Keeps the overlay while it is read.
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
        let subscription = StatusSubscription(AnySubscriber(subscriber), overlay)
        subscriber.receive(subscription: subscription)
        subscription.begin()
    }
}

private final class StatusSubscription: DeliveringSubscription,
    @unchecked Sendable  // the subscriber, which need not be Sendable, is guarded by the lock and called one at a time
{
    private struct State {
        var delivery: Delivery<ResourceStatus, Never>
        var overlay: StatusOverlay?
        var subscription: QuerySubscription?
    }

    private let state: Locked<State>

    init(_ downstream: AnySubscriber<ResourceStatus, Never>, _ overlay: StatusOverlay) {
        state = Locked(State(delivery: Delivery(downstream), overlay: overlay))
    }

    func withDelivery<Result>(_ body: (inout Delivery<ResourceStatus, Never>) -> Result) -> Result {
        state.withLock { body(&$0.delivery) }
    }

    func begin() {
        guard let overlay = state.withLock({ $0.overlay }) else { return }
        let subscription = overlay.onChange { [weak self] status in
            guard let self else { return }
            _ = withDelivery { $0.addNewest(status) }
            deliver()
        }
        let isWanted = state.withLock { state in
            guard state.overlay != nil else { return false }
            state.subscription = subscription
            return true
        }
        if !isWanted { subscription.cancel() }
    }

    func request(_ demand: Subscribers.Demand) {
        withDelivery { $0.ask(demand) }
        deliver()
    }

    func cancel() {
        let old = state.withLock { state in
            defer { (state.overlay, state.subscription) = (nil, nil) }
            return (state.overlay, state.subscription, state.delivery.clear())
        }
        old.1?.cancel()
    }
}
