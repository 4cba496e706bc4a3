internal import CombineShim
internal import PigeonBase

/// One subscription of a ``Publishers/FlatMapLatest``, and the subscriber of its values.
///
/// Each value has a number: what comes from the publisher of another number than the newest is dropped.
final class FlatMapLatestSubscription<Upstream: Publisher, Inner: Publisher>: DeliveringSubscription, Subscriber
where Inner.Failure == Upstream.Failure {
    typealias Input = Upstream.Output
    typealias Output = Inner.Output
    typealias Failure = Inner.Failure

    private struct State {
        var delivery: Delivery<Inner.Output, Inner.Failure>
        var upstream: (any Subscription)?
        var isUpstreamOver = false
        var inner: (any Subscription)?
        /// Whether the newest publisher has yet to complete, or to be made.
        var isInnerRunning = false
        var number = 0
    }

    private let state: Locked<State>
    private let transform: (Upstream.Output) -> Inner

    init(_ downstream: AnySubscriber<Inner.Output, Inner.Failure>, _ transform: @escaping (Upstream.Output) -> Inner) {
        state = Locked(State(delivery: Delivery(downstream)))
        self.transform = transform
    }

    var isOpen: Bool { state.withLock { $0.delivery.isOpen } }

    func withDelivery<Result>(_ body: (inout Delivery<Inner.Output, Inner.Failure>) -> Result) -> Result {
        state.withLock { body(&$0.delivery) }
    }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let inner = state.withLock { state -> (any Subscription)? in
            guard state.delivery.isOpen else { return nil }
            state.delivery.ask(demand)
            return state.inner
        }
        inner?.request(demand)
        deliver()
    }

    func cancel() {
        let (upstream, inner, remains) = state.withLock { state in
            defer { (state.upstream, state.inner) = (nil, nil) }
            return (state.upstream, state.inner, state.delivery.clear())
        }
        _ = remains
        inner?.cancel()
        upstream?.cancel()
    }

    // MARK: From the values

    func receive(subscription: any Subscription) {
        let isWanted = state.withLock { state in
            guard state.delivery.isOpen, state.upstream == nil, !state.isUpstreamOver else { return false }
            state.upstream = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        let begun = state.withLock { state -> (number: Int, old: (any Subscription)?, outdated: [Inner.Output])? in
            guard state.delivery.isOpen, !state.isUpstreamOver else { return nil }
            state.number += 1
            state.isInnerRunning = true
            defer { state.inner = nil }
            return (state.number, state.inner, state.delivery.takeWaiting())
        }
        guard let begun else { return .none }
        let inner = transform(input)
        begun.old?.cancel()
        if isNewest(begun.number) { inner.subscribe(FlatMapLatestInner(outer: self, number: begun.number)) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Inner.Failure>) {
        let inner = state.withLock { state -> (any Subscription)? in
            guard !state.isUpstreamOver else { return nil }
            state.isUpstreamOver = true
            state.upstream = nil
            if case .finished = completion, state.isInnerRunning { return nil }
            state.delivery.end(completion)
            defer { state.inner = nil }
            return state.inner
        }
        inner?.cancel()
        deliver()
    }

    private func isNewest(_ number: Int) -> Bool {
        state.withLock { $0.number == number && $0.delivery.isOpen }
    }

    // MARK: From the newest publisher

    func begin(_ inner: any Subscription, _ number: Int) {
        let demand = state.withLock { state -> Subscribers.Demand? in
            guard state.delivery.isOpen, state.number == number, state.isInnerRunning, state.inner == nil else {
                return nil
            }
            state.inner = inner
            return state.delivery.demand
        }
        guard let demand else { return inner.cancel() }
        if demand > .none { inner.request(demand) }
    }

    func tell(_ value: Inner.Output, _ number: Int) {
        state.withLock { state in
            guard state.number == number, state.isInnerRunning else { return }
            state.delivery.add(value)
        }
        deliver()
    }

    func end(_ completion: Subscribers.Completion<Inner.Failure>, _ number: Int) {
        let (upstream, inner) = state.withLock { state -> ((any Subscription)?, (any Subscription)?) in
            guard state.number == number, state.isInnerRunning else { return (nil, nil) }
            state.isInnerRunning = false
            let inner = state.inner
            state.inner = nil
            if case .finished = completion, !state.isUpstreamOver { return (nil, inner) }
            state.delivery.end(completion)
            defer { state.upstream = nil }
            return (state.upstream, inner)
        }
        _ = inner  // freed after the lock is
        upstream?.cancel()
        deliver()
    }
}

/// The subscriber of the publisher of one value.
private final class FlatMapLatestInner<Upstream: Publisher, Inner: Publisher>: Subscriber
where Inner.Failure == Upstream.Failure {
    private let outer: FlatMapLatestSubscription<Upstream, Inner>
    private let number: Int

    init(outer: FlatMapLatestSubscription<Upstream, Inner>, number: Int) {
        self.outer = outer
        self.number = number
    }

    func receive(subscription: any Subscription) {
        outer.begin(subscription, number)
    }

    /// What the subscriber asks for is asked of the publisher by its subscription.
    func receive(_ input: Inner.Output) -> Subscribers.Demand {
        outer.tell(input, number)
        return .none
    }

    func receive(completion: Subscribers.Completion<Inner.Failure>) {
        outer.end(completion, number)
    }
}
