/// A task that can be cancelled before it exists.
package final class TaskHandle: Sendable {
    package typealias Launch = (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    private struct State {
        var task: Task<Void, Never>?
        /// The task while its starter has not stored it yet.
        var begun: BegunTask?
        var isCancelled = false
    }

    private let state = Locked(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the task at once, or as soon as it begins or is held.
    package func cancel() {
        let (task, begun) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.begun)
        }
        if let task { task.cancel() } else { begun?.cancel() }
    }

    /// Stores the task, so that ``cancel()`` cancels it. Cancels it at once if that was called before.
    package func hold(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            (state.task, state.begun) = (task, nil)
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Starts a task, and stores it. If ``cancel()`` was called before, the task is cancelled from the start.
    package func launch(_ launch: Launch, _ work: @escaping @Sendable () async -> Void) {
        hold(
            launch {
                self.begin()
                await work()
            })
    }

    /// Called by the task itself when it begins, which may be before its starter has stored it. From then on, ``cancel()``
    /// cancels it. Cancels it at once if that was called before.
    ///
    /// - Returns: False if it was.
    @discardableResult
    package func begin() -> Bool {
        let begun = BegunTask()
        let isCancelled = state.withLock { state in
            if state.task == nil { state.begun = begun }
            return state.isCancelled
        }
        if isCancelled { begun?.cancel() }
        return !isCancelled
    }
}

/// The current task, for those who cancel it before its starter has returned. Keeps it alive.
package struct BegunTask: @unchecked Sendable, Equatable {  // others may only cancel a task, and compare it
    private let task: UnsafeCurrentTask

    /// `nil` outside of a task.
    package init?() {
        guard let task = withUnsafeCurrentTask(body: { $0 }) else { return nil }
        self.task = task
    }

    package func cancel() { task.cancel() }
}
