public import CombineShim
public import Foundation
internal import PigeonBase

/// Starts a future when a subscriber requests a value, and sends the value on the thread that delivers it.
struct FuturePublisher<Output: Sendable>: Publisher {
    typealias Failure = any Error

    /// Creates the future of a subscription.
    let future: () -> ResponseFuture<Output>
    /// Called with the future when the subscription is cancelled.
    let leave: @Sendable (ResponseFuture<Output>) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
        subscriber.receive(subscription: FutureSubscription(AnySubscriber(subscriber), future(), leave))
    }
}

private final class FutureSubscription<Output: Sendable>: Subscription,
    @unchecked Sendable  // the subscriber, which need not be Sendable, is taken out under the lock and called once
{
    private struct State {
        var downstream: AnySubscriber<Output, any Error>?
        var future: ResponseFuture<Output>?
        var isStarted = false
    }

    private let state: Locked<State>
    private let leave: @Sendable (ResponseFuture<Output>) -> Void

    init(
        _ downstream: AnySubscriber<Output, any Error>, _ future: ResponseFuture<Output>,
        _ leave: @escaping @Sendable (ResponseFuture<Output>) -> Void
    ) {
        state = Locked(State(downstream: downstream, future: future))
        self.leave = leave
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let future = state.withLock { state -> ResponseFuture<Output>? in
            guard !state.isStarted else { return nil }
            state.isStarted = true
            return state.future
        }
        guard let future else { return }
        future.core.whenEnded { self.send($0) }
        future.start()
    }

    func cancel() {
        let old = clear()
        if let future = old.future { leave(future) }
    }

    private func send(_ outcome: FutureOutcome<Output>) {
        guard let downstream = clear().downstream else { return }
        switch outcome {
        case .success(let value):
            _ = downstream.receive(value)
            downstream.receive(completion: .finished)
        case .failure(let error):
            downstream.receive(completion: .failure(error))
        case .cancelled:
            downstream.receive(completion: .failure(CancellationError()))
        }
    }

    /// Removes and returns everything that the subscription holds.
    private func clear() -> State {
        state.withLock { state in
            defer { state = State(isStarted: true) }
            return state
        }
    }
}

extension ResponseFuture {
    /// Sends the future's value to each subscriber. The first subscriber starts the future, which runs once for all of
    /// them.
    ///
    /// Values arrive on the thread that delivers them. Cancelling a subscription does not cancel the future. A
    /// cancelled future fails with `CancellationError`.
    public var publisher: AnyPublisher<T, any Error> {
        FuturePublisher(future: { self }, leave: { _ in }).eraseToAnyPublisher()
    }
}

extension Dispatcher {
    /// Sends the request once for each subscriber, when it requests a value, and publishes the response, whatever its
    /// status.
    ///
    /// ```swift
    /// let answers = dispatcher.publisher(for: request)
    /// ```
    ///
    /// Responses arrive on the thread that delivers them. Cancelling a subscription cancels its request.
    public func publisher(for request: any Request) -> AnyPublisher<Response<Data?>, HTTPError> {
        FuturePublisher(future: { future(from: request) }, leave: { $0.cancel() })
            .mapError { HTTPError($0) }
            .eraseToAnyPublisher()
    }
}
