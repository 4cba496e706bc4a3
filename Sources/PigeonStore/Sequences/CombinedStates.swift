internal import PigeonCore

/// Holds the newest states of several sequences for one reader.
final class CombinedStates<States: Sendable>: Sendable {
    private struct State {
        var latest: LatestStates<States>?
        var readings: [Task<Void, Never>]?
        var reader: CheckedContinuation<Bool, Never>?

        mutating func takeReader() -> CheckedContinuation<Bool, Never>? {
            defer { reader = nil }
            return reader
        }
    }

    private let state: Locked<State>

    init(_ none: LatestStates<States>) {
        state = Locked(State(latest: none))
    }

    /// The newest states that were not read yet; `nil` once there are no more, or the reader's task is cancelled.
    ///
    /// - Parameter inputs: What is read, from the first call on.
    func next(beginning inputs: [@Sendable (CombinedStates, Int) async -> Void]) async -> States? {
        await withTaskCancellationHandler {
            begin(inputs)
            guard await isReady() else { return nil }
            return state.withLock { $0.latest?.take() }
        } onCancel: {
            cancel()
        }
    }

    func tell(_ input: Int, _ change: (inout States) -> Void) {
        let (old, reader) = state.withLock { state in
            let old = state.latest?.tell(input, change)
            return (old, state.latest?.hasNew == true ? state.takeReader() : nil)
        }
        _ = old  // freed after the lock is
        reader?.resume(returning: true)
    }

    func end(_ input: Int) {
        let isOver = state.withLock { state in
            state.latest?.end(input)
            return state.latest?.isOver == true
        }
        if isOver { cancel() }
    }

    /// Ends all that is being read, and lets go of it.
    func cancel() {
        let old = state.withLock { state in
            defer { state = State(readings: []) }
            return state
        }
        for reading in old.readings ?? [] { reading.cancel() }
        old.reader?.resume(returning: false)
    }

    private func begin(_ inputs: [@Sendable (CombinedStates, Int) async -> Void]) {
        let isFirst = state.withLock { state in
            guard state.readings == nil else { return false }
            state.readings = []
            return true
        }
        guard isFirst else { return }
        let readings = inputs.enumerated().map { index, read in
            Task { await read(self, index) }
        }
        let isWanted = state.withLock { state in
            guard state.latest != nil else { return false }
            state.readings = readings
            return true
        }
        if !isWanted { for reading in readings { reading.cancel() } }
    }

    /// Waits for states to read, or for the end. A second reader at a time sends the first one away.
    private func isReady() async -> Bool {
        await withCheckedContinuation { continuation in
            let (answer, rival) = state.withLock { state -> (Bool?, CheckedContinuation<Bool, Never>?) in
                guard let latest = state.latest, !latest.isOver else { return (false, nil) }
                if latest.hasNew { return (true, nil) }
                let rival = state.takeReader()
                state.reader = continuation
                return (nil, rival)
            }
            rival?.resume(returning: false)
            if let answer { continuation.resume(returning: answer) }
        }
    }
}

/// One reading of what the newest states of several sequences say together.
struct CombinedStateIterator<States: Sendable, OUTPUT>: AsyncIteratorProtocol {
    /// Reads one of the sequences to its end.
    typealias Input = @Sendable (_ combination: CombinedStates<States>, _ index: Int) async -> Void

    private let owner: CombinedStatesOwner<States>
    private let inputs: [Input]
    private let combine: (States) -> LoadingState<OUTPUT>?

    init(none: States, inputs: [Input], combine: @escaping (States) -> LoadingState<OUTPUT>?) {
        owner = CombinedStatesOwner(CombinedStates(LatestStates(none, count: inputs.count)))
        self.inputs = inputs
        self.combine = combine
    }

    mutating func next() async -> LoadingState<OUTPUT>? {
        await owner.combination.next(beginning: inputs).flatMap(combine)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> LoadingState<OUTPUT>? {
        await next()
    }
}

/// Ends what is read for an iteration once nobody holds that. Those who read do not hold it.
private final class CombinedStatesOwner<States: Sendable>: Sendable {
    let combination: CombinedStates<States>

    init(_ combination: CombinedStates<States>) {
        self.combination = combination
    }

    deinit {
        combination.cancel()
    }
}

extension AsyncSequence where Self: Sendable {
    /// This sequence as one input of a combination.
    ///
    /// - Parameter change: Puts a state in its place.
    func stateInput<States: Sendable, DATA: Sendable>(
        _ change: @escaping @Sendable (inout States, LoadingState<DATA>) -> Void
    ) -> CombinedStateIterator<States, DATA>.Input where Element == LoadingState<DATA> {
        let states = LoadingStateSequence(self)
        return { combination, index in
            for await state in states { combination.tell(index) { change(&$0, state) } }
            combination.end(index)
        }
    }
}
