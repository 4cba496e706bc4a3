internal import PigeonCore

/// Runs tasks only in calls of ``drain()``, one after the other, on the calling thread.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ManualExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs the waiting jobs, and the jobs that they add, until none is left.
    ///
    /// - Returns: True if a job ran.
    @discardableResult
    func drain() -> Bool {
        var hasRun = false
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            hasRun = true
        }
        return hasRun
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
