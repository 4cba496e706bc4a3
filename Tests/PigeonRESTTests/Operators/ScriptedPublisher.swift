import PigeonREST

/// A publisher that sends the values of a test regardless of demand, and records its requests.
final class ScriptedPublisher<Output: Sendable, Failure: Error>: Publisher, Sendable {
    private let made = Locked<[ScriptedSubscription<Output, Failure>]>([])
    private let onSubscribe: Locked<(@Sendable (ScriptedSubscription<Output, Failure>) -> Void)?> = Locked(nil)

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let subscription = ScriptedSubscription(AnySubscriber(subscriber))
        made.withLock { $0.append(subscription) }
        subscriber.receive(subscription: subscription)
        onSubscribe.withLock { $0 }?(subscription)
    }

    /// Sets an action that is called after each subscription.
    func onSubscribe(_ action: @escaping @Sendable (ScriptedSubscription<Output, Failure>) -> Void) {
        onSubscribe.withLock { $0 = action }
    }

    var subscriptions: [ScriptedSubscription<Output, Failure>] { made.withLock { $0 } }
    /// The demands that the newest subscription received, in order.
    var asked: [Subscribers.Demand] { subscriptions.last?.asked ?? [] }
    var isCancelled: Bool { subscriptions.last?.isCancelled ?? false }

    func send(_ value: Output) {
        subscriptions.last?.send(value)
    }

    func end(_ completion: Subscribers.Completion<Failure>) {
        subscriptions.last?.end(completion)
    }
}

final class ScriptedSubscription<Output: Sendable, Failure: Error>: Subscription,
    @unchecked Sendable  // a lock guards all mutable state
{
    private struct State {
        var downstream: AnySubscriber<Output, Failure>?
        var asked: [Subscribers.Demand] = []
        var isCancelled = false
    }

    private let state: Locked<State>

    init(_ downstream: AnySubscriber<Output, Failure>) {
        state = Locked(State(downstream: downstream))
    }

    var asked: [Subscribers.Demand] { state.withLock { $0.asked } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.asked.append(demand) }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
    }

    /// Sends a value even after a cancellation, as a careless publisher does.
    func send(_ value: Output) {
        let more = state.withLock { $0.downstream }?.receive(value)
        if let more, more > .none { request(more) }
    }

    func end(_ completion: Subscribers.Completion<Failure>) {
        state.withLock { $0.downstream }?.receive(completion: completion)
    }
}
