public import CombineShim

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
