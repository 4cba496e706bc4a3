import CombineShim
import PigeonCore

/// Sends what is there on subscription, then again after each change that `mark` tells from the one before, on the main
/// actor. Finishes once what changes has been let go.
///
/// A subscriber that changes what it watches is told of that after it returns: values never nest, and keep their order.
/// One without demand gets the newest value when it asks.
struct ChangePublisher<Mark: Equatable, Output>: Publisher {
    typealias Failure = Never

    let listeners: ChangeListeners
    /// Tells what is sent now from what was sent before. `nil` when there is nothing to send.
    let mark: @MainActor () -> Mark?
    let read: @MainActor () -> Output?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let subscription = ChangeSubscription(subscriber, listeners: listeners, mark: mark, read: read)
        subscriber.receive(subscription: subscription)
        subscription.begin()
    }
}

/// One who is told that something changed.
protocol ChangeListener: AnyObject, Sendable {
    @MainActor func change()
    func finish()
}

/// Those who are told that something changed.
final class ChangeListeners: Sendable {
    private struct State {
        var listeners: [any ChangeListener] = []
        var isOver = false
    }

    private let state = Locked(State())

    func add(_ listener: any ChangeListener) {
        let isOver = state.withLock { state in
            if !state.isOver { state.listeners.append(listener) }
            return state.isOver
        }
        if isOver { listener.finish() }
    }

    func remove(_ listener: any ChangeListener) {
        let old = state.withLock { state -> (any ChangeListener)? in
            guard let index = state.listeners.firstIndex(where: { $0 === listener }) else { return nil }
            return state.listeners.remove(at: index)
        }
        _ = old  // freed after the lock is
    }

    @MainActor
    func change() {
        for listener in state.withLock({ $0.listeners }) { listener.change() }
    }

    /// There will be no further change.
    func finish() {
        let listeners = state.withLock { state in
            state.isOver = true
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.finish() }
    }
}

/// One subscription of a ``ChangePublisher``.
private final class ChangeSubscription<Mark: Equatable, Downstream: Subscriber>: Subscription, ChangeListener,
    @unchecked Sendable  // what changes is guarded by the lock; the rest is called on the main actor only
where Downstream.Failure == Never {
    private struct State {
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var waiting: [Downstream.Input] = []
        var isSending = false
        var isFinished = false
        var lastMark: Mark?
    }

    private let state: Locked<State>
    private let listeners: ChangeListeners
    private let mark: @MainActor () -> Mark?
    private let read: @MainActor () -> Downstream.Input?

    init(
        _ downstream: Downstream, listeners: ChangeListeners, mark: @escaping @MainActor () -> Mark?,
        read: @escaping @MainActor () -> Downstream.Input?
    ) {
        state = Locked(State(downstream: downstream))
        self.listeners = listeners
        self.mark = mark
        self.read = read
    }

    /// Listens first, so that nothing is missed that the first value brings about.
    func begin() {
        MainActor.runSoon { [self] in
            guard state.withLock({ $0.downstream != nil }) else { return }
            listeners.add(self)
            change()
        }
    }

    @MainActor
    func change() {
        guard let mark = mark(), state.withLock({ $0.downstream != nil && $0.lastMark != mark }), let value = read()
        else { return }
        let outdated = state.withLock { state -> [Downstream.Input] in
            state.lastMark = mark
            // Whoever is being sent a value gets all that follow; one without demand gets the newest.
            guard !state.isSending, state.demand == .none else {
                state.waiting.append(value)
                return []
            }
            defer { state.waiting = [value] }
            return state.waiting
        }
        _ = outdated
        send()
    }

    func finish() {
        MainActor.runSoon { [self] in
            state.withLock { $0.isFinished = true }
            send()
        }
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
        MainActor.runSoon { [self] in send() }
    }

    func cancel() {
        let old = state.withLock { state in
            defer {
                state.downstream = nil
                state.waiting = []
            }
            return (state.downstream, state.waiting)
        }
        _ = old
        listeners.remove(self)
    }

    private enum Step {
        case value(Downstream.Input, Downstream)
        case end(Downstream)
    }

    @MainActor
    private func send() {
        guard
            state.withLock({ state in
                guard !state.isSending else { return false }
                state.isSending = true
                return true
            })
        else { return }
        while let step = nextStep() {
            switch step {
            case .value(let value, let downstream):
                let more = downstream.receive(value)
                state.withLock { $0.demand += more }
            case .end(let downstream):
                downstream.receive(completion: .finished)
            }
        }
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            if let downstream = state.downstream {
                if state.demand > .none, !state.waiting.isEmpty {
                    state.demand -= 1
                    return .value(state.waiting.removeFirst(), downstream)
                }
                if state.isFinished, state.waiting.isEmpty {
                    state.downstream = nil
                    return .end(downstream)
                }
            }
            state.isSending = false
            return nil
        }
    }
}
