internal import CombineShim
internal import PigeonBase

/// One subscription of a ``Publishers/WithLatestFrom``, and the subscriber of its values.
final class WithLatestFromSubscription<Upstream: Publisher, Other: Publisher, Output>: DeliveringSubscription,
    Subscriber
where Other.Failure == Upstream.Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private struct State {
        var delivery: Delivery<Output, Upstream.Failure>
        var upstream: (any Subscription)?
        var other: (any Subscription)?
        var latest: Other.Output?
        /// What was asked for before there was a value of the other publisher.
        var demandHeldBack = Subscribers.Demand.none

        /// Lets go of all, and returns it, to be freed where no lock is held.
        mutating func takeAll() -> (upstream: (any Subscription)?, other: (any Subscription)?, latest: Other.Output?) {
            defer { (upstream, other, latest) = (nil, nil, nil) }
            return (upstream, other, latest)
        }

        /// What is to be asked of the values now.
        mutating func takeDemand() -> Subscribers.Demand {
            guard upstream != nil, latest != nil else { return .none }
            defer { demandHeldBack = .none }
            return demandHeldBack
        }
    }

    private let state: Locked<State>
    private let resultSelector: (Upstream.Output, Other.Output) -> Output

    init(
        _ downstream: AnySubscriber<Output, Upstream.Failure>,
        _ resultSelector: @escaping (Upstream.Output, Other.Output) -> Output
    ) {
        state = Locked(State(delivery: Delivery(downstream)))
        self.resultSelector = resultSelector
    }

    var isOpen: Bool { state.withLock { $0.delivery.isOpen } }

    func withDelivery<Result>(_ body: (inout Delivery<Output, Upstream.Failure>) -> Result) -> Result {
        state.withLock { body(&$0.delivery) }
    }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        state.withLock { state in
            guard state.delivery.isOpen else { return }
            state.delivery.ask(demand)
            state.demandHeldBack += demand
        }
        requestHeldBack()
        deliver()
    }

    func cancel() {
        let (all, remains) = state.withLock { ($0.takeAll(), $0.delivery.clear()) }
        _ = remains
        all.upstream?.cancel()
        all.other?.cancel()
    }

    private func requestHeldBack() {
        let (upstream, demand) = state.withLock { ($0.upstream, $0.takeDemand()) }
        if demand > .none { upstream?.request(demand) }
    }

    // MARK: From the values

    func receive(subscription: any Subscription) {
        let isWanted = state.withLock { state in
            guard state.delivery.isOpen, state.upstream == nil else { return false }
            state.upstream = subscription
            return true
        }
        if isWanted { requestHeldBack() } else { subscription.cancel() }
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard let latest = state.withLock({ $0.latest }) else { return .none }
        let result = resultSelector(input, latest)
        withDelivery { $0.add(result) }
        deliver()
        return .none
    }

    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        end(completion)
    }

    // MARK: From the other publisher

    func begin(other: any Subscription) {
        let isWanted = state.withLock { state in
            guard state.delivery.isOpen, state.other == nil else { return false }
            state.other = other
            return true
        }
        if isWanted { other.request(.unlimited) } else { other.cancel() }
    }

    func tell(other value: Other.Output) {
        let old = state.withLock { state -> Other.Output? in
            guard state.delivery.isOpen else { return nil }
            defer { state.latest = value }
            return state.latest
        }
        _ = old  // freed after the lock is
        requestHeldBack()
    }

    /// The newest value stays when there will be no other.
    func end(other completion: Subscribers.Completion<Upstream.Failure>) {
        if case .failure = completion { return end(completion) }
        let other = state.withLock { state in
            defer { state.other = nil }
            return state.other
        }
        _ = other
    }

    private func end(_ completion: Subscribers.Completion<Upstream.Failure>) {
        let all = state.withLock { state in
            state.delivery.end(completion)
            return state.takeAll()
        }
        all.upstream?.cancel()
        all.other?.cancel()
        deliver()
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
        main.tell(other: input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        main.end(other: completion)
    }
}
