internal import Foundation

/// What changed since caches were last written.
struct PendingRecords {
    /// A value on its way into a cache.
    struct Save {
        let persistence: Persistence
        let cache: any QueryCacheType
        let payload: Payload
        /// What is in storage now, for values that are kept in parts.
        var previous: Payload?
        let key: QueryKey
        let writtenAt: MonotonicInstant
        let freshFor: Int64?
        let validators: FetchValidators
        var isStale: Bool
    }

    /// For record stores: written behind, in batches.
    var saves: [QueryKey: Save] = [:]
    /// Marks and removals for record stores, in order. They come before the saves: a save made before a mark carries
    /// the mark itself.
    var steps: [RecordStep] = []
    /// Sign-outs that the record stores have not carried out yet. They come before everything else.
    var clears: [Waiter] = []
    /// What is being written right now, so that a read meanwhile does not find what it replaces.
    var underWay: RecordBatch?
    /// When the next write is due.
    var writeAt = Int64.max
    /// How many writes in a row failed.
    var failures = 0

    /// For caches that are written at once, in order, and what a thread is writing right now.
    var directSteps: [DirectStep] = []
    var directUnderWay: [DirectStep]?

    /// Every cache that was ever used with the client: marks and a clear reach them all.
    var caches: [any QueryCacheType] = []

    var directCaches: [any QueryCacheType] { caches.filter { !($0 is any QueryRecordStore) } }
    var stores: [any QueryRecordStore] { caches.compactMap { $0 as? any QueryRecordStore } }

    mutating func know(_ cache: any QueryCacheType) {
        guard !caches.contains(where: { Self.isSame(cache, $0) }) else { return }
        caches.append(cache)
    }

    /// Whether two caches are one: the same object, or structs that hold the same. Looks at bytes, as `==` would be user
    /// code.
    private static func isSame<Cache: QueryCacheType>(_ one: Cache, _ other: any QueryCacheType) -> Bool {
        guard let other = other as? Cache else { return false }
        return withUnsafeBytes(of: one) { one in withUnsafeBytes(of: other) { one.elementsEqual($0) } }
    }

    /// Takes all that waits, leaving nothing.
    mutating func take() -> RecordBatch {
        defer {
            saves = [:]
            steps = []
            clears = []
        }
        return RecordBatch(clears: clears, steps: steps, saves: Array(saves.values), stores: stores)
    }

    /// Puts back what could not be written. What changed since then is newer, and wins.
    ///
    /// - Returns: Whether it was. What was asked before a sign-out is not.
    mutating func putBack(_ batch: RecordBatch) -> Bool {
        guard clears.isEmpty else { return false }
        for save in batch.saves {
            // A newer one takes the place of this, and must write what this could not.
            if saves[save.key] == nil { saves[save.key] = save } else { saves[save.key]?.previous = save.previous }
        }
        steps.insert(contentsOf: batch.steps, at: 0)
        return true
    }

    /// Empties the queues on sign-out.
    ///
    /// - Returns: What was in them, to be freed outside the lock.
    mutating func clear(_ behind: Waiter, _ direct: Waiter) -> Any {
        let dropped = (saves, steps, directSteps)
        saves = [:]
        steps = []
        clears.append(behind)
        directSteps = directSteps.filter { if case .clear = $0 { true } else { false } } + [.clear(direct)]
        return dropped
    }

    // MARK: Reading what waits

    /// What waits to be written for a key, which is newer than what its cache has.
    enum Pending {
        case nothing
        case save(Save)
        case removal
        case stale
    }

    func pending(for key: QueryKey, in cache: any QueryCacheType) -> Pending {
        var pending = Pending.nothing
        guard let store = cache as? any QueryRecordStore else {
            for step in (directUnderWay ?? []) + directSteps { step.change(&pending, of: key) }
            return pending
        }
        if let underWay {
            if !underWay.clears.isEmpty { pending = .removal }
            for step in underWay.steps { step.change(&pending, of: key, in: store) }
            if let save = underWay.saves.first(where: { $0.key == key }) { pending = .save(save) }
        }
        if !clears.isEmpty { pending = .removal }
        for step in steps { step.change(&pending, of: key, in: store) }
        if let save = saves[key] { pending = .save(save) }
        return pending
    }
}

extension PendingRecords.Pending {
    mutating func markStale() {
        switch self {
        case .nothing: self = .stale
        case .save(var save):
            save.isStale = true
            self = .save(save)
        case .removal, .stale: break
        }
    }
}

extension PendingRecords.Save {
    /// When the value was received, by the wall clock.
    func savedAt(now: MonotonicInstant, date: Date) -> Date {
        date.addingTimeInterval(-max(.zero, writtenAt.duration(to: now)).inSeconds)
    }

    func changes(now: MonotonicInstant, date: Date) throws -> [QueryRecordChange] {
        let edits = try persistence.encode(payload, previous, key)
        let savedAt = savedAt(now: now, date: date)
        let saved = edits.saved.map { key, data in
            let record = QueryRecord(
                data: data, savedAt: savedAt, schema: persistence.schema, isStale: isStale,
                freshFor: freshFor.map { Double($0) / 1e9 }, validators: validators, tags: self.key.tags)
            return QueryRecordChange.save(record, for: key)
        }
        return saved + edits.removed.map { .remove($0) }
    }
}

extension ClientState {
    /// How long a change may wait before it is written.
    static let writeDelay = Duration.milliseconds(100)

    mutating func persist(_ slot: Slot, _ moment: Moment, _ work: inout Work) {
        // What was removed leaves nothing in the caches.
        guard !slot.isRemoved, let extras = slot.extras, let persistence = extras.persistence, let cache = extras.cache,
            let payload = slot.entry.base
        else { return }
        var save = PendingRecords.Save(
            persistence: persistence, cache: cache, payload: payload, previous: extras.saved,
            key: slot.key.adding(tags: slot.tags), writtenAt: slot.entry.writtenAt, freshFor: slot.entry.freshFor,
            validators: extras.validators, isStale: slot.entry.isInvalidated)
        if persistence.isIncremental {
            if let old = extras.saved { work.discarded.append(old) }
            extras.saved = payload
        }
        if cache is any QueryRecordStore {
            if let waiting = records.saves[slot.key] { save.previous = waiting.previous }
            if let old = records.saves.updateValue(save, forKey: slot.key) { work.discarded.append(old.payload) }
            scheduleWrite(after: Self.writeDelay, moment, &work)
        } else {
            records.directSteps.append(.save(save))
            work.hasDirectSteps = true
        }
    }

    /// Marks a pending save stale. What is written already is marked by the invalidation's scope; a cache that keeps no
    /// marks needs to be told each key.
    mutating func persistStale(_ slot: Slot, _ work: inout Work) {
        guard let extras = slot.extras, extras.persistence != nil, let cache = extras.cache else { return }
        if cache is any QueryRecordStore {
            records.saves[slot.key]?.isStale = true
        } else {
            records.directSteps.append(.markStale(.key(slot.key)))
            work.hasDirectSteps = true
        }
    }

    /// Marks what is in the caches.
    mutating func markRecords(_ scope: QueryRecordScope, _ moment: Moment, _ work: inout Work) {
        for (key, save) in records.saves where scope.contains(key, tags: save.key.tags) {
            records.saves[key]?.isStale = true
        }
        add(RecordStep(change: .markStale(scope)), .markStale(scope), moment, &work)
    }

    /// Removes what is in the caches, with its parts.
    mutating func removeRecords(_ scope: QueryRecordScope, _ moment: Moment, _ work: inout Work) {
        if case .key(let key) = scope, let extras = slots[key]?.extras, let saved = extras.saved,
            let persistence = extras.persistence
        {
            extras.saved = nil
            work.discarded.append(saved)
            for part in persistence.recordKeys(saved, key) {
                add(RecordStep(change: .remove(.key(part))), .remove(.key(part)), moment, &work)
            }
        }
        for (key, save) in records.saves where scope.contains(key, tags: save.key.tags) {
            work.discarded.append(save.payload)
            records.saves[key] = nil
        }
        add(RecordStep(change: .remove(scope)), .remove(scope), moment, &work)
    }

    private mutating func add(
        _ step: RecordStep, _ direct: DirectStep, _ moment: Moment, _ work: inout Work
    ) {
        if records.caches.contains(where: { !($0 is any QueryRecordStore) }) {
            records.directSteps.append(direct)
            work.hasDirectSteps = true
        }
        if records.caches.contains(where: { $0 is any QueryRecordStore }) {
            records.steps.append(step)
            scheduleWrite(after: Self.writeDelay, moment, &work)
        }
    }

    /// What could not be written is tried again, ever less often while it goes on failing.
    mutating func writeAgain(_ failed: RecordBatch, _ moment: Moment, _ work: inout Work) {
        guard records.putBack(failed) else { return }
        records.failures += 1
        let delay = Self.writeDelay * (1 << min(records.failures, 9))
        scheduleWrite(after: delay, moment, &work)
    }

    private mutating func scheduleWrite(after delay: Duration, _ moment: Moment, _ work: inout Work) {
        let deadline = moment.now.advanced(by: delay).nanoseconds
        guard deadline < records.writeAt else { return }
        records.writeAt = deadline
        insert(Alarm(deadline: deadline, slot: nil), &work)
    }
}
