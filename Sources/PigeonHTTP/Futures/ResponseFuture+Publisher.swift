public import CombineShim
public import Foundation

extension ResponseFuture {
    /// Sends the future's value, to each subscriber. The first one starts the future, which runs once for all.
    ///
    /// Sends on the thread that brings the value. Cancelling a subscription leaves the future alone; a cancelled future
    /// fails with `CancellationError`.
    public var publisher: AnyPublisher<T, any Error> {
        FuturePublisher(future: { self }, leave: { _ in }).eraseToAnyPublisher()
    }
}

extension Dispatcher {
    /// Asks once for each subscriber, when it wants a value, and sends the answer, whatever its status.
    ///
    /// ```swift
    /// let answers = dispatcher.publisher(for: request)
    /// ```
    ///
    /// Sends on the thread that brings the answer. Cancelling a subscription cancels its request.
    public func publisher(for request: any Request) -> AnyPublisher<Response<Data?>, HTTPError> {
        FuturePublisher(future: { future(from: request) }, leave: { $0.cancel() })
            .mapError { HTTPError($0) }
            .eraseToAnyPublisher()
    }
}
