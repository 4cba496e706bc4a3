import CombineShim
import PigeonCore

/// Runs a publisher as a fetch: each value is shown as it comes, the last one stays, and cancelling the fetch cancels the
/// subscription.
final class PublisherFetch<Value: Sendable>: Sendable {
    private struct State {
        var subscription: AnyCancellable?
        var continuation: CheckedContinuation<FetchOutcome, Never>?
        var outcome: FetchOutcome?
        /// The newest value, while the publisher is still being subscribed to: one that ends at once has its outcome in
        /// one step.
        var held: Value?
        var isSubscribing = true
    }

    private let state = Locked(State())
    private let show: @Sendable (Value) -> Void

    init(show: @escaping @Sendable (Value) -> Void) {
        self.show = show
    }

    func outcome(of publisher: AnyPublisher<Value, any Error>) async -> FetchOutcome {
        subscribe(to: publisher)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> FetchOutcome? in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            end(.failure(CancellationError()))
        }
    }

    private func subscribe(to publisher: AnyPublisher<Value, any Error>) {
        let subscription = publisher.sink { [weak self] completion in
            switch completion {
            case .finished: self?.finish()
            case .failure(let error): self?.end(.failure(error))
            }
        } receiveValue: { [weak self] value in
            self?.receive(value)
        }
        let (isOver, held) = state.withLock { state -> (Bool, Value?) in
            state.isSubscribing = false
            defer { state.held = nil }
            if state.outcome == nil { state.subscription = subscription }
            return (state.outcome != nil, state.held)
        }
        if !isOver, let held { show(held) }
    }

    private func receive(_ value: Value) {
        let shown = state.withLock { state -> Value? in
            guard state.isSubscribing else { return value }
            defer { state.held = value }
            return state.held
        }
        if let shown { show(shown) }
    }

    private func finish() {
        let held = state.withLock { $0.held }
        end(held.map { .value(PayloadOf($0)) } ?? .finished)
    }

    private func end(_ outcome: FetchOutcome) {
        let (continuation, subscription) = state.withLock {
            state -> (CheckedContinuation<FetchOutcome, Never>?, AnyCancellable?) in
            guard state.outcome == nil else { return (nil, nil) }
            state.outcome = outcome
            defer {
                state.continuation = nil
                state.subscription = nil
            }
            return (state.continuation, state.subscription)
        }
        subscription?.cancel()
        continuation?.resume(returning: outcome)
    }
}

extension Fetcher {
    /// A fetcher that runs a publisher.
    static func publisher<Value: Sendable>(
        request: any Sendable, _ make: @escaping @Sendable () -> AnyPublisher<Value, any Error>
    ) -> Fetcher {
        Fetcher(request: request) { run in
            let context = FetchContext<Value>(run: run)
            return await PublisherFetch<Value> { context.yield($0) }.outcome(of: make())
        }
    }
}

/// The first value of a publisher; a publisher that ends without one is an error.
func firstValue<Value: Sendable>(
    of publisher: AnyPublisher<Value, any Error>, orThrow missing: any Error
) async throws -> Value {
    let last = Locked<Value?>(nil)
    let outcome = await PublisherFetch<Value> { value in last.withLock { $0 = value } }.outcome(of: publisher)
    switch outcome {
    case .value(let payload): if let payload = payload as? PayloadOf<Value> { return payload.value }
    case .failure(let error): throw error
    case .finished, .notModified: break
    }
    if let value = last.withLock({ $0 }) { return value }
    throw missing
}
