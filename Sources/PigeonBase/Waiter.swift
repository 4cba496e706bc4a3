/// A wait for one result. It ends once: with the result, or with the cancellation of the waiting task, whichever comes
/// first.
package final class Waiter<Value: Sendable>: @unchecked Sendable {  // `result` is read after the latch opens
    private let latch = Latch()
    private var result: Result<Value, any Error>?

    package init() {}

    /// Waits for the result. Must be called once only.
    package var value: Value {
        get async throws { try await value(endsWithTask: true) }
    }

    /// Waits for the result. Must be called once only.
    ///
    /// - Parameter endsWithTask: False to wait on after the task is cancelled.
    package func value(endsWithTask: Bool) async throws -> Value {
        await latch.wait { if endsWithTask { self.resume(with: .failure(CancellationError())) } }
        guard let result else { throw CancellationError() }
        return try result.get()
    }

    /// Ends the wait, unless it has ended.
    ///
    /// - Returns: True if this call ended it.
    @discardableResult
    package func resume(with result: Result<Value, any Error>) -> Bool {
        latch.open { self.result = result }
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
    package var valueUnlessCancelled: Success {
        get async throws {
            let waiter = Waiter<Success>()
            Task<Void, Never> { waiter.resume(with: await self.result) }
            return try await waiter.value
        }
    }
}
