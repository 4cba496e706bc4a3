import PigeonCore

/// A store with one value that hangs and throws when the simulation decides, and that is changed from outside.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedSource: SourceOfTruth {
    struct State {
        var content: SimulatedValue?
        var isStale = false
        var isHeld = false
        var failures = 0
        var gates: [CheckedContinuation<Void, Never>] = []
        var handlers: [Int: @Sendable () -> Void] = [:]
        var count = 0
    }

    let lane = SourceLane()
    let state: Locked<State>

    init(_ content: SimulatedValue? = nil, isStale: Bool = false) {
        state = Locked(State(content: content, isStale: isStale))
    }

    var content: SimulatedValue? { state.withLock { $0.content } }

    func hold() { state.withLock { $0.isHeld = true } }
    func failNext() { state.withLock { $0.failures += 1 } }

    /// Resumes all waiting calls, and lets later calls pass.
    func release() {
        let gates = state.withLock { state in
            state.isHeld = false
            defer { state.gates = [] }
            return state.gates
        }
        for gate in gates { gate.resume() }
    }

    /// Removes all failures before the end of a run.
    func heal() {
        state.withLock { $0.failures = 0 }
        release()
    }

    func changeOutside(_ content: SimulatedValue?) {
        let handlers = state.withLock { state in
            state.content = content
            return state.handlers.sorted { $0.key < $1.key }.map(\.value)
        }
        for handler in handlers { handler() }
    }

    private func perform<Result: Sendable>(_ body: (inout State) -> Result) async throws -> Result {
        if state.withLock({ $0.isHeld }) {
            await withCheckedContinuation { gate in state.withLock { $0.gates.append(gate) } }
        }
        return try state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                throw SimulatedError(statusCode: nil)
            }
            return body(&state)
        }
    }

    func put(_ content: SimulatedValue?) async throws {
        try await perform { $0.content = content }
    }

    func read() async throws -> Payload? {
        try await perform { $0.content }.map { PayloadOf($0) }
    }

    func isStale(_ payload: Payload) async throws -> Bool {
        try await perform { $0.isStale }
    }

    func save(_ payload: Payload) async throws {
        guard let value = (payload as? PayloadOf<SimulatedValue>)?.value else { return }
        try await perform { state in
            state.content = value
            state.isStale = false
        }
    }

    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool { false }

    func clear() async throws {
        try await perform { $0.content = nil }
    }

    func markStale() async throws {
        try await perform { $0.isStale = true }
    }

    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
        let id = state.withLock { state in
            state.count += 1
            state.handlers[state.count] = handler
            return state.count
        }
        return QuerySubscription { [weak self] in
            _ = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
        }
    }
}
