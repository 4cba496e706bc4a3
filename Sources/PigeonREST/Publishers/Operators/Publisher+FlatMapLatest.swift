public import CombineShim

// CombineExt has operators with the same names. In files that import both modules, the compiler prefers those of
// CombineExt.

extension Publisher {
    /// Publishes the values of the newest publisher. A new value cancels the publisher for the previous value.
    ///
    /// ```swift
    /// searchText.flatMapLatest { api.user($0).optionalContentPublisher() }
    ///     .sink { user in show(user) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Sends no values of an older publisher after a new value. Completes when this publisher and the newest one have
    /// completed. Fails as soon as either fails. Requests all values of this publisher, and the remaining demand from
    /// the newest one.
    ///
    /// Sends one value at a time, on the thread of its publisher. A value that arrives while the subscriber receives
    /// another one, even from the subscriber itself, is sent afterwards.
    ///
    /// - Parameter transform: Returns the publisher for a value.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Self, P> where P.Failure == Failure {
        Publishers.FlatMapLatest(upstream: self, transform: transform)
    }
}

extension Publisher where Failure == Never {
    /// Same as ``flatMapLatest(_:)``, for inner publishers that may fail.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Publishers.SetFailureType<Self, P.Failure>, P> {
        Publishers.FlatMapLatest(upstream: setFailureType(to: P.Failure.self), transform: transform)
    }

    /// Same as ``flatMapLatest(_:)``, for publishers that never fail.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Self, P> where P.Failure == Never {
        Publishers.FlatMapLatest(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// Publishes the values of the publisher for the newest value.
    public struct FlatMapLatest<Upstream: Publisher, Inner: Publisher>: Publisher
    where Inner.Failure == Upstream.Failure {
        /// A value of the newest publisher.
        public typealias Output = Inner.Output
        /// The failure of either publisher.
        public typealias Failure = Inner.Failure

        let upstream: Upstream
        let transform: (Upstream.Output) -> Inner

        /// Subscribes to the values.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = FlatMapLatestSubscription<Upstream, Inner>(Delivery(to: subscriber), transform)
            subscriber.receive(subscription: subscription)
            if subscription.isOpen { upstream.subscribe(subscription) }
        }
    }
}

/// A subscription of a ``Publishers/FlatMapLatest``, and the subscriber of its values.
///
/// Each value has a number. A publisher whose number is not the newest is ignored.
///
/// `map(_:)` and `switchToLatest()` are not sufficient. Values would nest (`FlatMapLatestTests.reentrant`), values that
/// were not requested would not wait (`unasked`), and a publisher whose value is outdated by the time it is created
/// would replace the newer one (`reentrantTransform`).
final class FlatMapLatestSubscription<Upstream: Publisher, Inner: Publisher>: Subscription, Subscriber
where Inner.Failure == Upstream.Failure {
    typealias Input = Upstream.Output
    typealias Failure = Inner.Failure

    private let delivery: Delivery<Inner.Output, Inner.Failure>
    private let transform: (Upstream.Output) -> Inner

    // Guarded by the delivery's lock.
    private var upstream: (any Subscription)?
    private var isUpstreamOver = false
    private var inner: (any Subscription)?
    /// True until the newest publisher completes, even before it is created.
    private var isInnerRunning = false
    private var number = 0

    init(_ delivery: Delivery<Inner.Output, Inner.Failure>, _ transform: @escaping (Upstream.Output) -> Inner) {
        self.delivery = delivery
        self.transform = transform
    }

    var isOpen: Bool { delivery.isOpen }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        delivery.update { $0.request(demand) }
        requestInner(demand)
        deliver()
    }

    func cancel() {
        delivery.cancel()
        let (upstream, inner) = delivery.update { _ in
            defer { (self.upstream, self.inner) = (nil, nil) }
            return (self.upstream, self.inner)
        }
        inner?.cancel()
        upstream?.cancel()
    }

    private func requestInner(_ demand: Subscribers.Demand) {
        delivery.update { $0.isOpen ? inner : nil }?.request(demand)
    }

    private func deliver() {
        delivery.deliverHere { requestInner($0) }
    }

    // MARK: From the values

    func receive(subscription: any Subscription) {
        let isWanted = delivery.update { queue in
            guard queue.isOpen, upstream == nil, !isUpstreamOver else { return false }
            upstream = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        let begun = delivery.update { queue -> (number: Int, old: (any Subscription)?, outdated: [Inner.Output])? in
            guard queue.isOpen, !isUpstreamOver else { return nil }
            number += 1
            isInnerRunning = true
            defer { inner = nil }
            return (number, inner, queue.takeWaiting())
        }
        guard let begun else { return .none }
        let made = transform(input)
        begun.old?.cancel()
        if isNewest(begun.number) { made.subscribe(FlatMapLatestInner(outer: self, number: begun.number)) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Inner.Failure>) {
        let (upstream, inner) = delivery.update { queue -> ((any Subscription)?, (any Subscription)?) in
            guard !isUpstreamOver else { return (nil, nil) }
            isUpstreamOver = true
            defer { self.upstream = nil }
            if case .finished = completion, isInnerRunning { return (self.upstream, nil) }
            queue.end(completion)
            defer { self.inner = nil }
            return (self.upstream, self.inner)
        }
        _ = upstream  // released while no lock is held
        inner?.cancel()
        deliver()
    }

    private func isNewest(_ number: Int) -> Bool {
        delivery.update { $0.isOpen && self.number == number }
    }

    // MARK: From the newest publisher

    func begin(_ inner: any Subscription, _ number: Int) {
        let demand = delivery.update { queue -> Subscribers.Demand? in
            guard queue.isOpen, self.number == number, isInnerRunning, self.inner == nil else { return nil }
            self.inner = inner
            return queue.demand
        }
        guard let demand else { return inner.cancel() }
        if demand > .none { inner.request(demand) }
    }

    func receive(_ value: Inner.Output, _ number: Int) {
        delivery.update { queue in
            guard self.number == number, isInnerRunning else { return }
            _ = queue.add(value)  // replaces no other value
        }
        deliver()
    }

    func end(_ completion: Subscribers.Completion<Inner.Failure>, _ number: Int) {
        let (upstream, inner) = delivery.update { queue -> ((any Subscription)?, (any Subscription)?) in
            guard self.number == number, isInnerRunning else { return (nil, nil) }
            isInnerRunning = false
            defer { self.inner = nil }
            if case .finished = completion, !isUpstreamOver { return (nil, self.inner) }
            queue.end(completion)
            defer { self.upstream = nil }
            return (self.upstream, self.inner)
        }
        _ = inner  // released while no lock is held
        upstream?.cancel()
        deliver()
    }
}

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

    /// Returns no demand, because the outer subscription requests from the publisher what its own subscriber requests.
    func receive(_ input: Inner.Output) -> Subscribers.Demand {
        outer.receive(input, number)
        return .none
    }

    func receive(completion: Subscribers.Completion<Inner.Failure>) {
        outer.end(completion, number)
    }
}
