public import CombineShim
internal import PigeonCore

extension Resource {
    /// What the resource is at: now, and after each event. Loads it when it is subscribed to, unless it is up to date.
    ///
    /// ```swift
    /// api.resource("/users/ann").statePublisher()
    ///     .sink { (state: ResourceState<User>) in show(state) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// The first state is delivered within the subscription, each later one is of right after its event. On the main actor,
    /// each state that has to wait is delivered in a turn of its own, so a subscriber may load within one. A subscriber that
    /// does not ask for more finds the newest later. It never ends. Cancelling it lets the load go too, unless somebody else observes the
    /// resource within 50 ms.
    ///
    /// - Parameter delivery: Where states are delivered. `nil`: where the service's callbacks are.
    public func statePublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<ResourceState<T>, Never> {
        ResourceStatePublisher(resource: self, callbacks: delivery ?? service.callbacks).eraseToAnyPublisher()
    }

    /// The content, with each event at which there is some: the same content may come more than once.
    ///
    /// Says nothing of errors, and nothing while there is no content: ``optionalContentPublisher(deliveredOn:)`` does.
    public func contentPublisher<T>(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<T, Never> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).content()
    }

    /// The content with each event, `nil` while there is none: so that nothing of another resource stays on screen.
    public func optionalContentPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T?, Never> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).optionalContent()
    }

    /// The content, until there is an error that no load under way can put right: also of content of another type.
    public func failingContentPublisher<T>(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T, RequestError> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).failingContent()
    }
}

private struct ResourceStatePublisher<T>: Publisher {
    typealias Output = ResourceState<T>
    typealias Failure = Never

    let resource: Resource
    let callbacks: CallbackDelivery

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let place: DeliveryPlace = callbacks == .main ? .mainActorTurns : .caller
        let delivery = Delivery<Output, Never>(to: subscriber, .newestWithoutDemand, on: place)
        subscriber.receive(subscription: delivery)
        delivery.follow { send in
            let observation = resource.follow { [weak resource] happening in
                if let resource { send(resource.state(of: happening)) }
            }
            return QuerySubscription { [resource] in resource.letGo(of: observation) }
        }
        if delivery.isOpen { resource.loadIfNeeded() }
    }
}

extension Delivery where Failure == Never {
    /// Sends the values of a source, until the subscription is cancelled or released. Does nothing if it has been already.
    ///
    /// - Parameter begin: Begins to call `send` with each value, until the subscription that it returns ends.
    func follow(_ begin: (_ send: @escaping @Sendable (Output) -> Void) -> QuerySubscription) {
        guard isOpen else { return }
        let source = begin { [weak self] in self?.send($0) }
        onCancel { source.cancel() }
    }
}

extension TypedResource {
    /// What the resource is at: now, and after each event. See ``Resource/statePublisher(deliveredOn:)``.
    public func statePublisher(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<ResourceState<T>, Never> {
        resource.statePublisher(deliveredOn: delivery)
    }

    /// The content, with each event at which there is some. See ``Resource/contentPublisher(deliveredOn:)``.
    public func contentPublisher(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<T, Never> {
        resource.contentPublisher(deliveredOn: delivery)
    }

    /// The content with each event, `nil` while there is none. See ``Resource/optionalContentPublisher(deliveredOn:)``.
    public func optionalContentPublisher(deliveredOn delivery: CallbackDelivery? = nil) -> AnyPublisher<T?, Never> {
        resource.optionalContentPublisher(deliveredOn: delivery)
    }

    /// The content, until there is an error. See ``Resource/failingContentPublisher(deliveredOn:)``.
    public func failingContentPublisher(
        deliveredOn delivery: CallbackDelivery? = nil
    ) -> AnyPublisher<T, RequestError> {
        resource.failingContentPublisher(deliveredOn: delivery)
    }

    /// What the resource is at: now, and after each event. See ``Resource/states(as:)``.
    public var states: AsyncStream<ResourceState<T>> { resource.states() }

    /// The content, with each event at which there is some. See ``Resource/contents(as:)``.
    public var contents: AsyncCompactMapSequence<AsyncStream<ResourceState<T>>, T> { resource.contents() }

    /// The content with each event, `nil` while there is none. See ``Resource/optionalContents(as:)``.
    public var optionalContents: AsyncMapSequence<AsyncStream<ResourceState<T>>, T?> { resource.optionalContents() }
}
