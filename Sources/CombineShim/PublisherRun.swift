internal import PigeonBase

#if canImport(Combine)
    package import Combine
#else
    @preconcurrency package import OpenCombine
#endif

/// How a publisher that was awaited ended.
package enum PublisherEnd<Value: Sendable>: Sendable {
    /// With a value that was not shown: the last, while that was held back.
    case value(Value)
    /// All its values were shown, if there were any.
    case finished
    case failure(any Error)
}

/// Awaits a publisher: each value is shown as it comes, and cancelling the task cancels the subscription.
package final class PublisherRun<Value: Sendable>: Sendable {
    private struct State {
        var subscription: AnyCancellable?
        var continuation: CheckedContinuation<PublisherEnd<Value>, Never>?
        var end: PublisherEnd<Value>?
        /// The newest value, while it is held back: a publisher that ends with it has its outcome in one step.
        var held: Value?
        /// Whether values are held back: while the publisher is being subscribed to, or always.
        var holds = true
    }

    private let state = Locked(State())
    private let show: @Sendable (Value) -> Void
    private let takesFirst: Bool
    private let holdsNewest: Bool

    /// - Parameters:
    ///   - takesFirst: Whether the first value is all that is wanted: the subscription ends with it.
    ///   - holdsNewest: Whether each value is shown only when the next one comes, so that the last comes with the end.
    ///   - show: Called with each value but one that the publisher ends with while that is held back.
    package init(
        takesFirst: Bool = false, holdsNewest: Bool = false, show: @escaping @Sendable (Value) -> Void = { _ in }
    ) {
        self.takesFirst = takesFirst
        self.holdsNewest = holdsNewest
        self.show = show
    }

    package func end<Failure>(of publisher: AnyPublisher<Value, Failure>) async -> PublisherEnd<Value> {
        subscribe(to: publisher)
        if let end = state.withLock({ $0.end }) { return end }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = state.withLock { state -> PublisherEnd<Value>? in
                    if state.end == nil { state.continuation = continuation }
                    return state.end
                }
                if let end { continuation.resume(returning: end) }
            }
        } onCancel: {
            end(.failure(CancellationError()))
        }
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

    /// A value that was held back came all the same.
    private func fail(_ error: any Error) {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        if let held { show(held) }
        end(.failure(error))
    }

    private func end(_ end: PublisherEnd<Value>) {
        let (continuation, subscription) = state.withLock {
            state -> (CheckedContinuation<PublisherEnd<Value>, Never>?, AnyCancellable?) in
            guard state.end == nil else { return (nil, nil) }
            state.end = end
            defer {
                state.continuation = nil
                state.subscription = nil
            }
            return (state.continuation, state.subscription)
        }
        subscription?.cancel()
        continuation?.resume(returning: end)
    }
}

extension AnyPublisher where Output: Sendable {
    /// The first value, after which the subscription ends. `nil` when there is none.
    package func first() async throws -> Output? {
        switch await PublisherRun<Output>(takesFirst: true).end(of: self) {
        case .value(let value): value
        case .finished: nil
        case .failure(let error): throw error
        }
    }

    /// The last value. `nil` when there is none.
    package func last() async throws -> Output? {
        switch await PublisherRun<Output>(holdsNewest: true).end(of: self) {
        case .value(let value): value
        case .finished: nil
        case .failure(let error): throw error
        }
    }
}

extension Optional {
    /// The value, or an error when there is none.
    package func orThrow(_ error: @autoclosure () -> any Error) throws -> Wrapped {
        guard let self else { throw error() }
        return self
    }
}
