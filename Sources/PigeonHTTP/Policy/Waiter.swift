/// A wait for one result. It ends once: with the result or with the cancellation of the waiting task, whichever is first.
final class Waiter<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    /// Waits for the result. Must be called once only.
    var value: Value {
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
                resume(with: .failure(CancellationError()))
            }
        }
    }

    /// Ends the wait, unless it has ended.
    ///
    /// - Returns: True if this call ended it.
    @discardableResult
    func resume(with result: Result<Value, any Error>) -> Bool {
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
    /// Waits for a time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func sleep(for duration: Duration) async throws {
        let waiter = Waiter<Void>()
        let alarm = schedule(at: now().advanced(by: duration)) { waiter.resume(with: .success(())) }
        defer { alarm.cancel() }
        try await waiter.value
    }
}

extension Task where Failure == any Error {
    /// Waits for the task's value. Cancelling the waiting task ends the wait, and leaves this task alone.
    var valueUnlessCancelled: Success {
        get async throws {
            let waiter = Waiter<Success>()
            Task<Void, Never> { waiter.resume(with: await self.result) }
            return try await waiter.value
        }
    }
}
