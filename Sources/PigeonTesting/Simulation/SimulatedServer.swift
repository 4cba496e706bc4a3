import PigeonCore

/// What a simulated fetch brings: by which call it was asked, and which edits were made to it.
struct SimulatedValue: Codable, Equatable, Sendable {
    var call: Int
    var edits: [UInt64] = []
}

/// The far end of a simulation: every call waits until the simulation answers it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedServer: Sendable {
    struct Call: Sendable {
        let number: Int
        let key: QueryKey
        let epoch: Int
        /// Which direction a page was asked for; `nil` for a whole.
        let isPage: Bool
        let context: FetchContext<SimulatedValue>?
        let continuation: CheckedContinuation<SimulatedValue, any Error>
    }

    private struct State {
        var count = 0
        var epoch = 0
        var open: [Call] = []
        var epochs: [Int: Int] = [:]
        var refreshes = 0
        var refreshesAtCall: [Int: Int] = [:]
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }
    var open: [Call] { state.withLock { $0.open } }

    /// In which epoch a call was asked.
    func epoch(of call: Int) -> Int { state.withLock { $0.epochs[call] ?? 0 } }

    /// Notes that the list begins to be refreshed.
    func beginRefresh() {
        state.withLock { $0.refreshes += 1 }
    }

    /// How many refreshes of the list had begun when a call was asked.
    func refreshes(before call: Int) -> Int { state.withLock { $0.refreshesAtCall[call] ?? 0 } }

    func beginEpoch() -> Int {
        state.withLock { state in
            state.epoch += 1
            return state.epoch
        }
    }

    /// A number for a value that the program writes itself, ordered among the calls.
    func stamp() -> Int {
        state.withLock { state in
            state.count += 1
            state.epochs[state.count] = state.epoch
            state.refreshesAtCall[state.count] = state.refreshes
            return state.count
        }
    }

    /// Waits for the simulation's answer. `deaf` calls ignore their cancellation.
    func ask(
        _ key: QueryKey, isPage: Bool, deaf: Bool, context: FetchContext<SimulatedValue>?
    ) async throws -> SimulatedValue {
        let number = stamp()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled, !deaf { return continuation.resume(throwing: CancellationError()) }
                state.withLock { state in
                    state.open.append(
                        Call(
                            number: number, key: key, epoch: state.epoch, isPage: isPage, context: context,
                            continuation: continuation))
                }
            }
        } onCancel: {
            guard !deaf else { return }
            take(number)?.continuation.resume(throwing: CancellationError())
        }
    }

    func take(_ number: Int) -> Call? {
        state.withLock { state in
            guard let index = state.open.firstIndex(where: { $0.number == number }) else { return nil }
            return state.open.remove(at: index)
        }
    }
}

/// What a simulated fetch or mutation fails with.
struct SimulatedError: TransientErrorType, Equatable {
    var statusCode: Int? = 503
}
