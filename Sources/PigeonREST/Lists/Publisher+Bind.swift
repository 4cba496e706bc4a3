public import CombineShim
internal import PigeonBase

extension Publisher where Failure == Never {
    /// Sends all values to a subscriber, until the returned subscription is cancelled or released.
    ///
    /// ```swift
    /// repositories.contentPublisher()
    ///     .bind(subscriber: list.itemsSubscriber())
    ///     .store(in: &subscriptions)
    /// ```
    public func bind<B: Subscriber>(subscriber: B) -> AnyCancellable where B.Input == Output, B.Failure == Never {
        let binding = Binding(AnySubscriber(subscriber), unbind: (subscriber as? any BoundSubscriber)?.unbind)
        subscribe(binding)
        return AnyCancellable(binding)
    }
}

/// A subscriber that is notified when its binding ends.
protocol BoundSubscriber: Subscriber {
    func unbind()
}

/// Passes the values of a publisher to a subscriber until it is cancelled.
private final class Binding<Input>: Subscriber, Subscription {
    typealias Failure = Never

    private struct State {
        var downstream: AnySubscriber<Input, Never>?
        var upstream: (any Subscription)?
        var unbind: (() -> Void)?
    }

    private let state: Locked<State>

    init(_ downstream: AnySubscriber<Input, Never>, unbind: (() -> Void)?) {
        state = Locked(State(downstream: downstream, unbind: unbind))
    }

    func receive(subscription: any Subscription) {
        let downstream = state.withLock { state -> AnySubscriber<Input, Never>? in
            guard state.upstream == nil, let downstream = state.downstream else { return nil }
            state.upstream = subscription
            return downstream
        }
        if let downstream { downstream.receive(subscription: self) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { $0.downstream }?.receive(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        take().downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.upstream }?.request(demand)
    }

    func cancel() {
        let old = take()
        old.unbind?()
        old.upstream?.cancel()
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
