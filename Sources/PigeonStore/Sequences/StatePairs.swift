internal import PigeonCore

/// Iterates over the newest states of two sequences. The first call of `next()` starts to read both, as fast as they
/// send.
struct StatePairIterator<A: Sendable, B: Sendable, OUTPUT>: AsyncIteratorProtocol {
    private let readings: StateReadings<A, B>
    private let inputs: [StateReadings<A, B>.Input]
    private let combine: (LoadingState<A>, LoadingState<B>) -> LoadingState<OUTPUT>
    private var latest = StateReadings<A, B>.News()

    init(
        _ a: LoadingStateSequence<A>, _ b: LoadingStateSequence<B>,
        _ combine: @escaping (LoadingState<A>, LoadingState<B>) -> LoadingState<OUTPUT>
    ) {
        let readings = StateReadings<A, B>()
        self.readings = readings
        self.combine = combine
        let reader = readings.reader
        inputs = [{ await reader.read(a) { $0.a = $1 } }, { await reader.read(b) { $0.b = $1 } }]
    }

    mutating func next() async -> LoadingState<OUTPUT>? {
        readings.begin(inputs)
        while let news = await readings.reader.mailbox.next() {
            latest.a = news.a ?? latest.a
            latest.b = news.b ?? latest.b
            if let a = latest.a, let b = latest.b { return combine(a, b) }
        }
        readings.cancel()
        return nil
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> LoadingState<OUTPUT>? {
        await next()
    }
}

/// The tasks that read two sequences for an iteration. They are cancelled when this object is released, and do not
/// retain it.
private final class StateReadings<A: Sendable, B: Sendable>: Sendable {
    typealias Input = @Sendable () async -> Void

    /// States that the iteration has not read yet.
    struct News: Sendable {
        var a: LoadingState<A>?
        var b: LoadingState<B>?
    }

    /// Puts the states of both sequences in one mailbox.
    final class Reader: Sendable {
        let mailbox = Mailbox<News>()
        private let runningCount = Locked(2)

        /// Reads a sequence to its end. If the sequence ends without a state, the iteration ends. Otherwise, the
        /// iteration ends when both sequences have ended.
        func read<DATA>(
            _ states: LoadingStateSequence<DATA>, _ set: (inout News, LoadingState<DATA>) -> Void
        ) async {
            var isSilent = true
            for await state in states {
                isSilent = false
                mailbox.update { news in
                    var changed = news ?? News()
                    set(&changed, state)
                    news = changed
                }
            }
            let isLast = runningCount.withLock { count in
                count -= 1
                return count == 0
            }
            if isSilent { mailbox.close() } else if isLast { mailbox.finish() }
        }
    }

    let reader = Reader()
    private let tasks = Locked<[Task<Void, Never>]?>(nil)

    deinit {
        cancel()
    }

    /// Starts to read. Later calls do nothing.
    func begin(_ inputs: [Input]) {
        guard !Task.isCancelled, tasks.withLock({ $0 == nil }) else { return }
        let begun = inputs.map { input in Task { await input() } }
        let isWanted = tasks.withLock { tasks in
            defer { tasks = tasks ?? begun }
            return tasks == nil
        }
        if !isWanted { for task in begun { task.cancel() } }
    }

    func cancel() {
        let cancelled = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in cancelled ?? [] { task.cancel() }
    }
}
