extension QueryClient {
    /// True once the client is closed.
    public var isClosed: Bool { closing.value > 0 }

    /// Ends the work of the client, as before the process ends.
    ///
    /// ```swift
    /// let report = await client.close(within: .seconds(20))
    /// if !report.isComplete { logger.warning("\(report)") }
    /// ```
    ///
    /// From the call on, no fetch and no mutation begins: callers receive ``QueryError/closed(name:)``, unless a value
    /// that they accept is in memory or in a cache. Iterations of observers end. What runs has until the
    /// limit to end, and what waits for its next attempt is cancelled at once. At the limit, or when the caller
    /// is cancelled, the rest is cancelled too. Then every value is written to its cache, an outbox gives its lease back, so
    /// that another process can send its mutations at once, and the client leaves its fleet. A mutation can still be
    /// enqueued: it is recorded, and sent by another process or the next one.
    ///
    /// - Parameter limit: The time for which running fetches and mutations continue. Default 10 seconds.
    /// - Returns: What did not end well. A later call waits for the same, and reports what is left.
    @discardableResult
    public func close(within limit: Duration = .seconds(10)) async -> ClosingReport {
        closing.set(1)
        state.withLock { $0.isClosed = true }
        for part in parts { part.beginClosing() }
        endObservers()
        cancelWhatWaits()
        await settleDown(within: limit)
        // A caller who is cancelled no longer waits for what runs, and still leaves nothing behind.
        let left = activity()
        let unwritten = Locked<[QueryCacheProblem]>([])
        await environment.launch {
            let problems = await self.finish()
            unwritten.withLock { $0 = problems }
        }.value
        return ClosingReport(
            cancelledFetches: left.fetchCount, cancelledMutations: left.mutationCount,
            unwritten: unwritten.withLock { $0 })
    }

    private func finish() async -> [QueryCacheProblem] {
        cancel(.all, cause: .closed)
        for wait in state.withLock({ Array($0.mutations.waits.values) }) { wait.end() }
        for part in parts { await part.finish() }
        let unwritten = await flush()
        for part in parts { part.close() }
        return unwritten
    }

    /// Ends the iterations of all observers. They continue to show their entries, but fetch nothing.
    private func endObservers() {
        let cores = state.withLock { state in
            state.entries.slots.values.flatMap { slot -> [ObserverCore] in
                var cores: [ObserverCore] = []
                slot.observers.forEachUncounted { cores.append($0) }
                return cores
            }
        }
        for core in cores {
            renew(core, isEnabled: false)
            core.close()
        }
    }

    /// Cancels the fetches and mutations that have no running attempt.
    private func cancelWhatWaits() {
        transact { state in
            for slot in state.entries.slots(in: .all) {
                let side = slot.entry.side
                let flights = [slot.entry.flight, side?.next.flight, side?.previous.flight] + slot.entry.olderFlights
                guard !flights.contains(where: { $0?.isRunning ?? false }) else { continue }
                state.send(.cancel(.closed), to: slot)
            }
        }
        for wait in state.withLock({ Array($0.mutations.waits.values) }) { wait.endUnlessRunning() }
    }

    /// Waits until no fetch and no mutation runs.
    private func settleDown(within limit: Duration) async {
        let mailbox = Mailbox<Void>()
        let subscription = onActivity { mailbox.put(()) }
        let alarm = clock.schedule(at: clock.now().advanced(by: max(limit, .zero))) { mailbox.close() }
        defer {
            alarm.cancel()
            subscription.cancel()
        }
        mailbox.put(())
        while await mailbox.next() != nil {
            let activity = activity()
            guard activity.isFetching || activity.isMutating else { return }
        }
    }
}

/// The work that had not ended when a client was closed.
public struct ClosingReport: Sendable, CustomStringConvertible {
    /// The number of entries whose fetches were cancelled at the limit.
    public let cancelledFetches: Int
    /// The number of mutations that were cancelled at the limit. Those of an outbox among them are sent by another
    /// process.
    public let cancelledMutations: Int
    /// The values that their caches have not taken, as ``QueryClient/flush()`` returns them.
    public let unwritten: [QueryCacheProblem]

    /// True if everything had ended and was written.
    public var isComplete: Bool { cancelledFetches == 0 && cancelledMutations == 0 && unwritten.isEmpty }

    /// A sentence for logs.
    public var description: String {
        guard !isComplete else { return "everything had ended and was written" }
        return "cancelled \(cancelledFetches) fetches and \(cancelledMutations) mutations, "
            + "\(unwritten.count) values were not written"
    }
}
