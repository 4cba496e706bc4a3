public import CombineShim

// CombineExt has operators with the same names. In files that import both modules, the compiler prefers those of
// CombineExt.

extension Publisher {
    /// Publishes each value together with the newest one of another publisher.
    ///
    /// ```swift
    /// starTaps.withLatestFrom(repositories)
    ///     .sink { repository in star(repository) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Requests values of this publisher once the other publisher has sent one. Values that this publisher sends before
    /// that, without demand, are dropped. Completes when this publisher does. The other one may complete earlier. Fails
    /// as soon as either fails.
    ///
    /// - Parameters:
    ///   - other: The other publisher. All its values are requested, whatever the demand.
    ///   - resultSelector: Combines both values.
    @_disfavoredOverload
    public func withLatestFrom<Other: Publisher, Result>(
        _ other: Other, resultSelector: @escaping (Output, Other.Output) -> Result
    ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, other: other, resultSelector: resultSelector)
    }

    /// Publishes the newest value of another publisher whenever this one sends a value.
    ///
    /// Otherwise the same as ``withLatestFrom(_:resultSelector:)``.
    @_disfavoredOverload
    public func withLatestFrom<Other: Publisher>(
        _ other: Other
    ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, other: other) { $1 }
    }
}

extension Publishers {
    /// Publishes each value together with the newest one of another publisher.
    public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
    where Other.Failure == Upstream.Failure {
        /// The failure of either publisher.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream
        let other: Other
        let resultSelector: (Upstream.Output, Other.Output) -> Output

        /// Subscribes to the other publisher first, so that its value is available when this publisher sends its first
        /// value.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = WithLatestFromSubscription<Upstream, Other, Output>(
                Delivery(to: subscriber), resultSelector)
            subscriber.receive(subscription: subscription)
            if subscription.isOpen { other.subscribe(WithLatestFromOther(main: subscription)) }
            if subscription.isOpen { upstream.subscribe(subscription) }
        }
    }
}

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
