extension AsyncSequence where Self: Sendable {
    /// Combines the newest states of two sequences, by the rules of ``LoadingState/zip(_:_:)``.
    ///
    /// ```swift
    /// for await profile in users.publish().combineState(posts.publish(), { Profile($0, $1) }) { show(profile) }
    /// ```
    ///
    /// The first `next()` of an iteration starts to read both sequences from the beginning, as fast as they send. The
    /// first combined state follows once both have sent a state. A slow reader receives the newest states and skips
    /// those in between. The iteration ends when both sequences have ended, when one ends without a state, or when the
    /// reader's task is cancelled. It then releases both, as it does when the loop exits. If a sequence throws, the
    /// error becomes its last state.
    ///
    /// `transform` combines the content of both, in the reader's task. It is called only if both have content and
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
        let (a, b) = (LoadingStateSequence(self), LoadingStateSequence(s2))
        return LoadingStateSequence { StatePairIterator(a, b) { $0.zip($1, transform) } }
    }

    /// Combines the newest states of three sequences. See ``combineState(_:_:)``.
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
        combineState(s2) { ($0, $1) }.combineState(s3) { transform($0.0, $0.1, $1) }
    }

    /// Combines the newest states of four sequences. See ``combineState(_:_:)``.
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
        combineState(s2, s3) { ($0, $1, $2) }.combineState(s4) { transform($0.0, $0.1, $0.2, $1) }
    }

    /// Combines the newest states of five sequences. See ``combineState(_:_:)``.
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
        combineState(s2, s3, s4) { ($0, $1, $2, $3) }.combineState(s5) { transform($0.0, $0.1, $0.2, $0.3, $1) }
    }
}
