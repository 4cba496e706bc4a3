/// One wait for one result: ends once, with the first of its result and the waiter's cancellation.
package final class Turn<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    package init() {}

    /// Waits. To be called once.
    package var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result = state.withLock { state in
                        if state.result == nil { state.continuation = continuation }
                        return state.result
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                end(with: .failure(CancellationError()))
            }
        }
    }

    /// Ends the wait. Returns whether it had not ended before.
    @discardableResult
    package func end(with result: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            guard state.result == nil else { return (false, nil) }
            state.result = result
            defer { state.continuation = nil }
            return (true, state.continuation)
        }
        continuation?.resume(with: result)
        return isFirst
    }
}

extension QueryClock {
    /// Waits for a time. Throws `CancellationError` when the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        let turn = Turn<Void>()
        let alarm = schedule(at: now().advanced(by: duration)) { turn.end(with: .success(())) }
        defer { alarm.cancel() }
        try await turn.value
    }
}
