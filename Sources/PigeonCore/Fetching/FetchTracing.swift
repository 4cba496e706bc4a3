/// Follows the fetches of a client: in which task each starts, and in which tasks callers join it.
package protocol FetchTracing: AnyObject, Sendable {
    /// Called when a fetch or a page load begins its first attempt. If a caller starts it, in the caller's task.
    ///
    /// - Parameter number: The ``QueryEvent/fetchNumber``.
    func begin(_ key: QueryKey, number: UInt64, page: PageDirection?, cause: Cause) -> any FetchTrace

    /// Called when a fetch was stopped while its trace began. Its events came too early.
    func end(_ key: QueryKey, number: UInt64)

    /// Called when a caller waits for a fetch that another one has started, in the caller's task.
    func join(_ key: QueryKey, number: UInt64)
}

package protocol FetchTrace: Sendable {
    /// Runs an attempt as a part of the trace.
    func run<Outcome: Sendable>(_ attempt: @Sendable () async -> Outcome) async -> Outcome
}

extension QueryClient {
    /// Replaces the current tracing, if there is any.
    package func beginTracing(_ new: any FetchTracing) {
        tracing.update { $0 = new }
        isTraced.set(1)
    }

    /// Does nothing if another tracing has replaced this one.
    package func endTracing(_ old: any FetchTracing) {
        tracing.withLock { tracing in
            guard tracing === old else { return }
            tracing = nil
            isTraced.set(0)
        }
    }

    /// Begins the trace of a fetch, if it has none.
    func trace(_ run: FetchRun) {
        guard isTraced.value > 0, run.trace == nil, let tracing = tracing.withLock({ $0 }) else { return }
        run.trace = tracing.begin(run.key, number: run.generation, page: run.direction, cause: run.cause)
        if run.isStopped { tracing.end(run.key, number: run.generation) }
    }

    func traceJoin(of run: FetchRun) {
        guard isTraced.value > 0, let tracing = tracing.withLock({ $0 }) else { return }
        tracing.join(run.key, number: run.generation)
    }
}
