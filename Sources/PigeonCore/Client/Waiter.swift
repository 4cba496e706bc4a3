/// One who awaits an outcome: of a fetch, or of waiting for the network or a turn, which has ``Payload/nothing``.
///
/// Resumed once, by whoever comes first: the outcome or a cancellation. Of one type for all, because a generic class
/// with a lock in it looks up its own layout each time it is made and freed.
final class Waiter: Sendable {
    typealias Outcome = Result<Payload, any Error>

    private enum State {
        case waiting
        case suspended(CheckedContinuation<Payload, any Error>)
        case settled(Outcome)
    }

    private let state = Locked(State.waiting)

    /// The outcome, when it is there already.
    var result: Outcome? {
        state.withLock { state in
            if case .settled(let result) = state { result } else { nil }
        }
    }

    func resume(_ result: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Payload, any Error>? in
            switch state {
            case .waiting:
                state = .settled(result)
                return nil
            case .suspended(let continuation):
                state = .settled(result)
                return continuation
            case .settled:
                return nil
            }
        }
        continuation?.resume(with: result)
    }

    /// Waits for the outcome. A fetch that did not suspend has it already: then nothing suspends here either.
    @discardableResult
    func value(onCancel: @escaping @Sendable () -> Void) async throws -> Payload {
        if let result { return try result.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled = state.withLock { state -> Outcome? in
                    if case .settled(let result) = state { return result }
                    state = .suspended(continuation)
                    return nil
                }
                if let settled { continuation.resume(with: settled) }
            }
        } onCancel: {
            _LockPoints.holdTurn(onCancel)
        }
    }
}
