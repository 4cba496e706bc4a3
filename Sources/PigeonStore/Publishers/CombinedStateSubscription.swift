internal import CombineShim
internal import PigeonCore

/// One subscription of a ``CombinedStatePublisher``.
///
/// Inputs are asked for all they have once the subscriber asks for anything. Whoever comes while a state is being
/// delivered, on whatever thread, leaves the next one to who delivers: states never nest, and keep their order.
final class CombinedStateSubscription<States, OUTPUT, Failure: Error>: Subscription,
    @unchecked Sendable  // what changes is guarded by the lock; `combine` is called by the one who sends
{
    private struct State {
        var downstream: AnySubscriber<LoadingState<OUTPUT>, Failure>?
        var latest: LatestStates<States>
        var upstreams: [Int: any Subscription] = [:]
        var demand = Subscribers.Demand.none
        var isAsked = false
        var isSending = false
        var failure: Failure?
    }

    private let state: Locked<State>
    private let none: LatestStates<States>
    private let combine: (States) -> LoadingState<OUTPUT>?

    init(
        _ downstream: AnySubscriber<LoadingState<OUTPUT>, Failure>, _ none: LatestStates<States>,
        _ combine: @escaping (States) -> LoadingState<OUTPUT>?
    ) {
        state = Locked(State(downstream: downstream, latest: none))
        self.none = none
        self.combine = combine
    }

    /// Whether the subscriber is there and may still be sent something.
    var isOpen: Bool { state.withLock { $0.downstream != nil } }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let upstreams = state.withLock { state -> [any Subscription] in
            guard state.downstream != nil else { return [] }
            state.demand += demand
            guard !state.isAsked else { return [] }
            state.isAsked = true
            return state.upstreams.sorted { $0.key < $1.key }.map(\.value)
        }
        for upstream in upstreams { upstream.request(.unlimited) }
        send()
    }

    func cancel() {
        let old = state.withLock { clear(&$0) }
        for upstream in old.upstreams.values { upstream.cancel() }
    }

    // MARK: From the inputs

    func begin(_ input: Int, _ upstream: any Subscription) {
        let (isWanted, isAsked) = state.withLock { state in
            guard state.downstream != nil, state.upstreams[input] == nil else { return (false, false) }
            state.upstreams[input] = upstream
            return (true, state.isAsked)
        }
        if !isWanted { upstream.cancel() }
        if isAsked { upstream.request(.unlimited) }
    }

    func tell(_ input: Int, _ change: (inout States) -> Void) {
        let old = state.withLock { $0.downstream == nil ? nil : $0.latest.tell(input, change) }
        _ = old  // freed after the lock is
        send()
    }

    func end(_ input: Int, _ completion: Subscribers.Completion<Failure>) {
        let old = state.withLock { state -> (any Subscription)? in
            state.latest.end(input)
            if case .failure(let error) = completion, state.failure == nil { state.failure = error }
            return state.upstreams.removeValue(forKey: input)
        }
        _ = old
        send()
    }

    // MARK: To the subscriber

    private enum Step {
        case value(States)
        case end(State)
    }

    private func send() {
        let isMine = state.withLock { state in
            guard !state.isSending else { return false }
            state.isSending = true
            return true
        }
        guard isMine else { return }
        while let step = state.withLock({ nextStep(&$0) }) {
            switch step {
            case .value(let states): deliver(states)
            case .end(let old): finish(old)
            }
        }
    }

    /// What is asked for comes before the end, and before a failure as well. A failure waits for nobody to ask.
    private func nextStep(_ state: inout State) -> Step? {
        if state.downstream != nil {
            if state.demand > .none, let states = state.latest.take() {
                state.demand -= 1
                return .value(states)
            }
            if state.failure != nil || state.latest.isOver { return .end(clear(&state)) }
        }
        state.isSending = false
        return nil
    }

    private func deliver(_ states: States) {
        guard let combined = combine(states), let downstream = state.withLock({ $0.downstream }) else { return }
        let more = downstream.receive(combined)
        state.withLock { $0.demand += more }
    }

    private func finish(_ old: State) {
        for upstream in old.upstreams.values { upstream.cancel() }
        old.downstream?.receive(completion: old.failure.map { .failure($0) } ?? .finished)
    }

    /// Lets go of all, and returns it, to be freed where no lock is held.
    private func clear(_ state: inout State) -> State {
        defer { state = State(downstream: nil, latest: none, isSending: state.isSending) }
        return state
    }
}
