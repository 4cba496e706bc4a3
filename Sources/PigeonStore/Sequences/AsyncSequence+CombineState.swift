internal import PigeonCore

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

/// Iterates over the newest states of two sequences. The first call of `next()` starts to read both, as fast as they
/// send. Reading ends when the iterator is released.
private struct StatePairIterator<A: Sendable, B: Sendable, OUTPUT>: AsyncIteratorProtocol {
    private let a: LoadingStateSequence<A>
    private let b: LoadingStateSequence<B>
    private let combine: (LoadingState<A>, LoadingState<B>) -> LoadingState<OUTPUT>
    private let reader = StatePairReader<A, B>()
    private var tasks: StatePairTasks?
    private var latest = StatePairReader<A, B>.News()

    init(
        _ a: LoadingStateSequence<A>, _ b: LoadingStateSequence<B>,
        _ combine: @escaping (LoadingState<A>, LoadingState<B>) -> LoadingState<OUTPUT>
    ) {
        self.a = a
        self.b = b
        self.combine = combine
    }

    mutating func next() async -> LoadingState<OUTPUT>? {
        if tasks == nil, !Task.isCancelled { tasks = StatePairTasks(a, b, reader) }
        while let news = await reader.mailbox.next() {
            latest.a = news.a ?? latest.a
            latest.b = news.b ?? latest.b
            if let a = latest.a, let b = latest.b { return combine(a, b) }
        }
        return nil
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> LoadingState<OUTPUT>? {
        await next()
    }
}

/// Puts the states of two sequences in one mailbox.
private final class StatePairReader<A: Sendable, B: Sendable>: Sendable {
    struct News: Sendable {
        var a: LoadingState<A>?
        var b: LoadingState<B>?
    }

    let mailbox = Mailbox<News>()
    private let endedCount = AtomicNumber()

    /// Reads a sequence to its end. If the sequence ends without a state, the iteration ends. Otherwise, the iteration
    /// ends when both sequences have ended.
    func read<DATA>(_ states: LoadingStateSequence<DATA>, _ set: (inout News, LoadingState<DATA>) -> Void) async {
        var isSilent = true
        for await state in states {
            isSilent = false
            mailbox.update { news in
                var changed = news ?? News()
                set(&changed, state)
                news = changed
            }
        }
        let isLast = endedCount.increment() == 2
        if isSilent { mailbox.close() } else if isLast { mailbox.finish() }
    }
}

/// The tasks that read two sequences. They are cancelled when this object is released, and do not retain it.
private final class StatePairTasks: Sendable {
    private let tasks: [Task<Void, Never>]

    init<A, B>(_ a: LoadingStateSequence<A>, _ b: LoadingStateSequence<B>, _ reader: StatePairReader<A, B>) {
        tasks = [Task { await reader.read(a) { $0.a = $1 } }, Task { await reader.read(b) { $0.b = $1 } }]
    }

    deinit {
        for task in tasks { task.cancel() }
    }
}
