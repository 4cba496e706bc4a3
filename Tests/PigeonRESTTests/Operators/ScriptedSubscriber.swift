import PigeonREST

/// A subscriber that requests values as a test says, and records what it receives.
final class ScriptedSubscriber<Input: Sendable, Failure: Error>: Subscriber,
    @unchecked Sendable  // a lock guards all mutable state
{
    private struct State {
        var subscription: (any Subscription)?
        var values: [Input] = []
        var ends: [Subscribers.Completion<Failure>] = []
        var isReceiving = false
        var wasNested = false
    }

    private let state = Locked(State())
    private let first: Subscribers.Demand
    private let onValue: @Sendable (Input) -> Subscribers.Demand

    /// - Parameters:
    ///   - first: The demand on subscription.
    ///   - onValue: Handles a value, and returns the additional demand.
    init(
        _ first: Subscribers.Demand = .unlimited,
        onValue: @escaping @Sendable (Input) -> Subscribers.Demand = { _ in .none }
    ) {
        self.first = first
        self.onValue = onValue
    }

    var values: [Input] { state.withLock { $0.values } }
    var ends: [Subscribers.Completion<Failure>] { state.withLock { $0.ends } }
    /// True if it received a value or a completion while it was receiving another one.
    var wasNested: Bool { state.withLock { $0.wasNested } }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.subscription }?.request(demand)
    }

    func cancel() {
        let subscription = state.withLock { state in
            defer { state.subscription = nil }
            return state.subscription
        }
        subscription?.cancel()
    }

    func receive(subscription: any Subscription) {
        state.withLock { $0.subscription = subscription }
        if first > .none { subscription.request(first) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        enter { $0.values.append(input) }
        defer { leave() }
        return onValue(input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        enter { $0.ends.append(completion) }
        leave()
    }

    private func enter(_ change: (inout State) -> Void) {
        state.withLock { state in
            if state.isReceiving { state.wasNested = true }
            state.isReceiving = true
            change(&state)
        }
    }

    private func leave() {
        state.withLock { $0.isReceiving = false }
    }
}

struct Mishap: Error, Equatable {
    var name = "mishap"
}

/// An outer publisher and several inner ones.
struct Nest<Failure: Error>: Sendable {
    let outer = ScriptedPublisher<Int, Failure>()
    let inners: [ScriptedPublisher<String, Failure>]

    init(_ count: Int) {
        inners = (0..<count).map { _ in ScriptedPublisher() }
    }

    var publisher: some Publisher<String, Failure> {
        outer.flatMapLatest { [inners] in inners[$0] }
    }
}
