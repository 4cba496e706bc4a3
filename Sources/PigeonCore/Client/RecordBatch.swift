internal import Foundation

/// What one write carries to the record stores.
struct RecordBatch {
    var clears: [Waiter] = []
    var steps: [RecordStep] = []
    var saves: [PendingRecords.Save] = []
    let stores: [any QueryRecordStore]

    var isEmpty: Bool { clears.isEmpty && steps.isEmpty && saves.isEmpty }

    /// Encodes and writes, a transaction for each store. User code and disk: never under a lock.
    ///
    /// - Returns: What could not be written, and the problems on the way.
    func write(now: MonotonicInstant, date: Date) -> (failed: RecordBatch?, problems: [QueryCacheProblem]) {
        removeAll()
        var problems: [QueryCacheProblem] = []
        var failed = RecordBatch(stores: stores)
        for store in stores {
            let mySteps = steps.filter { $0.concerns(store) }
            let mySaves = saves.filter { $0.cache as AnyObject === store }
            let records = mySaves.flatMap { save -> [QueryRecordChange] in
                do {
                    return try save.changes(now: now, date: date)
                } catch {
                    problems.append(
                        QueryCacheProblem(key: save.key, description: "a value could not be encoded and was not kept"))
                    return []
                }
            }
            do {
                let changes = try mySteps.flatMap { try $0.changes(in: store) } + records
                if !changes.isEmpty { try store.apply(changes) }
            } catch {
                problems.append(
                    QueryCacheProblem(
                        description: "not written, will be tried again: \(TransientError.label(error))"))
                failed.saves += mySaves
                failed.steps += mySteps.map { RecordStep(change: $0.change, only: ObjectIdentifier(store)) }
            }
            problems += store.takeProblems()
        }
        return (failed.isEmpty ? nil : failed, problems)
    }

    private func removeAll() {
        guard !clears.isEmpty else { return }
        var failure: (any Error)?
        for store in stores {
            do { try store.removeAll() } catch { failure = error }
        }
        for clear in clears { clear.resume(failure.map { .failure($0) } ?? .success(.nothing)) }
    }
}

/// A mark or a removal on its way to the record stores.
struct RecordStep {
    enum Change {
        case markStale(QueryRecordScope)
        case remove(QueryRecordScope)
    }

    let change: Change
    /// The one store that refused it before. `nil` for all.
    var only: ObjectIdentifier?

    func concerns(_ store: any QueryRecordStore) -> Bool { only.map { $0 == ObjectIdentifier(store) } ?? true }

    /// What it means for a store. Reads the store to remove a subtree or a tag.
    func changes(in store: any QueryRecordStore) throws -> [QueryRecordChange] {
        switch change {
        case .markStale(let scope): [.markStale(scope)]
        case .remove(.key(let key)): [.remove(key)]
        case .remove(.all): [.removeAll]
        case .remove(.path(let path)): try store.records(under: path).map { .remove($0.key) }
        case .remove(.tag(let tag)):
            try store.records(under: nil).filter { $0.record.tags.contains(tag) }.map { .remove($0.key) }
        }
    }

    func change(_ pending: inout PendingRecords.Pending, of key: QueryKey, in store: any QueryRecordStore) {
        guard concerns(store) else { return }
        switch change {
        case .markStale(let scope) where scope.contains(key, tags: key.tags): pending.markStale()
        case .remove(let scope) where scope.contains(key, tags: key.tags): pending = .removal
        case .markStale, .remove: break
        }
    }
}

/// A step for the caches that are written at once.
enum DirectStep {
    case save(PendingRecords.Save)
    case markStale(QueryRecordScope)
    case remove(QueryRecordScope)
    case clear(Waiter)

    /// User code: never under a lock.
    func write(to caches: [any QueryCacheType], now: MonotonicInstant, date: Date) {
        switch self {
        case .save(let save):
            save.persistence.store(
                save.payload, save.previous, save.cache, save.key, save.savedAt(now: now, date: date))
        case .markStale(let scope): for cache in caches { cache.markStale(scope) }
        case .remove(.key(let key)): for cache in caches { cache.invalidate(for: key) }
        // Such a cache does not tell its keys: what is not in memory cannot be removed, and is marked instead.
        case .remove(let scope): for cache in caches { cache.markStale(scope) }
        case .clear(let waiter):
            var failure: (any Error)?
            for cache in caches {
                do { try cache.removeAll() } catch { failure = error }
            }
            waiter.resume(failure.map { .failure($0) } ?? .success(.nothing))
        }
    }

    func change(_ pending: inout PendingRecords.Pending, of key: QueryKey) {
        switch self {
        case .save(let save) where save.key == key: pending = .save(save)
        case .markStale(let scope) where scope.contains(key, tags: key.tags): pending.markStale()
        case .remove(.key(key)), .clear: pending = .removal
        case .remove(let scope) where scope.contains(key, tags: key.tags): pending.markStale()
        case .save, .markStale, .remove: break
        }
    }
}
