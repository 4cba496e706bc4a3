internal import CombineShim

/// A subscription of a ``Publishers/WithLatestFrom``, and the subscriber of its values.
final class WithLatestFromSubscription<Upstream: Publisher, Other: Publisher, Output>: Subscription, Subscriber
where Other.Failure == Upstream.Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private let delivery: Delivery<Output, Upstream.Failure>
    private let resultSelector: (Upstream.Output, Other.Output) -> Output

    // Guarded by the delivery's lock.
    private var upstream: (any Subscription)?
    private var other: (any Subscription)?
    private var latest: Other.Output?
    /// Demand that is not forwarded until the other publisher has sent its first value.
    private var demandHeldBack = Subscribers.Demand.none

    init(
        _ delivery: Delivery<Output, Upstream.Failure>,
        _ resultSelector: @escaping (Upstream.Output, Other.Output) -> Output
    ) {
        self.delivery = delivery
        self.resultSelector = resultSelector
    }

    var isOpen: Bool { delivery.isOpen }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        delivery.update { $0.request(demand) }
        requestUpstream(demand)
        deliver()
    }

    func cancel() {
        delivery.cancel()
        let rest = delivery.update { _ in takeAll() }
        rest.upstream?.cancel()
        rest.other?.cancel()
    }

    private func deliver() {
        delivery.deliverHere { requestUpstream($0) }
    }

    private func requestUpstream(_ more: Subscribers.Demand = .none) {
        let demand = delivery.update { _ -> Subscribers.Demand in
            demandHeldBack += more
            guard upstream != nil, latest != nil else { return .none }
            defer { demandHeldBack = .none }
            return demandHeldBack
        }
        if demand > .none { delivery.update { _ in upstream }?.request(demand) }
    }

    // MARK: From the values

    func receive(subscription: any Subscription) {
        let isWanted = delivery.update { queue in
            guard queue.isOpen, upstream == nil else { return false }
            upstream = subscription
            return true
        }
        if isWanted { requestUpstream() } else { subscription.cancel() }
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard let latest = delivery.update({ _ in self.latest }) else { return .none }
        let result = resultSelector(input, latest)
        _ = delivery.update { $0.add(result) }  // replaces no other value
        deliver()
        return .none
    }

    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        end(completion)
    }

    // MARK: From the other publisher

    func begin(other subscription: any Subscription) {
        let isWanted = delivery.update { queue in
            guard queue.isOpen, other == nil else { return false }
            other = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    func receive(other value: Other.Output) {
        let old = delivery.update { queue -> Other.Output? in
            guard queue.isOpen else { return nil }
            defer { latest = value }
            return latest
        }
        _ = old  // released while no lock is held
        requestUpstream()
    }

    /// Keeps the newest value when the other publisher completes.
    func end(other completion: Subscribers.Completion<Upstream.Failure>) {
        if case .failure = completion { return end(completion) }
        let old = delivery.update { _ in
            defer { other = nil }
            return other
        }
        _ = old  // released while no lock is held
    }

    private func end(_ completion: Subscribers.Completion<Upstream.Failure>) {
        let rest = delivery.update { queue in
            queue.end(completion)
            return takeAll()
        }
        rest.upstream?.cancel()
        rest.other?.cancel()
        deliver()
    }

    /// Removes everything, to be released while no lock is held.
    private func takeAll() -> (upstream: (any Subscription)?, other: (any Subscription)?, latest: Other.Output?) {
        defer { (upstream, other, latest) = (nil, nil, nil) }
        return (upstream, other, latest)
    }
}

/// The subscriber of the other publisher.
final class WithLatestFromOther<Upstream: Publisher, Other: Publisher, Output>: Subscriber
where Other.Failure == Upstream.Failure {
    private let main: WithLatestFromSubscription<Upstream, Other, Output>

    init(main: WithLatestFromSubscription<Upstream, Other, Output>) {
        self.main = main
    }

    func receive(subscription: any Subscription) {
        main.begin(other: subscription)
    }

    func receive(_ input: Other.Output) -> Subscribers.Demand {
        main.receive(other: input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        main.end(other: completion)
    }
}
