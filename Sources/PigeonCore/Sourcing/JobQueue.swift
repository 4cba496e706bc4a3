internal import DequeModule

/// Runs the jobs of one source of truth, one after the other, in the order in which they were added.
///
/// A job that hangs blocks its own queue, and no other.
package final class JobQueue: Sendable {
    package typealias Job = @Sendable () async -> Void

    private struct State {
        var jobs: Deque<Job> = []
        var isBusy = false

        mutating func next() -> Job? {
            isBusy = !jobs.isEmpty
            return jobs.popFirst()
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Adds a job, to be run by ``run(_:)``. Calls no other code, so it may be called under a lock.
    package func add(_ job: @escaping Job) {
        state.withLock { $0.jobs.append(job) }
    }

    /// Reserves the queue for work that does not suspend, if the queue is idle and empty. If it returns true, the
    /// caller must call ``leave(_:)`` afterwards.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isBusy, state.jobs.isEmpty else { return false }
            state.isBusy = true
            return true
        }
    }

    /// Releases the queue, and runs the jobs that were added in the meantime.
    func leave(_ launch: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>) {
        state.withLock { $0.isBusy = false }
        run(launch)
    }

    /// Runs the waiting jobs, unless the queue is busy. Jobs that do not suspend have ended when this returns.
    package func run(_ launch: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>) {
        let isMine = state.withLock { state in
            guard !state.isBusy, !state.jobs.isEmpty else { return false }
            state.isBusy = true
            return true
        }
        guard isMine else { return }
        _ = launch { [self] in
            while let job = state.withLock({ $0.next() }) { await job() }
        }
    }
}
