internal import PigeonBase

#if canImport(Combine)
    package import Combine
#else
    @preconcurrency package import OpenCombine
#endif

/// The way in which an awaited publisher ended.
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
        /// The newest value, if it was held back.
        var held: Value?
        /// True while values are held back: during the subscription, or always.
        var holds = true
    }

    private let state = Locked(State())
    private let ended = Latch()
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
        await ended.wait { self.end(.failure(CancellationError())) }
        return state.withLock { $0.end } ?? .finished
    }

    private func subscribe<Failure>(to publisher: AnyPublisher<Value, Failure>) {
        let subscription = publisher.sink { [weak self] completion in
            switch completion {
            case .finished: self?.finish()
            case .failure(let error): self?.fail(error)
            }
        } receiveValue: { [weak self] value in
            self?.receive(value)
        }
        let (isOver, held) = state.withLock { state -> (Bool, Value?) in
            if state.end == nil { state.subscription = subscription }
            guard !holdsNewest else { return (state.end != nil, nil) }
            state.holds = false
            defer { state.held = nil }
            return (state.end != nil, state.held)
        }
        if !isOver, let held { show(held) }
    }

    private func receive(_ value: Value) {
        guard !takesFirst else { return end(.value(value)) }
        let shown = state.withLock { state -> Value? in
            guard state.holds else { return value }
            defer { state.held = value }
            return state.held
        }
        if let shown { show(shown) }
    }

    private func finish() {
        let held = state.withLock { $0.held }
        end(held.map { .value($0) } ?? .finished)
    }

    /// Ends with a failure. Shows the held value first, because it was sent before the failure.
    private func fail(_ error: any Error) {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        if let held { show(held) }
        end(.failure(error))
    }

    private func end(_ end: PublisherEnd<Value>) {
        let subscription = state.withLock { state -> AnyCancellable? in
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.subscription = nil }
            return state.subscription
        }
        subscription?.cancel()
        ended.open()
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
