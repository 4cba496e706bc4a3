internal import PigeonCore

/// A task that a ``QueryLab`` runs.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct LabTask<Value: Sendable>: Sendable {
    final class Box: Sendable {
        private let result = Locked<Result<Value, any Error>?>(nil)

        func put(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }
        var value: Result<Value, any Error>? { result.withLock { $0 } }
    }

    let task: Task<Void, Never>
    let box: Box
    /// Returns the executor of the lab. `nil` if the lab was released.
    let executor: @Sendable () -> ManualExecutor?

    /// The result of the task. `nil` while it runs.
    public var result: Result<Value, any Error>? { box.value }

    /// The value. `nil` while the task runs, and if it failed.
    public var value: Value? { try? box.value?.get() }

    /// The error. `nil` while the task runs, and if it succeeded.
    public var error: (any Error)? {
        if case .failure(let error) = box.value { error } else { nil }
    }

    /// Runs the lab until the task has ended. The main actor is free in the meantime, so the task may call async
    /// methods of main-actor types.
    ///
    /// ```swift
    /// let signOut = lab.start { try await model.signOut() }
    /// server.succeed(with: ())
    /// try await signOut.finished()
    /// ```
    ///
    /// Waits for as long as the task waits for an answer, the clock, the network or the foreground. Cancelling the
    /// caller's task cancels this task.
    ///
    /// - Returns: The value.
    /// - Throws: The error of the task. `CancellationError` if the lab is released before the task has ended.
    @discardableResult
    public func finished() async throws -> Value {
        try await withCancellationHandler {
            await executor()?.run { box.value != nil }
            guard let result = box.value else { throw CancellationError() }
            return try result.get()
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels the task, and runs the resulting work.
    public func cancel() {
        task.cancel()
        executor()?.drain()
    }
}
