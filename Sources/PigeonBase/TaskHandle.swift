/// A task that can be cancelled before it exists.
package final class TaskHandle: Sendable {
    package typealias Launch = (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Locked(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the task at once, or as soon as it is held.
    package func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Stores the task, so that ``cancel()`` cancels it. Cancels it at once if that was called before.
    package func hold(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Starts a task, and stores it. If ``cancel()`` was called before, the task is cancelled from the start, even if it
    /// begins on this thread, before it is stored.
    package func launch(_ launch: Launch, _ work: @escaping @Sendable () async -> Void) {
        hold(
            launch {
                self.cancelTaskIfCancelled()
                await work()
            })
    }

    /// Cancels the current task, which is that of the handle and may not be stored yet.
    private func cancelTaskIfCancelled() {
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
    }
}
