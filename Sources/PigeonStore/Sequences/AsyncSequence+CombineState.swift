extension AsyncSequence where Self: Sendable {
    /// What the newest states of two sequences say together, by the rules of ``LoadingState/zip(_:_:)``.
    ///
    /// ```swift
    /// for await profile in users.publish().combineState(posts.publish(), { Profile($0, $1) }) { show(profile) }
    /// ```
    ///
    /// Each iteration reads both from the beginning, from its first `next()` on, as fast as they tell. The first state
    /// comes when both have told one. Who is slow finds the newest in place of those between. Ends when both have ended,
    /// or one without a state, or the reader's task is cancelled; both are let go then, and when the loop is left. One
    /// that throws tells the error as its last state.
    ///
    /// `transform` makes one content of both, where the reader is. Called only where both are there, and
    /// neither is an error.
    @preconcurrency
    public func combineState<
        A: Sendable, B: Sendable,
        S2: AsyncSequence & Sendable, OUTPUT
    >(
        _ s2: S2,
        _ transform: @escaping @Sendable (_ content1: A, _ content2: B) -> OUTPUT
    ) -> LoadingStateSequence<OUTPUT>
    where
        Element == LoadingState<A>, S2.Element == LoadingState<B>
    {
        LoadingStateSequence {
            CombinedStateIterator<Latest2<A, B>, OUTPUT>(
                none: (nil, nil),
                inputs: [
                    stateInput { $0.0 = $1 }, s2.stateInput { $0.1 = $1 },
                ],
                combine: { zipped($0, transform) })
        }
    }

    /// As ``combineState(_:_:)``, of three sequences.
    @preconcurrency
    public func combineState<
        A: Sendable, B: Sendable, C: Sendable,
        S2: AsyncSequence & Sendable, S3: AsyncSequence & Sendable, OUTPUT
    >(
        _ s2: S2, _ s3: S3,
        _ transform: @escaping @Sendable (_ content1: A, _ content2: B, _ content3: C) -> OUTPUT
    ) -> LoadingStateSequence<OUTPUT>
    where
        Element == LoadingState<A>, S2.Element == LoadingState<B>, S3.Element == LoadingState<C>
    {
        LoadingStateSequence {
            CombinedStateIterator<Latest3<A, B, C>, OUTPUT>(
                none: (nil, nil, nil),
                inputs: [
                    stateInput { $0.0 = $1 }, s2.stateInput { $0.1 = $1 }, s3.stateInput { $0.2 = $1 },
                ],
                combine: { zipped($0, transform) })
        }
    }

    /// As ``combineState(_:_:)``, of four sequences.
    @preconcurrency
    public func combineState<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        S2: AsyncSequence & Sendable, S3: AsyncSequence & Sendable, S4: AsyncSequence & Sendable, OUTPUT
    >(
        _ s2: S2, _ s3: S3, _ s4: S4,
        _ transform: @escaping @Sendable (_ content1: A, _ content2: B, _ content3: C, _ content4: D) -> OUTPUT
    ) -> LoadingStateSequence<OUTPUT>
    where
        Element == LoadingState<A>, S2.Element == LoadingState<B>, S3.Element == LoadingState<C>,
        S4.Element == LoadingState<D>
    {
        LoadingStateSequence {
            CombinedStateIterator<Latest4<A, B, C, D>, OUTPUT>(
                none: (nil, nil, nil, nil),
                inputs: [
                    stateInput { $0.0 = $1 }, s2.stateInput { $0.1 = $1 }, s3.stateInput { $0.2 = $1 },
                    s4.stateInput { $0.3 = $1 },
                ],
                combine: { zipped($0, transform) })
        }
    }

    /// As ``combineState(_:_:)``, of five sequences.
    @preconcurrency
    public func combineState<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
        S2: AsyncSequence & Sendable, S3: AsyncSequence & Sendable, S4: AsyncSequence & Sendable,
        S5: AsyncSequence & Sendable, OUTPUT
    >(
        _ s2: S2, _ s3: S3, _ s4: S4, _ s5: S5,
        _ transform:
            @escaping @Sendable (_ content1: A, _ content2: B, _ content3: C, _ content4: D, _ content5: E) -> OUTPUT
    ) -> LoadingStateSequence<OUTPUT>
    where
        Element == LoadingState<A>, S2.Element == LoadingState<B>, S3.Element == LoadingState<C>,
        S4.Element == LoadingState<D>,
        S5.Element == LoadingState<E>
    {
        LoadingStateSequence {
            CombinedStateIterator<Latest5<A, B, C, D, E>, OUTPUT>(
                none: (nil, nil, nil, nil, nil),
                inputs: [
                    stateInput { $0.0 = $1 }, s2.stateInput { $0.1 = $1 }, s3.stateInput { $0.2 = $1 },
                    s4.stateInput { $0.3 = $1 }, s5.stateInput { $0.4 = $1 },
                ],
                combine: { zipped($0, transform) })
        }
    }
}
