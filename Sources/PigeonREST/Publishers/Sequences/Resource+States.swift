internal import PigeonBase

extension Resource {
    /// What the resource is at: now, and after each event. Loads it when this is called, unless it is up to date.
    ///
    /// ```swift
    /// for await state in user.states(as: User.self) { show(state) }
    /// ```
    ///
    /// Who is slow finds the newest. It never ends by itself; ending it lets the load go too, unless somebody else observes
    /// the resource within 50 ms.
    public func states<T: Sendable>(as type: T.Type = T.self) -> AsyncStream<ResourceState<T>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = follow { [weak self] happening in
                if let self { continuation.yield(state(of: happening)) }
            }
            continuation.onTermination = { [self] _ in letGo(of: observation) }
            loadIfNeeded()
        }
    }

    /// The content, with each event at which there is some. See ``contentPublisher(deliveredOn:)``.
    public func contents<T: Sendable>(
        as type: T.Type = T.self
    ) -> AsyncCompactMapSequence<AsyncStream<ResourceState<T>>, T> {
        states(as: type).contents()
    }

    /// The content with each event, `nil` while there is none.
    public func optionalContents<T: Sendable>(
        as type: T.Type = T.self
    ) -> AsyncMapSequence<AsyncStream<ResourceState<T>>, T?> {
        states(as: type).optionalContents()
    }

    /// What happens to the resource, from now on, each event once and in order; those that are not read yet are kept. Loads
    /// nothing.
    public var events: AsyncStream<ResourceEvent> {
        AsyncStream { continuation in
            let observation = follow { continuation.yield($0.event) }
            continuation.onTermination = { [self] _ in hub.remove(observation, from: self) }
        }
    }
}

extension AsyncSequence {
    /// The content of those states that have some, again with every state: the same content may come more than once.
    ///
    /// Says nothing of errors, and nothing while there is no content: behind ``flatMapLatest(_:)`` a screen keeps what
    /// the resource before had. ``optionalContents()`` clears it.
    public func contents<T>() -> AsyncCompactMapSequence<Self, T> where Element == ResourceState<T> {
        compactMap { $0.content }
    }

    /// The content of every state, and `nil` where there is none: so that nothing of another resource stays on screen.
    public func optionalContents<T>() -> AsyncMapSequence<Self, T?> where Element == ResourceState<T> {
        map { $0.content }
    }

    /// The content of those states that have some, until one has an error: that is thrown.
    ///
    /// An error of an earlier load does not count while another load is under way, which may put it right.
    public func failingContents<T>() -> AsyncThrowingCompactMapSequence<Self, T> where Element == ResourceState<T> {
        compactMap { state throws -> T? in try state.contentOrError() }
    }
}
