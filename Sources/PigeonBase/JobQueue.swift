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

    private struct State {
        /// The jobs that run next, last to first, and those that were added since.
        private var next: [Item] = []
        private var added: [Item] = []
        var isBusy = false
        var isEmpty: Bool { next.isEmpty && added.isEmpty }

        mutating func add(_ job: @escaping Job) { added.append(Item(job: job)) }

        mutating func takeFirst() -> Job? {
            isBusy = !isEmpty
            if next.isEmpty { swap(&next, &added); next.reverse() }
            return next.popLast()?.job
        }
    }

    private let state = Locked(State())

    package init() {}

    // MARK: Jobs

    /// Adds a job, to be run by ``run(_:)``. Calls no other code, so it may be called under a lock.
    package func add(_ job: @escaping Job) {
        state.withLock { $0.add(job) }
    }

    /// Runs the waiting jobs, unless the queue is busy. If the launch starts tasks on this thread, jobs that do not suspend
    /// have ended when this returns.
    package func run(_ launch: Launch) {
        let isMine = state.withLock { state in
            guard !state.isBusy, !state.isEmpty else { return false }
            state.isBusy = true
            return true
        }
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
            while let job = state.withLock({ $0.takeFirst() }) { await job() }
        }
    }

    // MARK: Work that does not suspend

    /// Reserves the queue for work that does not suspend, if the queue is idle and empty. If it returns true, the
    /// caller must call ``leave(_:)`` afterwards.
    package func enter() -> Bool {
        state.withLock { state in
            guard !state.isBusy, state.isEmpty else { return false }
            state.isBusy = true
            return true
        }
    }

    /// Releases the queue, and runs the jobs that were added in the meantime.
    package func leave(_ launch: Launch) {
        let hasMore = state.withLock { state in
            state.isBusy = !state.isEmpty
            return state.isBusy
        }
        if hasMore { runJobs(launch) }
    }
}
