internal import Foundation

/// One cache, and its pending work.
final class RecordQueue: @unchecked Sendable {  // guarded by the lock of its one client
    let cache: any QueryCacheType
    /// The cache, if it stores encoded records. `nil` for a cache that takes one value at a time.
    let store: (any QueryRecordStore)?

    var pending = RecordWork()
    /// The work that is being written. A read during the write uses it instead of the outdated record.
    var underWay: RecordWork?
    /// Number of writes in a row that failed.
    var failures = 0
    /// True once the client listens to the changes that others make in the cache.
    @exclusivity(unchecked) private var isFollowed = false
    /// The values that the cache has refused since the last flush, and that are not tried again.
    private var refused: [QueryKey: QueryCacheProblem] = [:]
    /// Callers that wait for the end of the current write.
    private var waiters: [WaitingCaller] = []

    /// The time for which work waits before it is written. If it is zero, the thread that adds work writes it before its
    /// call returns. A cache whose last write failed is written after a delay, whatever its kind.
    var delay: Duration { store == nil && failures == 0 ? .zero : ClientState.writeDelay }
    /// True if each key that becomes stale or is removed must be named, because the cache may not know its keys.
    var needsEachKey: Bool { store == nil }

    init(_ cache: any QueryCacheType) {
        self.cache = cache
        store = cache as? any QueryRecordStore
    }

    /// Returns the pending work for a key, which is newer than the cache. The cost does not depend on the amount of
    /// pending work.
    func pending(for key: QueryKey) -> PendingRecord {
        pending.pending(for: key, after: underWay?.pending(for: key) ?? .nothing)
    }

    /// Takes the pending work, and marks it as being written.
    ///
    /// - Returns: `nil` if there is no pending work, or if another thread is writing.
    func take() -> (queue: RecordQueue, work: RecordWork)? {
        guard isWaiting else { return nil }
        let work = pending
        (underWay, pending) = (work, RecordWork())
        return (self, work)
    }

    /// True if there is work that no thread has taken, and no thread is writing.
    var isWaiting: Bool { underWay == nil && !pending.isEmpty }

    /// True if work waits that is written without a delay.
    var isDue: Bool { delay == .zero && isWaiting }

    /// Returns a waiter for the end of the current write. `nil` if no thread is writing.
    func waiterIfBusy() -> WaitingCaller? {
        guard underWay != nil else { return nil }
        let waiter = WaitingCaller()
        waiters.append(waiter)
        return waiter
    }

    /// Returns the store if it is used for the first time, so that the client must begin to listen to its changes.
    func beginFollowing() -> (any QueryRecordStore)? {
        guard !isFollowed else { return nil }
        isFollowed = true
        return store
    }

    /// Stores the values that a write has refused until ``takeRefused()`` is called, or until a later write takes them.
    func refuse(_ problems: [QueryCacheProblem], of work: RecordWork) {
        guard !refused.isEmpty || !problems.isEmpty else { return }
        // A sign-out during the write is of the values that it refused, too.
        guard !pending.signsOut else { return refused = [:] }
        refused = refused.filter { key, _ in !work.saves(partOf: key) && work.removals.newest(containing: key) == 0 }
        for problem in problems { problem.key.map { refused[$0] = problem } }
    }

    @discardableResult
    func takeRefused() -> [QueryCacheProblem] {
        defer { refused = [:] }
        return Array(refused.values)
    }

    /// Ends the current write.
    ///
    /// - Parameter failed: The work that could not be written. Later work takes precedence over it.
    /// - Returns: The callers that wait for the end.
    fileprivate func finish(failed: RecordWork?) -> [WaitingCaller] {
        defer { waiters = [] }
        underWay = nil
        failures = failed == nil ? 0 : failures + 1
        if var work = failed {
            work.add(pending)
            pending = work
        }
        return waiters
    }
}

/// The caches of a client, and their pending work.
struct PendingRecords {
    /// A queue for each cache that was ever used with the client, so that marks and a sign-out reach all of them.
    private(set) var queues: [RecordQueue] = []
    /// Time at which the next write of record stores is due, in nanoseconds.
    var writeAt = Int64.max
    private var number: UInt64 = 0

    /// The queues that are written after a delay.
    var delayed: [RecordQueue] { queues.filter { $0.delay > .zero } }

    /// The queue of a cache.
    mutating func queue(of cache: any QueryCacheType) -> RecordQueue {
        if let queue = queues.first(where: { Self.isSame(cache, $0.cache) }) { return queue }
        let queue = RecordQueue(cache)
        queues.append(queue)
        return queue
    }

    /// True if two caches are the same object, or structs with the same content. Compares bytes, because `==` would be
    /// user code.
    private static func isSame<Cache: QueryCacheType>(_ one: Cache, _ other: any QueryCacheType) -> Bool {
        guard let other = other as? Cache else { return false }
        return withUnsafeBytes(of: one) { one in withUnsafeBytes(of: other) { one.elementsEqual($0) } }
    }

    mutating func nextNumber() -> UInt64 {
        number += 1
        return number
    }

    /// Empties the queues on sign-out.
    ///
    /// - Returns: A waiter for each cache, and the dropped work, to be released outside the lock.
    func clear() -> (waiters: [WaitingCaller], dropped: [RecordWork]) {
        let waiters = queues.map { _ in WaitingCaller() }
        for queue in queues { queue.takeRefused() }
        return (waiters, zip(queues, waiters).map { $0.pending.clear($1) })
    }
}

extension ClientState {
    /// The longest time for which a change waits before it is written.
    static let writeDelay = Duration.milliseconds(100)

    mutating func persist(_ slot: Slot) {
        // A removed entry leaves no records in the caches, and nobody would look for a temporary identifier.
        guard !slot.isRemoved, !slot.isTemporary, let extras = slot.extras, let persistence = extras.persistence,
            let queue = extras.queue,
            let payload = slot.entry.confirmedValue
        else { return }
        let save = RecordSave(
            persistence: persistence, payload: payload, key: slot.key.adding(tags: slot.tags),
            writtenAt: slot.entry.writtenAt, freshFor: slot.entry.freshFor, metadata: slot.metadata(of: payload),
            isStale: slot.entry.isInvalidated, number: records.nextNumber())
        discard(queue.pending.add(save))
        scheduleWrite(of: queue, after: queue.delay)
    }

    /// Marks a pending save stale. The scope of the invalidation marks records that are already written, unless the
    /// cache needs each key.
    mutating func persistStale(_ slot: Slot) {
        guard let extras = slot.extras, extras.persistence != nil, let queue = extras.queue else { return }
        guard queue.needsEachKey else {
            queue.pending.saves[slot.key]?.isStale = true
            return
        }
        queue.pending.markStale(.key(slot.key), records.nextNumber())
        work.hasUndelayedRecords = true
    }

    /// Marks the records of a scope stale in all caches.
    mutating func markRecords(_ scope: QueryRecordScope) {
        for queue in records.queues {
            queue.pending.markStale(scope, records.nextNumber())
            scheduleWrite(of: queue, after: queue.delay)
        }
    }

    /// Removes the records of a scope from all caches, with their parts.
    mutating func removeRecords(_ scope: QueryRecordScope) {
        var scopes = [scope]
        if case .key(let key) = scope, let slot = entries[key], let persistence = slot.extras?.persistence,
            persistence.isIncremental
        {
            // A cache that needs each key needs those of the pages.
            let needsParts = slot.extras?.queue?.needsEachKey ?? true
            let parts = needsParts ? slot.entry.confirmedValue.map { persistence.partKeys($0, key) } : nil
            scopes += [.path(key.pageRecords)] + (parts ?? []).map { .key($0) }
        }
        for queue in records.queues {
            for scope in scopes {
                for save in queue.pending.remove(scope, records.nextNumber()) { discard(save) }
            }
            scheduleWrite(of: queue, after: queue.delay)
        }
    }

    /// Ends a write. The caller retains the work until the lock is released. Failed work is retried, with a growing
    /// delay while it keeps failing.
    mutating func finishWrite(of queue: RecordQueue, failed: RecordWork?) {
        for waiter in queue.finish(failed: failed) { work.resumptions.append((waiter, .success(.nothing))) }
        guard failed != nil, !queue.pending.isEmpty else { return }
        scheduleWrite(of: queue, after: queue.delay * (1 << min(queue.failures, 9)))
    }

    /// Notes the marks of the records that a queue has written, for the entries that the keys have now.
    func noteWritten(_ records: RecordWork, by queue: RecordQueue) {
        for save in records.saves.values where save.mark != 0 {
            if let extras = entries[save.key]?.extras, extras.queue === queue { extras.recordMark = save.mark }
        }
    }

    private mutating func scheduleWrite(of queue: RecordQueue, after delay: Duration) {
        guard delay > .zero else { return work.hasUndelayedRecords = true }
        let deadline = now.advanced(by: delay).nanoseconds
        guard deadline < records.writeAt else { return }
        records.writeAt = deadline
        schedule(at: deadline)
    }
}
