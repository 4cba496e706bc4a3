public import CombineShim

extension Publisher {
    /// What the newest states of two publishers say together, by the rules of ``LoadingState/zip(_:_:)``.
    ///
    /// ```swift
    /// users.publish().combineState(posts.publish()) { user, posts in Profile(user, posts) }
    /// ```
    ///
    /// The first state comes when both have sent one; further ones whenever either sends. Who is slow, or asks for few,
    /// gets the newest in place of those between. Ends when both have ended, or one without a state; fails as soon as
    /// one fails.
    ///
    /// `transform` makes one content of both. Called only where both are there, and neither is an error; one
    /// call at a time, on the thread of whichever publisher sends.
    public func combineState<A, B, P2: Publisher, OUTPUT>(
        _ p2: P2, _ transform: @escaping (_ content1: A, _ content2: B) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>,
        P2.Failure == Failure
    {
        CombinedStatePublisher<Latest2<A, B>, OUTPUT, Failure>(
            none: (nil, nil),
            inputs: [
                stateInput { $0.0 = $1 }, p2.stateInput { $0.1 = $1 },
            ],
            combine: { zipped($0, transform) }
        ).eraseToAnyPublisher()
    }

    /// As ``combineState(_:_:)``, of three publishers.
    public func combineState<A, B, C, P2: Publisher, P3: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P2.Failure == Failure, P3.Failure == Failure
    {
        CombinedStatePublisher<Latest3<A, B, C>, OUTPUT, Failure>(
            none: (nil, nil, nil),
            inputs: [
                stateInput { $0.0 = $1 }, p2.stateInput { $0.1 = $1 }, p3.stateInput { $0.2 = $1 },
            ],
            combine: { zipped($0, transform) }
        ).eraseToAnyPublisher()
    }

    /// As ``combineState(_:_:)``, of four publishers.
    public func combineState<A, B, C, D, P2: Publisher, P3: Publisher, P4: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ p4: P4,
        _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C, _ content4: D) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P4.Output == LoadingState<D>,
        P2.Failure == Failure, P3.Failure == Failure, P4.Failure == Failure
    {
        CombinedStatePublisher<Latest4<A, B, C, D>, OUTPUT, Failure>(
            none: (nil, nil, nil, nil),
            inputs: [
                stateInput { $0.0 = $1 }, p2.stateInput { $0.1 = $1 }, p3.stateInput { $0.2 = $1 },
                p4.stateInput { $0.3 = $1 },
            ],
            combine: { zipped($0, transform) }
        ).eraseToAnyPublisher()
    }

    /// As ``combineState(_:_:)``, of five publishers.
    public func combineState<A, B, C, D, E, P2: Publisher, P3: Publisher, P4: Publisher, P5: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ p4: P4, _ p5: P5,
        _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C, _ content4: D, _ content5: E) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P4.Output == LoadingState<D>, P5.Output == LoadingState<E>,
        P2.Failure == Failure, P3.Failure == Failure, P4.Failure == Failure, P5.Failure == Failure
    {
        CombinedStatePublisher<Latest5<A, B, C, D, E>, OUTPUT, Failure>(
            none: (nil, nil, nil, nil, nil),
            inputs: [
                stateInput { $0.0 = $1 }, p2.stateInput { $0.1 = $1 }, p3.stateInput { $0.2 = $1 },
                p4.stateInput { $0.3 = $1 }, p5.stateInput { $0.4 = $1 },
            ],
            combine: { zipped($0, transform) }
        ).eraseToAnyPublisher()
    }
}

// What StoreFlowable 2.0 calls `zipState` paired states by their index: once two stores had sent different numbers of
// states, it showed old ones beside new ones, or nothing. Here the name gives the newest of each.

extension Publisher {
    /// The same as ``combineState(_:_:)``: the newest states together, not those of one index.
    public func zipState<A, B, P2: Publisher, OUTPUT>(
        _ p2: P2, _ transform: @escaping (_ content1: A, _ content2: B) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>,
        P2.Failure == Failure
    {
        combineState(p2, transform)
    }

    /// As ``zipState(_:_:)``, of three publishers.
    public func zipState<A, B, C, P2: Publisher, P3: Publisher, OUTPUT>(
        _ p2: P2, _ p3: P3, _ transform: @escaping (_ content1: A, _ content2: B, _ content3: C) -> OUTPUT
    ) -> AnyPublisher<LoadingState<OUTPUT>, Failure>
    where
        Output == LoadingState<A>, P2.Output == LoadingState<B>, P3.Output == LoadingState<C>,
        P2.Failure == Failure, P3.Failure == Failure
    {
        combineState(p2, p3, transform)
    }

    /// As ``zipState(_:_:)``, of four publishers.
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

    /// As ``zipState(_:_:)``, of five publishers.
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
    /// The same states with other content.
    ///
    /// - Parameter transform: Makes the content. Not called where there is none.
    public func mapContent<A, Z>(
        _ transform: @escaping (_ content: A) -> Z
    ) -> Publishers.Map<Self, LoadingState<Z>> where Output == LoadingState<A> {
        map { $0.mapContent(transform) }
    }
}

/// Publishes what a store says of its data.
///
/// ```swift
/// func followUser(_ id: UserId) -> LoadingStatePublisher<User> {
///     users(id).publish()
/// }
/// ```
public typealias LoadingStatePublisher<DATA> = AnyPublisher<LoadingState<DATA>, Never>
