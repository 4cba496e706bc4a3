public import CombineShim

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
    /// An error does not count while another load is in flight, because that load may succeed.
    public func failingContent<T>() -> AnyPublisher<T, RequestError> where Output == ResourceState<T> {
        setFailureType(to: RequestError.self)
            .tryCompactMap { try $0.contentOrError() }
            .mapError { RequestError(ofTransform: $0) }
            .eraseToAnyPublisher()
    }
}

extension ResourceState {
    /// Returns the content. Throws the latest error, unless a load in flight may still correct it.
    func contentOrError() throws -> T? {
        if let latestError, !isLoading { throw latestError }
        return content
    }
}
