internal import CombineShim
internal import PigeonBase

/// Passes the values of a publisher to a subscriber, until either ends. Adds nothing to the subscriber's demand.
final class Relay<Input, Failure: Error>: Subscriber, Subscription {
    enum End {
        case cancelled, completed
    }

    private struct State {
        var downstream: AnySubscriber<Input, Failure>?
        var upstream: (any Subscription)?
        var ended: ((End) -> Void)?
    }

    private let state: Locked<State>
    private let willReceive: (Input) -> Void

    /// - Parameters:
    ///   - willReceive: Called with each value before the subscriber receives it.
    ///   - ended: Called once, before the publisher is cancelled or the subscriber receives the completion.
    init<S: Subscriber>(
        to downstream: S, willReceive: @escaping (Input) -> Void = { _ in }, ended: @escaping (End) -> Void
    ) where S.Input == Input, S.Failure == Failure {
        state = Locked(State(downstream: AnySubscriber(downstream), ended: ended))
        self.willReceive = willReceive
    }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.upstream }?.request(demand)
    }

    func cancel() {
        let old = take()
        old.ended?(.cancelled)
        old.upstream?.cancel()
    }

    // MARK: From the publisher

    func receive(subscription: any Subscription) {
        let downstream = state.withLock { state -> AnySubscriber<Input, Failure>? in
            guard state.upstream == nil, let downstream = state.downstream else { return nil }
            state.upstream = subscription
            return downstream
        }
        if let downstream { downstream.receive(subscription: self) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        willReceive(input)
        return state.withLock { $0.downstream }?.receive(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let old = take()
        old.ended?(.completed)
        old.downstream?.receive(completion: completion)
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
