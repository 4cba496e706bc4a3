public import CombineShim
internal import PigeonBase

extension Resource {
    /// Publishes the end of a request, which is created and started for each subscriber. Cancelling a subscription
    /// cancels its request.
    ///
    /// ```swift
    /// starred.requestPublisher { $0.request(.put) }
    ///     .sink(receiveCompletion: { _ in button.stopAnimating() }, receiveValue: { repository.load() })
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// - Parameters:
    ///   - delivery: The place where the end is delivered, after the hooks that `createRequest` has attached. If it is
    ///     `nil`, the place of the service's callbacks.
    ///   - createRequest: Creates the request.
    public func requestPublisher(
        deliveredOn delivery: CallbackDelivery? = nil, createRequest: @escaping @Sendable (Resource) -> any Request
    ) -> AnyPublisher<Void, RequestError> {
        dataRequestPublisher(deliveredOn: delivery, createRequest: createRequest)
    }

    /// Publishes the content of a request, which is created and started for each subscriber.
    ///
    /// Fails with ``RequestError/Cause/WrongContentType`` if the content has another type. `Void` accepts any content.
    ///
    /// - Parameters:
    ///   - delivery: The place where the content is delivered, after the hooks that `createRequest` has attached. If it
    ///     is `nil`, the place of the service's callbacks.
    ///   - createRequest: Creates the request.
    public func dataRequestPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil, createRequest: @escaping @Sendable (Resource) -> any Request
    ) -> AnyPublisher<T, RequestError> {
        RequestPublisher(callbacks: delivery ?? service.callbacks, ownsRequest: true) { createRequest(self) }
            .eraseToAnyPublisher()
    }
}

extension Request {
    /// Publishes the end of the request. Starts it now; subscribing and cancelling do not affect it.
    public func publisher(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<Void, RequestError> {
        dataPublisher(deliveredOn: delivery)
    }

    /// Publishes the content of the request. Starts it now; subscribing and cancelling do not affect it.
    ///
    /// Fails with ``RequestError/Cause/WrongContentType`` if the content has another type. `Void` accepts any content.
    public func dataPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T, RequestError> {
        start()
        return RequestPublisher(callbacks: delivery ?? home, ownsRequest: false) { self }.eraseToAnyPublisher()
    }
}

private struct RequestPublisher<T>: Publisher {
    typealias Output = T
    typealias Failure = RequestError

    let callbacks: CallbackDelivery
    /// True if each subscription has its own request, and cancels it.
    let ownsRequest: Bool
    let makeRequest: @Sendable () -> any Request

    func receive<S: Subscriber>(subscriber: S) where S.Input == T, S.Failure == RequestError {
        let delivery = Delivery<T, RequestError>(
            to: subscriber, .everyValue, on: callbacks == .main ? .mainActor : .caller)
        subscriber.receive(subscription: delivery)
        guard delivery.isOpen else { return }
        let request = makeRequest()
        if ownsRequest { delivery.onCancel { request.cancel() } }
        guard delivery.isOpen else { return }
        request.onCompletion(in: callbacks) { delivery.finish(with: $0.response) }
        request.start()
    }
}

extension Request {
    /// Calls `callback` as ``onCompletion(_:)`` does, but in the given place instead of that of the request's hooks.
    /// Another implementation of ``Request`` than the library's own calls it where it calls its hooks.
    fileprivate func onCompletion(in place: CallbackDelivery, _ callback: @escaping @Sendable (ResponseInfo) -> Void) {
        if let live = self as? LiveRequest {
            _ = live.add(RequestLife.Hook { await place.call(callback, $0) })
        } else {
            onCompletion { callback($0) }
        }
    }
}

extension Delivery where Failure == RequestError {
    fileprivate func finish(with response: Response) {
        let result = response.flatMap(Self.content)
        update { queue in
            switch result {
            case .success(let content):
                _ = queue.add(content)
                queue.end(.finished)
            case .failure(let error): queue.end(.failure(error))
            }
        }
        deliver()
    }

    private static func content(of entity: Entity<any Sendable>) -> Result<Output, RequestError> {
        if let nothing = () as? Output, Output.self == Void.self { return .success(nothing) }
        return Result { () throws(RequestError) in try entity.content() }
    }
}
