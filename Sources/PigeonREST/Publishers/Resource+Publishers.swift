public import CombineShim
internal import PigeonBase

extension Resource {
    /// What the resource is at: now, and after each event. Loads it when it is subscribed to, unless it is up to date.
    ///
    /// ```swift
    /// api.resource("/users/ann").statePublisher()
    ///     .sink { (state: ResourceState<User>) in show(state) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// The first state is there within the subscription, each later one is of right after its event. Who does not ask for
    /// more finds the newest later. It never ends. Cancelling it lets the load go too, unless somebody else observes the
    /// resource within 50 ms.
    ///
    /// - Parameter delivery: Where states are delivered.
    public func statePublisher<T>(
        deliveredOn delivery: PublisherDelivery = .main
    ) -> AnyPublisher<ResourceState<T>, Never> {
        ResourceStatePublisher(resource: self, delivery: delivery).eraseToAnyPublisher()
    }

    /// The content, with each event at which there is some: the same content may come more than once.
    ///
    /// Says nothing of errors, and nothing while there is no content: ``optionalContentPublisher(deliveredOn:)`` does.
    public func contentPublisher<T>(deliveredOn delivery: PublisherDelivery = .main) -> AnyPublisher<T, Never> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).content()
    }

    /// The content with each event, `nil` while there is none: so that nothing of another resource stays on screen.
    public func optionalContentPublisher<T>(
        deliveredOn delivery: PublisherDelivery = .main
    ) -> AnyPublisher<T?, Never> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).optionalContent()
    }

    /// The content, until there is an error that no load under way can put right: also of content of another type.
    public func failingContentPublisher<T>(
        deliveredOn delivery: PublisherDelivery = .main
    ) -> AnyPublisher<T, RequestError> {
        (statePublisher(deliveredOn: delivery) as AnyPublisher<ResourceState<T>, Never>).failingContent()
    }
}

private struct ResourceStatePublisher<T>: Publisher {
    typealias Output = ResourceState<T>
    typealias Failure = Never

    let resource: Resource
    let delivery: PublisherDelivery

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let subscription = ResourceStateSubscription<T>(AnySubscriber(subscriber), resource, delivery)
        subscriber.receive(subscription: subscription)
        subscription.begin()
    }
}

private final class ResourceStateSubscription<T>: DeliveringSubscription,
    @unchecked Sendable  // the subscriber, which need not be Sendable, is guarded by the lock and called one at a time
{
    private struct State {
        var delivery: Delivery<ResourceState<T>, Never>
        var resource: Resource?
        var observation: Observation?
    }

    private let state: Locked<State>
    private let place: PublisherDelivery

    init(_ downstream: AnySubscriber<ResourceState<T>, Never>, _ resource: Resource, _ place: PublisherDelivery) {
        state = Locked(State(delivery: Delivery(downstream), resource: resource))
        self.place = place
    }

    func withDelivery<Result>(_ body: (inout Delivery<ResourceState<T>, Never>) -> Result) -> Result {
        state.withLock { body(&$0.delivery) }
    }

    func begin() {
        guard let resource = state.withLock({ $0.resource }) else { return }
        let observation = resource.follow { [weak self, weak resource] happening in
            guard let self, let resource else { return }
            let new: ResourceState<T> = resource.state(of: happening)
            let old = withDelivery { $0.addNewest(new) }
            _ = old
            place.perform { self.deliver() }
        }
        let isWanted = state.withLock { state in
            guard state.resource != nil else { return false }
            state.observation = observation
            return true
        }
        guard isWanted else { return resource.hub.remove(observation, from: resource) }
        resource.loadIfNeeded()
    }

    func request(_ demand: Subscribers.Demand) {
        withDelivery { $0.ask(demand) }
        place.perform { self.deliver() }
    }

    func cancel() {
        let (resource, observation, remains) = state.withLock { state in
            defer { (state.resource, state.observation) = (nil, nil) }
            return (state.resource, state.observation, state.delivery.clear())
        }
        _ = remains
        guard let resource, let observation else { return }
        resource.hub.remove(observation, from: resource)
        resource.cancelLoadIfUnobserved(afterDelay: 0.05)
    }
}
