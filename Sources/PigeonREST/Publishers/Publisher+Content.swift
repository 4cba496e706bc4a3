public import CombineShim

extension Publisher {
    /// The content of those states that have some, again with every state: the same content may come more than once.
    ///
    /// Says nothing of errors, and nothing while there is no content. Behind `flatMapLatest(_:)` that means that a
    /// screen keeps what the resource before had, for ever if this one fails; ``optionalContent()`` clears it.
    public func content<T>() -> AnyPublisher<T, Failure> where Output == ResourceState<T> {
        compactMap(\.content).eraseToAnyPublisher()
    }

    /// The content of every state, and `nil` where there is none.
    ///
    /// The first state of a resource without content brings `nil`: behind `flatMapLatest(_:)`, nothing of the resource
    /// before stays on screen.
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
    /// The content of those states that have some, until one has an error: that ends it.
    ///
    /// An error of an earlier load does not count while another load is under way, which may put it right.
    public func failingContent<T>() -> AnyPublisher<T, RequestError> where Output == ResourceState<T> {
        setFailureType(to: RequestError.self)
            .tryCompactMap { try $0.contentOrError() }
            .mapError { RequestError(ofTransform: $0) }
            .eraseToAnyPublisher()
    }
}

extension ResourceState {
    /// The content, unless there is an error that no load can put right any more.
    func contentOrError() throws -> T? {
        if let latestError, !isLoading { throw latestError }
        return content
    }
}
