internal import Foundation

/// One cache, and its pending work.
final class RecordQueue: @unchecked Sendable {  // guarded by the lock of its one client
    let cache: any QueryCacheType
    /// The cache, if it is written in batches after a delay. `nil` for a cache that is written at once.
    let store: (any QueryRecordStore)?

    var pending = RecordWork()
    /// The work that is being written. A read during the write uses it instead of the outdated record.
    var underWay: RecordWork?
    /// Number of writes in a row that failed.
    var failures = 0
    /// True once the client listens to the changes that others make in the cache.
    @exclusivity(unchecked) private var isFollowed = false
    /// The values that a cache without a write delay has refused since the last flush.
    private var refused: [QueryKey: QueryCacheProblem] = [:]
    /// Those who wait for the end of so many writes.
    private var waiters: [(waiter: WaitingCaller, count: Int)] = []
    /// True if work is carried out at once.
    var isDirect: Bool { store == nil && failures == 0 }

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
    func take() -> RecordWork? {
        guard isWaiting else { return nil }
        underWay = pending
        pending = RecordWork()
        return underWay
    }

    /// True if there is work that no thread has taken, and no thread is writing.
    var isWaiting: Bool { underWay == nil && !pending.isEmpty }

    /// Returns a waiter for the end of all present work, if another thread writes to a cache without a write delay.
    func waiterIfBusy() -> WaitingCaller? {
        guard isDirect, underWay != nil else { return nil }
        let waiter = WaitingCaller()
        waiters.append((waiter, pending.isEmpty ? 1 : 2))
        return waiter
    }

    /// Returns those for whom the last write was the one that they wait for, or has failed.
    func takeWaiters() -> [WaitingCaller] {
        guard !waiters.isEmpty else { return [] }
        waiters = waiters.map { ($0.waiter, isDirect ? $0.count - 1 : 0) }
        defer { waiters.removeAll { $0.count == 0 } }
        return waiters.filter { $0.count == 0 }.map(\.waiter)
    }

    /// Returns the store if it is used for the first time, so that the client must begin to listen to its changes.
    func beginFollowing() -> (any QueryRecordStore)? {
        guard !isFollowed else { return nil }
        isFollowed = true
        return store
    }

    /// Stores the problems of a write without delay until ``takeRefused()`` is called.
    func refuse(_ problems: [QueryCacheProblem], of work: RecordWork) {
        guard !refused.isEmpty || !problems.isEmpty else { return }
        refused = refused.filter { key, _ in !work.saves(partOf: key) }
        for problem in problems { problem.key.map { refused[$0] = problem } }
    }

    func takeRefused() -> [QueryCacheProblem] {
        defer { refused = [:] }
        return Array(refused.values)
    }

    /// Ends the current write.
    ///
    /// - Parameter failed: The work that could not be written. Later work takes precedence over it.
    fileprivate func finish(failed: RecordWork?) {
        underWay = nil
        guard var work = failed else { return failures = 0 }
        failures += 1
        work.add(pending)
        pending = work
    }
}

/// The caches of a client, and their pending work.
struct PendingRecords {
    /// A queue for each cache that was ever used with the client, so that marks and a sign-out reach all of them.
    private(set) var queues: [RecordQueue] = []
    /// Time at which the next write of record stores is due, in nanoseconds.
    var writeAt = Int64.max
    private var number: UInt64 = 0

    /// Queues that are written after a delay. Includes a cache without a write delay while its writes fail.
    var behind: [RecordQueue] { queues.filter { !$0.isDirect } }

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

    /// Takes the work of a queue that is written without delay and that no thread is writing.
    func takeDirect() -> (RecordQueue, RecordWork)? {
        for queue in queues where queue.isDirect {
            if let work = queue.take() { return (queue, work) }
        }
        return nil
    }

    /// Empties the queues on sign-out.
    ///
    /// - Returns: A waiter for each cache, and the dropped work, to be released outside the lock.
    func clear() -> (waiters: [WaitingCaller], dropped: [RecordWork]) {
        let waiters = queues.map { _ in WaitingCaller() }
        return (waiters, zip(queues, waiters).map { $0.pending.clear($1) })
    }
}

extension ClientState {
    /// The longest time for which a change waits before it is written.
    static let writeDelay = Duration.milliseconds(100)

    mutating func persist(_ slot: Slot, _ context: EntryContext, _ work: inout Work) {
        // A removed entry leaves no records in the caches, and nobody would look for a temporary identifier.
        guard !slot.isRemoved, !slot.isTemporary, let extras = slot.extras, let persistence = extras.persistence,
            let queue = extras.queue,
            let payload = slot.entry.confirmedValue
        else { return }
        let save = RecordSave(
            persistence: persistence, payload: payload, key: slot.key.adding(tags: slot.tags),
            writtenAt: slot.entry.writtenAt, freshFor: slot.entry.freshFor, metadata: slot.metadata(of: payload),
            isStale: slot.entry.isInvalidated, number: records.nextNumber())
        if let old = queue.pending.add(save) { work.discarded.append(old) }
        scheduleWrite(of: queue, after: Self.writeDelay, context, &work)
    }

    /// Marks a pending save stale. The scope of the invalidation marks records that are already written. A cache that
    /// stores no marks needs each key.
    mutating func persistStale(_ slot: Slot, _ work: inout Work) {
        guard let extras = slot.extras, extras.persistence != nil, let queue = extras.queue else { return }
        guard queue.store == nil else {
            queue.pending.saves[slot.key]?.isStale = true
            return
        }
        queue.pending.markStale(.key(slot.key), records.nextNumber())
        work.hasDirectSteps = true
    }

    /// Marks the records of a scope stale in all caches.
    mutating func markRecords(_ scope: QueryRecordScope, _ context: EntryContext, _ work: inout Work) {
        for queue in records.queues {
            queue.pending.markStale(scope, records.nextNumber())
            scheduleWrite(of: queue, after: Self.writeDelay, context, &work)
        }
    }

    /// Removes the records of a scope from all caches, with their parts.
    mutating func removeRecords(_ scope: QueryRecordScope, _ context: EntryContext, _ work: inout Work) {
        var scopes = [scope]
        if case .key(let key) = scope, let slot = entries[key], let persistence = slot.extras?.persistence,
            persistence.isIncremental
        {
            // A cache that cannot list its keys needs those of the pages.
            let isStore = slot.extras?.queue?.store != nil
            let parts = isStore ? nil : slot.entry.confirmedValue.map { persistence.partKeys($0, key) }
            scopes += [.path(key.pageRecords)] + (parts ?? []).map { .key($0) }
        }
        for queue in records.queues {
            for scope in scopes {
                for save in queue.pending.remove(scope, records.nextNumber()) { work.discarded.append(save) }
            }
            scheduleWrite(of: queue, after: Self.writeDelay, context, &work)
        }
    }

    /// Ends a write. The caller retains the work until the lock is released. Failed work is retried, with a growing
    /// delay while it keeps failing.
    mutating func finishWrite(
        of queue: RecordQueue, failed: RecordWork?, _ context: EntryContext, _ work: inout Work
    ) {
        let wasBehind = !queue.isDirect
        queue.finish(failed: failed)
        // The timer of a cache that failed no longer writes what came meanwhile.
        if wasBehind, queue.isDirect, queue.isWaiting { work.hasDirectSteps = true }
        for waiter in queue.takeWaiters() { work.resumptions.append((waiter, .success(.nothing))) }
        guard failed != nil, !queue.pending.isEmpty else { return }
        scheduleWrite(of: queue, after: Self.writeDelay * (1 << min(queue.failures, 9)), context, &work)
    }

    /// Notes the marks of the records that a queue has written, for the entries that the keys have now.
    func noteWritten(_ records: RecordWork, by queue: RecordQueue) {
        for save in records.saves.values where save.mark != 0 {
            if let extras = entries[save.key]?.extras, extras.queue === queue { extras.recordMark = save.mark }
        }
    }

    private mutating func scheduleWrite(
        of queue: RecordQueue, after delay: Duration, _ context: EntryContext, _ work: inout Work
    ) {
        guard !queue.isDirect else { return work.hasDirectSteps = true }
        let deadline = context.now.advanced(by: delay).nanoseconds
        guard deadline < records.writeAt else { return }
        records.writeAt = deadline
        schedule(at: deadline, &work)
    }
}
