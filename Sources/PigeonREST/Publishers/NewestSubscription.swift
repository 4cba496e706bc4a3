internal import CombineShim
internal import PigeonBase
internal import PigeonCore

/// One subscription of something that goes on: each value while the subscriber asks, and the newest later.
final class NewestSubscription<Output>: DeliveringSubscription,
    @unchecked Sendable  // the subscriber, which need not be Sendable, is guarded by the lock and called one at a time
{
    typealias Failure = Never

    private struct State {
        var delivery: Delivery<Output, Never>
        var following: QuerySubscription?
        var isCancelled = false
    }

    private let state: Locked<State>
    private let place: CallbackDelivery

    init(_ downstream: AnySubscriber<Output, Never>, deliveredOn place: CallbackDelivery) {
        state = Locked(State(delivery: Delivery(downstream)))
        self.place = place
    }

    func withDelivery<Result>(_ body: (inout Delivery<Output, Never>) -> Result) -> Result {
        state.withLock { body(&$0.delivery) }
    }

    /// Begins to follow.
    ///
    /// - Parameter follow: Calls back with each value until the subscription that it returns ends.
    /// - Returns: Whether it was not cancelled meanwhile.
    @discardableResult
    func begin(_ follow: (_ tell: @escaping @Sendable (Output) -> Void) -> QuerySubscription) -> Bool {
        guard !state.withLock({ $0.isCancelled }) else { return false }
        let following = follow { [weak self] value in
            guard let self else { return }
            _ = withDelivery { $0.addNewest(value) }  // what it replaces is freed after the lock is
            deliverThere()
        }
        let isWanted = state.withLock { state in
            guard !state.isCancelled else { return false }
            state.following = following
            return true
        }
        if !isWanted { following.cancel() }
        return isWanted
    }

    func request(_ demand: Subscribers.Demand) {
        withDelivery { $0.ask(demand) }
        deliverThere()
    }

    private func deliverThere() {
        switch place {
        case .immediate: deliver()
        case .main: MainActor.runSoon { self.deliverOne() }
        }
    }

    /// Sends one value, and leaves the rest to later turns of the main actor: a subscriber that causes a value with each
    /// that it gets would hold it for ever.
    @MainActor
    private func deliverOne() {
        if deliver(atMost: 1) { Task { @MainActor in self.deliverOne() } }
    }

    func cancel() {
        let (following, remains) = state.withLock { state in
            state.isCancelled = true
            defer { state.following = nil }
            return (state.following, state.delivery.clear())
        }
        _ = remains  // freed after the lock is
        following?.cancel()
    }
}
