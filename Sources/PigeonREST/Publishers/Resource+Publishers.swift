public import CombineShim
internal import PigeonCore

extension Resource {
    /// Publishes the state of the resource: now, and after each event. A subscription loads the resource unless it is
    /// up to date.
    ///
    /// ```swift
    /// api.resource("/users/ann").statePublisher()
    ///     .sink { (state: ResourceState<User>) in show(state) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Sends the first state during the subscription. Each later one is the state right after its event. On the main
    /// actor, waiting states are sent in separate turns, so a subscriber may load the resource as it receives one. A
    /// subscriber without demand receives the newest state when it requests one. Never completes. After a cancellation,
    /// the load is cancelled too, unless the resource has another observer within 50 ms.
    ///
    /// - Parameter delivery: The place where states are delivered. If it is `nil`, the place of the service's
    ///   callbacks.
    public func statePublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<ResourceState<T>, Never> {
        let context: DeliveryContext = (delivery ?? service.callbacks) == .main ? .mainActorTurns : .caller
        let states = SourcePublisher<ResourceState<T>>(context: context) { send in
            let observation = self.follow { [weak self] eventRecord in
                if let self { send(state(of: eventRecord)) }
            }
            return QuerySubscription { self.letGo(of: observation) }
        } followed: {
            self.loadIfNeeded()
        }
        return states.eraseToAnyPublisher()
    }

    /// Publishes the content at each event, so the same content may be sent more than once.
    ///
    /// Sends nothing for errors, and nothing while there is no content. See ``optionalContentPublisher(deliveredOn:)``.
    public func contentPublisher<T>(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<T, Never> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).content()
    }

    /// Publishes the content at each event, and `nil` while there is none, so that the content of another resource does
    /// not stay on screen.
    public func optionalContentPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T?, Never> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).optionalContent()
    }

    /// Publishes the content until there is an error, including an error about content of another type. An error does
    /// not count while a load is in flight, or before the load that the subscription begins.
    public func failingContentPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T, RequestError> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).failingContent()
    }

    /// Returns a stream of the resource's states: the current one, and one after each event. The call loads the
    /// resource, unless it is up to date.
    ///
    /// ```swift
    /// for await state in user.states(as: User.self) { show(state) }
    /// ```
    ///
    /// A slow reader receives the newest state. The stream never ends by itself. When its iteration ends, the load is
    /// cancelled too, unless the resource has another observer within 50 ms.
    public func states<T: Sendable>(as type: T.Type = T.self) -> AsyncStream<ResourceState<T>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = follow { [weak self] eventRecord in
                if let self { continuation.yield(state(of: eventRecord)) }
            }
            continuation.onTermination = { [self] _ in letGo(of: observation) }
            loadIfNeeded()
        }
    }
}

/// Publishes the values of a source. Each subscription follows the source by itself.
struct SourcePublisher<Output>: Publisher {
    typealias Failure = Never

    var context = DeliveryContext.caller
    /// Begins to call `send` with each value, until the subscription that it returns ends.
    let follow: (_ send: @escaping @Sendable (Output) -> Void) -> QuerySubscription
    /// Called after that, unless the subscriber has cancelled by then.
    var followed: () -> Void = {}

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let delivery = Delivery<Output, Never>(to: subscriber, .newestWithoutDemand, on: context)
        subscriber.receive(subscription: delivery)
        guard delivery.isOpen else { return }
        let source = follow { [weak delivery] in delivery?.send($0) }
        delivery.onCancel { source.cancel() }
        if delivery.isOpen { followed() }
    }
}

extension TypedResource {
    /// Publishes the state of the resource: now, and after each event. See ``Resource/statePublisher(deliveredOn:)``.
    public func statePublisher(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<ResourceState<T>, Never> {
        resource.statePublisher(deliveredOn: delivery)
    }

    /// Publishes the content at each event. See ``Resource/contentPublisher(deliveredOn:)``.
    public func contentPublisher(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<T, Never> {
        resource.contentPublisher(deliveredOn: delivery)
    }

    /// Publishes the content, or `nil`, at each event. See ``Resource/optionalContentPublisher(deliveredOn:)``.
    public func optionalContentPublisher(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<T?, Never> {
        resource.optionalContentPublisher(deliveredOn: delivery)
    }

    /// Publishes the content until there is an error. See ``Resource/failingContentPublisher(deliveredOn:)``.
    public func failingContentPublisher(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T, RequestError> {
        resource.failingContentPublisher(deliveredOn: delivery)
    }

    /// The states of the resource: now, and after each event. See ``Resource/states(as:)``.
    public var states: AsyncStream<ResourceState<T>> { resource.states() }
}

extension Publisher {
    /// Publishes the content of each state that has content. The same content may be sent more than once.
    ///
    /// Sends nothing for errors, and nothing while there is no content. Downstream of `flatMapLatest(_:)`, the content
    /// of the previous resource therefore stays on screen, permanently if the new resource fails. ``optionalContent()``
    /// clears it.
    public func content<T>() -> AnyPublisher<T, Failure> where Output == ResourceState<T> {
        compactMap(\.content).eraseToAnyPublisher()
    }

    /// Publishes the content of each state, or `nil` if it has none.
    ///
    /// The first state of a resource without content sends `nil`. Downstream of `flatMapLatest(_:)`, the content of the
    /// previous resource therefore does not stay on screen.
    ///
    /// ```swift
    /// users
    ///     .flatMapLatest { $0.statePublisher() }
    ///     .optionalContent()
    ///     .sink { card.user = $0 }
    ///     .store(in: &subscriptions)
    /// ```
    public func optionalContent<T>() -> AnyPublisher<T?, Failure> where Output == ResourceState<T> {
        map(\.content).eraseToAnyPublisher()
    }
}

extension Publisher where Failure == Never {
    /// Publishes the content of each state that has content. Fails at the first state with an error.
    ///
    /// An error does not count while another load is in flight, because that load may succeed. Nor does it count in the
    /// first state of a resource that is not up to date, because the subscription loads it.
    public func failingContent<T>() -> AnyPublisher<T, RequestError> where Output == ResourceState<T> {
        setFailureType(to: RequestError.self)
            .tryCompactMap { try $0.contentOrError() }
            .mapError { RequestError(ofTransform: $0) }
            .eraseToAnyPublisher()
    }
}

extension ResourceState {
    /// Returns the content. Throws the latest error, unless a load may still correct it that is in flight, or that
    /// begins after the first state.
    fileprivate func contentOrError() throws -> T? {
        let isToBeLoaded = latestEvent == .observerAdded && !isUpToDate
        if let latestError, !isLoading, !isToBeLoaded { throw latestError }
        return content
    }
}
