#if canImport(Combine)
    package import Combine
#else
    @preconcurrency package import OpenCombine
#endif

/// Sends the newest values of two publishers: first when both have sent one, then whenever either sends.
///
/// Requests values only once the subscriber does, and then an unlimited number from each publisher. Completes when both
/// publishers have completed, or when one completes without a value. Fails as soon as either fails.
package struct LatestPair<A: Publisher, B: Publisher>: Publisher where B.Failure == A.Failure {
    package typealias Output = (A.Output, B.Output)
    package typealias Failure = A.Failure

    private let a: A
    private let b: B
    private let backlog: DeliveryBacklog

    package init(_ a: A, _ b: B, _ backlog: DeliveryBacklog) {
        (self.a, self.b, self.backlog) = (a, b, backlog)
    }

    package func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let pair = PairSubscription<A.Output, B.Output, Failure>(Delivery(to: subscriber, backlog))
        subscriber.receive(subscription: pair)
        if pair.isOpen { a.subscribe(PairInput(pair, 0) { $0.0 = $1 }) }
        if pair.isOpen { b.subscribe(PairInput(pair, 1) { $0.1 = $1 }) }
    }
}

private final class PairSubscription<A, B, Failure: Error>: Subscription {
    typealias Newest = (A?, B?)
    typealias Rest = (newest: Newest, upstreams: [(any Subscription)?])

    private let delivery: Delivery<(A, B), Failure>

    // Guarded by the delivery's lock.
    private var newest: Newest = (nil, nil)
    private var upstreams: [(any Subscription)?] = [nil, nil]
    private var isRequested = false
    private var runningCount = 2

    init(_ delivery: Delivery<(A, B), Failure>) {
        self.delivery = delivery
    }

    var isOpen: Bool { delivery.isOpen }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let upstreams = delivery.update { queue -> [(any Subscription)?] in
            queue.request(demand)
            defer { isRequested = true }
            return isRequested ? [] : self.upstreams
        }
        for upstream in upstreams { upstream?.request(.unlimited) }
        delivery.deliver()
    }

    func cancel() {
        delivery.cancel()
        let rest = delivery.update { _ in takeAll() }
        for upstream in rest.upstreams { upstream?.cancel() }
    }

    // MARK: From the publishers

    func begin(_ index: Int, _ upstream: any Subscription) {
        let (isWanted, isRequested) = delivery.update { queue in
            guard queue.isOpen, upstreams[index] == nil else { return (false, false) }
            upstreams[index] = upstream
            return (true, self.isRequested)
        }
        if !isWanted { upstream.cancel() }
        if isRequested { upstream.request(.unlimited) }
    }

    func receive(_ change: (inout Newest) -> Void) {
        let outdated = delivery.update { queue -> (Newest, [(A, B)])? in
            guard queue.isOpen else { return nil }
            let old = newest
            change(&newest)
            guard let a = newest.0, let b = newest.1 else { return (old, []) }
            return (old, queue.add((a, b)))
        }
        _ = outdated  // released while no lock is held
        delivery.deliver()
    }

    func end(_ index: Int, _ completion: Subscribers.Completion<Failure>) {
        let (own, rest) = delivery.update { queue -> ((any Subscription)?, Rest?) in
            runningCount -= 1
            let own = upstreams[index]
            upstreams[index] = nil
            let isSilent = index == 0 ? newest.0 == nil : newest.1 == nil
            if case .finished = completion, runningCount > 0, !isSilent { return (own, nil) }
            queue.end(completion)
            return (own, takeAll())
        }
        for upstream in rest?.upstreams ?? [] { upstream?.cancel() }
        _ = own  // released while no lock is held
        delivery.deliver()
    }

    /// Removes and returns everything, to be released while no lock is held.
    private func takeAll() -> Rest {
        defer { (newest, upstreams) = ((nil, nil), [nil, nil]) }
        return (newest, upstreams)
    }
}

private final class PairInput<Input, A, B, Failure: Error>: Subscriber {
    private let pair: PairSubscription<A, B, Failure>
    private let index: Int
    private let set: (inout PairSubscription<A, B, Failure>.Newest, Input) -> Void

    init(
        _ pair: PairSubscription<A, B, Failure>, _ index: Int,
        _ set: @escaping (inout PairSubscription<A, B, Failure>.Newest, Input) -> Void
    ) {
        (self.pair, self.index, self.set) = (pair, index, set)
    }

    func receive(subscription: any Subscription) {
        pair.begin(index, subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        pair.receive { set(&$0, input) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        pair.end(index, completion)
    }
}
