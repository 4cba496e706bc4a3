public import CombineShim

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
