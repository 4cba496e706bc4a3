internal import DequeModule

/// Does what is to be done with one source of truth, one thing after the other, in the order asked.
///
/// A job that hangs holds up its own lane and no other.
package final class SourceLane: Sendable {
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

    /// Adds a job, to be done once ``run(_:)`` is called. Calls nobody: may be used under a lock.
    package func add(_ job: @escaping Job) {
        state.withLock { $0.jobs.append(job) }
    }

    /// Takes the lane for something that does not suspend, if nobody is at it and nothing waits. Followed by ``leave(_:)``.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isBusy, state.jobs.isEmpty else { return false }
            state.isBusy = true
            return true
        }
    }

    /// Gives the lane back, and does what came to wait.
    func leave(_ launch: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>) {
        state.withLock { $0.isBusy = false }
        run(launch)
    }

    /// Does what waits, unless somebody is at it. Jobs that do not suspend are done when this returns.
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
