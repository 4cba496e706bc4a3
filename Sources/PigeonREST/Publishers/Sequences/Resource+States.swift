internal import PigeonBase

extension Resource {
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
            let observation = follow { [weak self] happening in
                if let self { continuation.yield(state(of: happening)) }
            }
            continuation.onTermination = { [self] _ in letGo(of: observation) }
            loadIfNeeded()
        }
    }

    /// Returns a sequence of the content at each event at which there is content. See
    /// ``contentPublisher(deliveredOn:)``.
    public func contents<T: Sendable>(
        as type: T.Type = T.self
    ) -> AsyncCompactMapSequence<AsyncStream<ResourceState<T>>, T> {
        states(as: type).contents()
    }

    /// Returns a sequence of the content at each event, with `nil` while there is none.
    public func optionalContents<T: Sendable>(
        as type: T.Type = T.self
    ) -> AsyncMapSequence<AsyncStream<ResourceState<T>>, T?> {
        states(as: type).optionalContents()
    }

    /// The events of the resource from now on, each once and in order. Events that have not been read are buffered.
    /// Loads nothing.
    public var events: AsyncStream<ResourceEvent> {
        AsyncStream { continuation in
            let observation = follow { continuation.yield($0.event) }
            continuation.onTermination = { [self] _ in remove(observation) }
        }
    }
}

extension AsyncSequence {
    /// Returns the content of each state that has content. The same content may be returned more than once.
    ///
    /// Returns nothing for errors, and nothing while there is no content. Downstream of ``flatMapLatest(_:)``, the
    /// content of the previous resource therefore stays on screen. ``optionalContents()`` clears it.
    public func contents<T>() -> AsyncCompactMapSequence<Self, T> where Element == ResourceState<T> {
        compactMap { $0.content }
    }

    /// Returns the content of each state, or `nil` if it has none, so that the content of another resource does not
    /// stay on screen.
    public func optionalContents<T>() -> AsyncMapSequence<Self, T?> where Element == ResourceState<T> {
        map { $0.content }
    }

    /// Returns the content of each state that has content. Throws at the first state with an error.
    ///
    /// An error does not count while another load is in flight, because that load may succeed. Nor does it count in the
    /// first state of a resource that is not up to date, because the sequence loads it.
    public func failingContents<T>() -> AsyncThrowingCompactMapSequence<Self, T> where Element == ResourceState<T> {
        compactMap { state throws -> T? in try state.contentOrError() }
    }
}
