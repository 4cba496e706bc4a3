internal import PigeonCore

/// Runs tasks only in calls of ``drain()``, one after the other, on the calling thread.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ManualExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var changeCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Number of jobs that were added, and of calls of ``signal()``, so far.
    var changeCount: Int { state.withLock { $0.changeCount } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        change { $0.jobs.append(job) }
    }

    /// Resumes the calls of ``run(until:)``, so that they check their conditions again.
    func signal() {
        change { _ in }
    }

    /// Runs the waiting jobs, and the jobs that they add, until none is left.
    ///
    /// - Returns: True if a job ran.
    @discardableResult
    func drain() -> Bool {
        var hasRun = false
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            hasRun = true
        }
        return hasRun
    }

    /// Runs jobs on the caller's actor, and suspends whenever there are none, until a condition holds.
    ///
    /// - Parameter isOver: The condition. Call ``signal()`` after another thread has made it true.
    func run(until isOver: () -> Bool) async {
        while true {
            // Counted before the check, so that no change after the check is missed.
            let seen = changeCount
            drain()
            if isOver() { return }
            await waitForChange(after: seen)
        }
    }

    private func waitForChange(after seen: Int) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let hasChanged = state.withLock { state in
                if state.changeCount == seen { state.waiters.append(continuation) }
                return state.changeCount != seen
            }
            if hasChanged { continuation.resume() }
        }
        state.synchronizeAfterResumption()
    }

    private func change(_ make: (inout State) -> Void) {
        let waiters = state.withLock { state in
            make(&state)
            state.changeCount += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension TaskExecutor {
    /// Starts a task on this thread where the system supports that, and continues it on the executor.
    @discardableResult
    func launch(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task(executorPreference: self) { await operation() }
        }
        return Task.immediate(executorPreference: self) { await operation() }
    }
}
