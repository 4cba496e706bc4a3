internal import PigeonCore

/// Runs tasks only when told, one after the other, on the thread that tells it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ManualExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs what waits, and what that makes wait, until nothing does.
    ///
    /// - Returns: Whether anything ran.
    @discardableResult
    func drain() -> Bool {
        var hasRun = false
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            hasRun = true
        }
        return hasRun
    }

    /// Starts a task on this thread where the system can, and carries it on by the executor.
    @discardableResult
    func launch(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task(executorPreference: self) { await operation() }
        }
        return Task.immediate(executorPreference: self) { await operation() }
    }
}
