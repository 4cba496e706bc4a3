public import CombineShim
internal import PigeonBase

extension Resource {
    /// Makes a request and starts it each time it is subscribed to; ends with it. Cancelling cancels the request.
    ///
    /// ```swift
    /// starred.requestPublisher { $0.request(.put) }
    ///     .sink(receiveCompletion: { _ in button.stopAnimating() }, receiveValue: { repository.load() })
    ///     .store(in: &subscriptions)
    /// ```
    public func requestPublisher(
        deliveredOn delivery: CallbackDelivery? = nil, createRequest: @escaping @Sendable (Resource) -> any Request
    ) -> AnyPublisher<Void, RequestError> {
        dataRequestPublisher(deliveredOn: delivery, createRequest: createRequest)
    }

    /// Makes a request and starts it each time it is subscribed to, and brings what it brings, as a type.
    ///
    /// Content of another type ends it with ``RequestError/Cause/WrongContentType``; a `Void` is content of any type.
    public func dataRequestPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil, createRequest: @escaping @Sendable (Resource) -> any Request
    ) -> AnyPublisher<T, RequestError> {
        RequestPublisher(delivery: delivery ?? service.callbacks, ownsRequest: true) { createRequest(self) }
            .eraseToAnyPublisher()
    }
}

extension Request {
    /// Ends with the request, which is under way whether or not anybody subscribes, and goes on if they cancel.
    public func publisher(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<Void, RequestError> {
        dataPublisher(deliveredOn: delivery)
    }

    /// What the request brings, as a type. It is under way whether or not anybody subscribes, and goes on if they cancel.
    ///
    /// Content of another type ends it with ``RequestError/Cause/WrongContentType``; a `Void` is content of any type.
    public func dataPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T, RequestError> {
        start()
        return RequestPublisher(delivery: delivery ?? home, ownsRequest: false) { self }.eraseToAnyPublisher()
    }
}

private struct RequestPublisher<T>: Publisher {
    typealias Output = T
    typealias Failure = RequestError

    let delivery: CallbackDelivery
    /// Whether each subscription has a request of its own, and cancels that.
    let ownsRequest: Bool
    let makeRequest: @Sendable () -> any Request

    func receive<S: Subscriber>(subscriber: S) where S.Input == T, S.Failure == RequestError {
        let subscription = RequestSubscription<T>(AnySubscriber(subscriber), delivery)
        subscriber.receive(subscription: subscription)
        subscription.begin(makeRequest, owns: ownsRequest)
    }
}

private final class RequestSubscription<T>: DeliveringSubscription,
    @unchecked Sendable  // the subscriber, which need not be Sendable, is guarded by the lock and called one at a time
{
    private struct State {
        var delivery: Delivery<T, RequestError>
        var isCancelled = false
        /// What is cancelled with the subscription.
        var request: (any Request)?
    }

    private let state: Locked<State>
    private let place: CallbackDelivery

    init(_ downstream: AnySubscriber<T, RequestError>, _ place: CallbackDelivery) {
        state = Locked(State(delivery: Delivery(downstream)))
        self.place = place
    }

    func withDelivery<Result>(_ body: (inout Delivery<T, RequestError>) -> Result) -> Result {
        state.withLock { body(&$0.delivery) }
    }

    func begin(_ makeRequest: () -> any Request, owns: Bool) {
        guard !state.withLock({ $0.isCancelled }) else { return }
        let request = makeRequest()
        let isCancelled = state.withLock { state in
            if owns, !state.isCancelled { state.request = request }
            return state.isCancelled
        }
        guard !isCancelled else {
            if owns { request.cancel() }
            return
        }
        request.onCompletion { [self] info in end(with: info.response) }
        request.start()
    }

    private func end(with response: Response) {
        state.withLock { $0.request = nil }
        let result = response.flatMap(Self.content)
        withDelivery { delivery in
            switch result {
            case .success(let content):
                delivery.add(content)
                delivery.end(.finished)
            case .failure(let error): delivery.end(.failure(error))
            }
        }
        place.perform { self.deliver() }
    }

    private static func content(of entity: Entity<any Sendable>) -> Result<T, RequestError> {
        if let nothing = () as? T, T.self == Void.self { return .success(nothing) }
        return Result { () throws(RequestError) in try entity.content() }
    }

    func request(_ demand: Subscribers.Demand) {
        withDelivery { $0.ask(demand) }
        place.perform { self.deliver() }
    }

    func cancel() {
        let (request, remains) = state.withLock { state in
            state.isCancelled = true
            defer { state.request = nil }
            return (state.request, state.delivery.clear())
        }
        _ = remains
        request?.cancel()
    }
}
