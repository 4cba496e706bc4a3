internal import Foundation

/// The outcome of a write.
struct RecordOutcome {
    /// The work that could not be written and is to be tried again.
    var failed: RecordWork?
    /// The problems that occurred.
    var problems: [QueryCacheProblem] = []
    /// The values that are not in the cache, or one item without a key if only marks and removals could not be written.
    var unwritten: [QueryCacheProblem] = []

    fileprivate mutating func fail(_ work: RecordWork, _ problem: String) {
        failed = work
        problems.append(QueryCacheProblem(description: problem))
        unwritten += work.saves.keys.map { QueryCacheProblem(key: $0, description: problem) }
        if work.saves.isEmpty { unwritten.append(QueryCacheProblem(description: problem)) }
    }
}

extension RecordQueue {
    /// Carries out work that was taken from the queue. Calls user code and writes to disk, so it must not be called
    /// under a lock.
    func write(_ work: RecordWork, now: MonotonicInstant, date: Date) -> RecordOutcome {
        var outcome = RecordOutcome()
        guard signOut(work, &outcome) else { return outcome }
        guard let store else {
            writeOneByOne(work, now: now, date: date, &outcome)
            return outcome
        }
        do {
            var records: [QueryRecordChange] = []
            for save in work.saves.values where work.isLive(save) {
                let keepsParts = save.persistence.isIncremental && !work.removesParts(of: save)
                let reader = keepsParts ? StoredParts(store: store) : nil
                let edits = try save.persistence.parts(save.payload, save.key, reader)
                do {
                    records += try save.changes(edits, isStale: work.isStale(save), now: now, date: date)
                } catch {
                    save.mark = 0
                    let problem = QueryCacheProblem(
                        key: save.key, description: "a value could not be encoded and was not kept")
                    outcome.problems.append(problem)
                    outcome.unwritten.append(problem)
                }
            }
            let scopes = work.removals.inOrder
            let changes = work.marks.inOrder.map { .markStale($0) } + records
            if !scopes.isEmpty || !changes.isEmpty { try store.apply(changes, removing: scopes) }
        } catch {
            let problem = "not written, will be tried again: \(TransientError.label(error))"
            outcome.fail(work.remainder(signedOut: true), problem)
        }
        outcome.problems += store.takeProblems()
        return outcome
    }

    /// Empties the cache if a sign-out requested it, before anything else is written.
    ///
    /// - Returns: False if the cache could not be emptied. Until it is, nothing in it is read, and all work waits.
    private func signOut(_ work: RecordWork, _ outcome: inout RecordOutcome) -> Bool {
        guard work.signsOut else { return true }
        let result = Result { try cache.removeAll() }.map { Payload.nothing }
        for clear in work.clears { clear.outcome.resolve(result) }
        guard case .failure(let error) = result else { return true }
        let problem = "not emptied, will be tried again: \(TransientError.label(error))"
        outcome.fail(work.remainder(signedOut: false), problem)
        outcome.problems += cache.takeProblems()
        return false
    }

    /// Carries out work in a cache that takes values without encoding, one at a time, and returns no result. A problem with
    /// a key of the work tells that its value was refused.
    private func writeOneByOne(
        _ work: RecordWork, now: MonotonicInstant, date: Date, _ outcome: inout RecordOutcome
    ) {
        outcome.problems = cache.takeProblems()  // problems of earlier reads
        for scope in work.removals.inOrder { cache.remove(scope) }
        for scope in work.marks.inOrder { cache.markStale(scope) }
        for save in work.saves.values.filter(work.isLive).sorted(by: { $0.number < $1.number }) {
            guard let edits = try? save.persistence.parts(save.payload, save.key, CachedParts(cache: cache)) else {
                continue
            }
            let savedAt = save.savedAt(now: now, date: date)
            for (key, part) in edits.saved { cache.save(part, for: key, andTimestamp: savedAt) }
            for key in edits.removed { cache.invalidate(for: key) }
            if work.isStale(save) { cache.markStale(.key(save.key)) }
        }
        let problems = cache.takeProblems()
        outcome.unwritten = problems.filter { $0.key.map(work.saves(partOf:)) ?? false }
        outcome.problems += problems
    }
}

extension RecordSave {
    /// The changes that write the value.
    fileprivate func changes(
        _ edits: Persistence.PartEdits, isStale: Bool, now: MonotonicInstant, date: Date
    ) throws -> [QueryRecordChange] {
        let savedAt = savedAt(now: now, date: date)
        mark = 0
        let saved = try edits.saved.map { key, part in
            let record = QueryRecord(
                data: try RecordData.data(of: part), savedAt: savedAt, schema: persistence.schema, isStale: isStale,
                freshFor: freshFor, metadata: metadata, tags: self.key.tags)
            if key == self.key { mark = record.mark }
            return QueryRecordChange.save(record, for: key)
        }
        return saved + edits.removed.map { .remove($0) }
    }
}

/// Writes records, one batch at a time and in order.
///
/// An actor and not a job queue, because a write runs in its caller's task, but not on the caller's actor. It costs no
/// task, a lab runs it if it runs the caller, and the main thread never waits for a disk. A write that waits for other
/// threads does not block the next one.
actor RecordWriter {
    /// Writes all work that waits for a delay. When it returns, all work that was pending before the call is written or
    /// queued again.
    func write(for client: QueryClient) {
        _ = client.writeBatches(of: client.state.withLock { $0.records.delayed })
    }

    /// Does the same for the work of all caches, and waits for other threads that write to them.
    ///
    /// - Returns: The values that could not be written.
    @discardableResult
    func writeAll(for client: QueryClient) async -> [QueryCacheProblem] {
        var queues = client.state.withLock { $0.records.queues }
        var unwritten: [QueryCacheProblem] = []
        // The second round is for the work that waited for the writes of other threads. It is in the next write of each
        // cache, so later work cannot prolong the wait.
        for _ in 1...2 {
            let round = client.writeBatches(of: queues)
            unwritten += round.unwritten
            for (_, end) in round.busy { _ = try? await end.outcome.value(onCancel: .isIgnored) }
            queues = round.busy.map(\.queue)
        }
        // A write that failed is tried once more, so that what cannot be written is known.
        let failed = client.state.withLock { _ in queues.filter { $0.failures > 0 } }
        return unwritten + client.writeBatches(of: failed).unwritten
    }

    /// Makes each cache write to disk the changes that are only in memory.
    func flush(_ caches: [any QueryCacheType]) {
        for cache in caches { cache.flush() }
    }
}
