public import CombineShim
public import Foundation
public import PigeonHTTP

/// Starts a future when a subscriber requests a value, and sends the value on the thread that delivers it.
struct FuturePublisher<Output: Sendable>: Publisher {
    typealias Failure = any Error

    let future: () -> ResponseFuture<Output>
    /// Called with the future when the subscription is cancelled.
    let leave: (ResponseFuture<Output>) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
        let (future, leave, delivery) = (future(), leave, Delivery<Output, any Error>(to: subscriber))
        delivery.onCancel { leave(future) }
        subscriber.receive(subscription: FutureSubscription(future, delivery))
    }
}

private final class FutureSubscription<Output: Sendable>: Subscription {
    private let delivery: Delivery<Output, any Error>
    /// The future until it is started. Used only under the delivery's lock.
    private var future: ResponseFuture<Output>?

    init(_ future: ResponseFuture<Output>, _ delivery: Delivery<Output, any Error>) {
        self.future = future
        self.delivery = delivery
    }

    func request(_ demand: Subscribers.Demand) {
        delivery.request(demand)
        guard demand > .none, let future = takeFuture() else { return }
        future.core.machine.attach(
            FutureFollower { [delivery] outcome in
                do {
                    delivery.send(FutureValue<Output>.open(try outcome.get()))
                    delivery.finish(.finished)
                } catch {
                    delivery.finish(.failure(error))
                }
            })
        future.start()
    }

    func cancel() {
        _ = takeFuture()
        delivery.cancel()
    }

    private func takeFuture() -> ResponseFuture<Output>? {
        delivery.update { _ in
            defer { future = nil }
            return future
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

extension FutureDispatcher {
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
