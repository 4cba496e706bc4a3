internal import PigeonBase

#if canImport(Combine)
    package import Combine
#else
    @preconcurrency package import OpenCombine
#endif

package enum PublisherEnd<Value: Sendable>: Sendable {
    /// The publisher finished with a value that was held back and not shown.
    case value(Value)
    /// The publisher finished. All of its values, if it sent any, were shown.
    case finished
    case failure(any Error)
}

/// Awaits a publisher, and shows its values in the meantime. Cancelling the task cancels the subscription.
package final class PublisherRun<Value: Sendable>: Sendable {
    private struct State {
        var subscription: AnyCancellable?
        var end: PublisherEnd<Value>?
        /// The values that were not shown yet, in order.
        var waiting: [Value] = []
        /// True while the newest value is held back: during the subscription, or always.
        var holds = true
        /// The publisher's own end, which comes after its values.
        var completion: PublisherEnd<Value>?
        /// True while a thread shows values. Other threads leave theirs to it, so that no value overtakes another one.
        var isShowing = false

        /// Removes and returns what comes next. Ends showing if that is not a value.
        mutating func next() -> Step {
            isShowing = false
            guard end == nil else { return .rest }
            // A failure does not return a value, so the held one is shown too.
            var held = holds ? 1 : 0
            if case .failure? = completion { held = 0 }
            guard waiting.count <= held else {
                isShowing = true
                return .show(waiting.removeFirst())
            }
            guard let completion else { return .rest }
            let last = waiting.popLast()
            return .end(close(last.map { .value($0) } ?? completion))
        }

        /// Sets the end, unless there is one.
        ///
        /// - Returns: The subscription, to be cancelled while no lock is held.
        mutating func close(_ end: PublisherEnd<Value>) -> AnyCancellable? {
            guard self.end == nil else { return nil }
            self.end = end
            defer { subscription = nil }
            return subscription
        }
    }

    private enum Step {
        case show(Value)
        /// The run has ended. Its subscription must be cancelled.
        case end(AnyCancellable?)
        case rest
    }

    private let state = Locked(State())
    private let ended = OneShot<Void>()
    private let show: @Sendable (Value) -> Void
    private let takesFirst: Bool
    private let holdsNewest: Bool

    /// - Parameters:
    ///   - takesFirst: True to end the subscription with the first value, which is not shown.
    ///   - holdsNewest: True to show each value only when the next one is sent, so that the end returns the last value.
    ///   - show: Called with each value that is shown.
    package init(
        takesFirst: Bool = false, holdsNewest: Bool = false, show: @escaping @Sendable (Value) -> Void = { _ in }
    ) {
        self.takesFirst = takesFirst
        self.holdsNewest = holdsNewest
        self.show = show
    }

    package func end<Failure>(of publisher: AnyPublisher<Value, Failure>) async -> PublisherEnd<Value> {
        subscribe(to: publisher)
        _ = try? await ended.value(onCancel: .calls { self.end(.failure(CancellationError())) })
        return state.withLock { $0.end } ?? .finished
    }

    private func subscribe<Failure>(to publisher: AnyPublisher<Value, Failure>) {
        let subscription = publisher.sink { [weak self] completion in
            switch completion {
            case .finished: self?.complete(.finished)
            case .failure(let error): self?.complete(.failure(error))
            }
        } receiveValue: { [weak self] value in
            self?.receive(value)
        }
        advance { state in
            if state.end == nil { state.subscription = subscription }
            state.holds = holdsNewest
        }
    }

    private func receive(_ value: Value) {
        guard !takesFirst else { return end(.value(value)) }
        advance { state in
            if state.end == nil { state.waiting.append(value) }
        }
    }

    private func complete(_ completion: PublisherEnd<Value>) {
        advance { $0.completion = completion }
    }

    /// Changes the state, and then shows the values that are due, unless another thread shows values.
    private func advance(_ change: (inout State) -> Void) {
        var step = state.withLock { state -> Step in
            change(&state)
            return state.isShowing ? .rest : state.next()
        }
        while case .show(let value) = step {
            show(value)
            step = state.withLock { $0.next() }
        }
        guard case .end(let subscription) = step else { return }
        subscription?.cancel()
        ended.resolve(.success(()))
    }

    private func end(_ end: PublisherEnd<Value>) {
        let subscription = state.withLock { $0.close(end) }
        subscription?.cancel()
        ended.resolve(.success(()))
    }
}

extension AnyPublisher where Output: Sendable {
    /// Waits for the first value, and then cancels the subscription. Returns `nil` if there is none.
    package func first() async throws -> Output? {
        switch await PublisherRun<Output>(takesFirst: true).end(of: self) {
        case .value(let value): value
        case .finished: nil
        case .failure(let error): throw error
        }
    }

    /// Waits for the last value. Returns `nil` if there is none.
    package func last() async throws -> Output? {
        switch await PublisherRun<Output>(holdsNewest: true).end(of: self) {
        case .value(let value): value
        case .finished: nil
        case .failure(let error): throw error
        }
    }
}

extension Optional {
    /// Returns the value, or throws `error` if there is none.
    package func orThrow(_ error: @autoclosure () -> any Error) throws -> Wrapped {
        guard let self else { throw error() }
        return self
    }
}
