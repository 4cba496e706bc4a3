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
