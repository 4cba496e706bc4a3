public import CombineShim

extension Publisher {
    /// Publishes the newest states of two publishers as one, by the rules of ``LoadingState/zip(_:_:)``.
    ///
    /// ```swift
    /// users.publish().combineState(posts.publish()) { user, posts in Profile(user, posts) }
    /// ```
    ///
    /// Sends when both have sent a state, then whenever either sends. A subscriber that is slow or has no demand
    /// receives the newest state next, and skips the states in between. Completes when both have completed, or when one
    /// completes without a state. Fails as soon as either fails.
    ///
    /// `transform` combines the content of both. It is called only if both have content and neither is an error, one
    /// call at a time, on the thread of the publisher that sends.
    public func combineState<A, B, P2: Publisher, OUTPUT>(
        _ p2: P2, _ transform: @escaping (_ content1: A, _ content2: B) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>,
        P2.Failure == Failure
    {
        LatestPair(self, p2, .newest).map { $0.zip($1, transform) }.eraseToAnyPublisher()
    }

    /// Publishes the newest states of three publishers as one. See ``combineState(_:_:)``.
    public func combineState<A, B, C, P2: Publisher, P3: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P2.Failure == Failure, P3.Failure == Failure
    {
        combineState(p2) { ($0, $1) }.combineState(p3) { transform($0.0, $0.1, $1) }
    }

    /// Publishes the newest states of four publishers as one. See ``combineState(_:_:)``.
    public func combineState<A, B, C, D, P2: Publisher, P3: Publisher, P4: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ p4: P4,
        _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C, _ content4: D) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P4.Output == LoadingState<D>,
        P2.Failure == Failure, P3.Failure == Failure, P4.Failure == Failure
    {
        combineState(p2, p3) { ($0, $1, $2) }.combineState(p4) { transform($0.0, $0.1, $0.2, $1) }
    }

    /// Publishes the newest states of five publishers as one. See ``combineState(_:_:)``.
    public func combineState<A, B, C, D, E, P2: Publisher, P3: Publisher, P4: Publisher, P5: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ p4: P4, _ p5: P5,
        _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C, _ content4: D, _ content5: E) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P4.Output == LoadingState<D>, P5.Output == LoadingState<E>,
        P2.Failure == Failure, P3.Failure == Failure, P4.Failure == Failure, P5.Failure == Failure
    {
        combineState(p2, p3, p4) { ($0, $1, $2, $3) }.combineState(p5) { transform($0.0, $0.1, $0.2, $0.3, $1) }
    }
}

// In StoreFlowable 2.0, `zipState` paired states by their index. Once two stores had sent different numbers of states,
// it combined old states with new ones, or sent nothing. Here, it combines the newest state of each store.

extension Publisher {
    /// Publishes the newest states of two publishers as one. The same as ``combineState(_:_:)``.
    public func zipState<A, B, P2: Publisher, OUTPUT>(
        _ p2: P2, _ transform: @escaping (_ content1: A, _ content2: B) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>,
        P2.Failure == Failure
    {
        combineState(p2, transform)
    }

    /// Publishes the newest states of three publishers as one. See ``combineState(_:_:)``.
    public func zipState<A, B, C, P2: Publisher, P3: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P2.Failure == Failure, P3.Failure == Failure
    {
        combineState(p2, p3, transform)
    }

    /// Publishes the newest states of four publishers as one. See ``combineState(_:_:)``.
    public func zipState<A, B, C, D, P2: Publisher, P3: Publisher, P4: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ p4: P4,
        _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C, _ content4: D) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P4.Output == LoadingState<D>,
        P2.Failure == Failure, P3.Failure == Failure, P4.Failure == Failure
    {
        combineState(p2, p3, p4, transform)
    }

    /// Publishes the newest states of five publishers as one. See ``combineState(_:_:)``.
    public func zipState<A, B, C, D, E, P2: Publisher, P3: Publisher, P4: Publisher, P5: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ p4: P4, _ p5: P5,
        _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C, _ content4: D, _ content5: E) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P4.Output == LoadingState<D>, P5.Output == LoadingState<E>,
        P2.Failure == Failure, P3.Failure == Failure, P4.Failure == Failure, P5.Failure == Failure
    {
        combineState(p2, p3, p4, p5, transform)
    }
}

extension Publisher {
    /// Publishes the same states with transformed content.
    ///
    /// - Parameter transform: Makes the new content. Not called for states without content.
    public func mapContent<A, Z>(
        _ transform: @escaping (_ content: A) -> Z
    ) -> Publishers.Map<Self, LoadingState<Z>> where Output == LoadingState<A> {
        map { $0.mapContent(transform) }
    }
}

/// A publisher of the states of a store.
///
/// ```swift
/// func followUser(_ id: UserId) -> LoadingStatePublisher<User> {
///     users(id).publish()
/// }
/// ```
public typealias LoadingStatePublisher<DATA> = AnyPublisher<LoadingState<DATA>, Never>
