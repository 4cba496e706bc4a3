/// Runs asynchronous jobs one after the other, in the order in which they were added.
///
/// The next job starts after the previous one has returned, however often that one suspends. A job that hangs blocks its own
/// queue, and no other. Jobs run in the task that ``run(_:)`` starts, and the queue lives until they have ended.
///
/// A task starts on the thread of its caller, so a job that blocks that thread, such as a write to a disk, needs an actor
/// instead.
package final class JobQueue: Sendable {
    package typealias Job = @Sendable () async -> Void
    package typealias Launch = @Sendable (@escaping Job) -> Task<Void, Never>

    /// A job. An array of functions would allocate memory whenever one is added or taken, to adapt it.
    private struct Item {
        let job: Job
    }

    private let jobs = Locked(SerialDelivery<Item>())

    package init() {}

    // MARK: Jobs

    /// Adds a job, to be run by ``run(_:)``. Calls no other code, so it may be called under a lock.
    package func add(_ job: @escaping Job) {
        jobs.withLock { $0.add(Item(job: job)) }
    }

    /// Runs the waiting jobs, unless the queue is busy. If the launch starts tasks on this thread, jobs that do not suspend
    /// have ended when this returns.
    package func run(_ launch: Launch) {
        let isMine = jobs.withLock { !$0.isEmpty && $0.reserve() }
        if isMine { runJobs(launch) }
    }

    /// Adds a job, runs the queue, and waits until the job has ended. Cancelling the caller's task has no effect on either.
    ///
    /// A job that calls this on its own queue waits forever.
    ///
    /// - Returns: The result of the job.
    package func perform<Result: Sendable>(
        _ launch: Launch, _ job: @escaping @Sendable () async -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            add { continuation.resume(returning: await job()) }
            run(launch)
        }
    }

    private func runJobs(_ launch: Launch) {
        _ = launch { [self] in
            while let item = jobs.withLock({ $0.next() }) { await item.job() }
        }
    }

    // MARK: Work that does not suspend

    /// Reserves the queue for work that does not suspend, if the queue is idle and empty. If it returns true, the
    /// caller must call ``leave(_:)`` afterwards.
    package func enter() -> Bool {
        jobs.withLock { $0.isEmpty && $0.reserve() }
    }

    /// Releases the queue, and runs the jobs that were added in the meantime.
    package func leave(_ launch: Launch) {
        let hasMore = jobs.withLock { $0.proceed() }
        if hasMore { runJobs(launch) }
    }
}
