import Foundation
import PigeonCore
import PigeonTesting

/// A store in memory, which breaks one rule of the contract if it has a flaw.
final class ToyStore: QueryRecordStore {
    /// A mistake that authors of stores make.
    enum Flaw: CaseIterable {
        case throwsIfMissing, losesValidators, losesAllowance, losesInfinity, keepsOldTags, reversesBatches
        case ignoresCase, limitsKeys
        case findsByPrefix, removesTooMuch, removesByPrefix, removesTagsByPrefix, keepsSome, removesLast, marksTooMuch
        case dropsStaleValues, limitsCount, appliesOneByOne, removesBeforeSaving, losesUpdates
        case savesElsewhere, miscounts, forgets

        /// The rule that the flaw breaks.
        var rule: RecordStoreContract.Rule {
            switch self {
            case .throwsIfMissing: .returnsNothingUnsaved
            case .losesValidators, .losesAllowance, .losesInfinity: .keepsEveryField
            case .keepsOldTags: .replacesRecords
            case .reversesBatches: .appliesChangesInOrder
            case .ignoresCase, .limitsKeys: .keepsKeysApart
            case .findsByPrefix: .findsByPath
            case .removesTooMuch: .removesByKey
            case .removesByPrefix: .removesByPath
            case .removesTagsByPrefix: .removesByTag
            case .keepsSome: .removesAll
            case .removesLast: .removesBeforeChanges
            case .marksTooMuch, .dropsStaleValues: .marksStale
            case .limitsCount: .keepsManyRecords
            case .appliesOneByOne, .removesBeforeSaving: .readsWholeBatches
            case .losesUpdates: .losesNothingToThreads
            case .savesElsewhere: .servesValues
            case .miscounts: .addsUpRecords
            case .forgets: .outlivesStore
            }
        }
    }

    struct Missing: Error {}

    typealias Records = [QueryKey: QueryRecord]

    /// The content of a file, which outlives its store.
    final class File: Sendable {
        let records = Locked<Records>([:])
    }

    private let flaw: Flaw?
    private let file: File
    private let readCount = Locked(0)

    init(_ flaw: Flaw? = nil, file: File = File()) {
        self.flaw = flaw
        self.file = flaw == .forgets ? File() : file
    }

    // MARK: Reading

    func record(for key: QueryKey) throws -> QueryRecord? {
        guard let record = file.records.withLock({ $0[stored(key)] }) else {
            if flaw == .throwsIfMissing { throw Missing() }
            return nil
        }
        return record
    }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        defer { readCount.withLock { $0 += 1 } }
        return file.records.withLock { $0 }.filter { key, _ in path.map { isWithin(key, $0) } ?? true }
            .map { ($0.key, $0.value) }
    }

    func totals() throws -> QueryCacheTotals? {
        let records = file.records.withLock { $0.values }
        let dates = records.map(\.savedAt)
        return QueryCacheTotals(
            records: records.count + (flaw == .miscounts ? 1 : 0), bytes: records.reduce(0) { $0 + $1.data.count },
            oldest: dates.min(), newest: dates.max())
    }

    private func isWithin(_ key: QueryKey, _ path: QueryKey) -> Bool {
        flaw == .findsByPrefix ? key.queryKeyValue.hasPrefix(path.queryKeyValue) : key.isWithin(path)
    }

    /// The key under which a record is stored.
    private func stored(_ key: QueryKey) -> QueryKey {
        switch flaw {
        case .ignoresCase: QueryKey(value: key.queryKeyValue.lowercased())
        case .limitsKeys where key.queryKeyValue.utf8.count > 255: QueryKey(value: "\(key.queryKeyValue.prefix(255))")
        default: key
        }
    }

    // MARK: Writing

    func apply(_ changes: [QueryRecordChange]) throws {
        try apply(changes, removing: [])
    }

    func apply(_ changes: [QueryRecordChange], removing scopes: [QueryRecordScope]) throws {
        let changes = flaw == .reversesBatches ? changes.reversed() : changes
        switch flaw {
        case .appliesOneByOne: applyOneByOne(changes, scopes)
        case .removesBeforeSaving: applyAfterRemoval(changes, scopes)
        case .losesUpdates: applyToCopy(changes, scopes)
        default: file.records.withLock { apply(changes, scopes, to: &$0) }
        }
    }

    private func apply(_ changes: [QueryRecordChange], _ scopes: [QueryRecordScope], to records: inout Records) {
        if flaw != .removesLast { for scope in scopes { remove(scope, &records) } }
        for change in changes { apply(change, to: &records) }
        if flaw == .removesLast { for scope in scopes { remove(scope, &records) } }
        while flaw == .limitsCount, records.count > 1_000, let key = records.keys.first { records[key] = nil }
    }

    private func apply(_ change: QueryRecordChange, to records: inout Records) {
        switch change {
        case .save(let record, let key): save(record, for: key, &records)
        case .remove(let key): remove(.key(key), &records)
        case .markStale(let scope): mark(scope, &records)
        case .removeAll: remove(.all, &records)
        }
    }

    private func save(_ record: QueryRecord, for key: QueryKey, _ records: inout Records) {
        var record = record
        if flaw == .losesValidators { record.validators = FetchValidators(eTag: record.validators.eTag) }
        if flaw == .losesAllowance { record.staleIfError = nil }
        if flaw == .losesInfinity, record.freshFor == .infinity { record.freshFor = nil }
        if flaw == .keepsOldTags { record.tags += records[key]?.tags ?? [] }
        records[stored(key)] = record
    }

    private func remove(_ scope: QueryRecordScope, _ records: inout Records) {
        switch scope {
        case .key(let key) where flaw == .removesTooMuch: records = records.filter { !$0.key.isWithin(key) }
        case .path(let path) where flaw == .removesByPrefix:
            records = records.filter { !$0.key.queryKeyValue.hasPrefix(path.queryKeyValue) }
        case .tag(let tag) where flaw == .removesTagsByPrefix:
            records = records.filter { !$0.value.tags.contains { $0.hasPrefix(tag) } }
        case .all where flaw == .keepsSome: records = records.filter { $0.key == "a" }
        default: records = records.filter { !scope.contains($0.key, tags: $0.value.tags) }
        }
    }

    private func mark(_ scope: QueryRecordScope, _ records: inout Records) {
        let scope = flaw == .marksTooMuch ? .all : scope
        for (key, record) in records where scope.contains(key, tags: record.tags) {
            records[key]?.isStale = true
            if flaw == .dropsStaleValues { records[key]?.data = Data() }
        }
    }

    // MARK: Flaws of stores that several threads use

    /// Releases the lock between the changes of a batch, until another thread has read.
    private func applyOneByOne(_ changes: [QueryRecordChange], _ scopes: [QueryRecordScope]) {
        file.records.withLock { apply([], scopes, to: &$0) }
        for change in changes {
            file.records.withLock { apply(change, to: &$0) }
            letOthersRead()
        }
    }

    /// Removes what a batch replaces, and releases the lock until another thread has read.
    private func applyAfterRemoval(_ changes: [QueryRecordChange], _ scopes: [QueryRecordScope]) {
        file.records.withLock { records in
            for case .save(_, let key) in changes { records[stored(key)] = nil }
        }
        letOthersRead()
        file.records.withLock { apply(changes, scopes, to: &$0) }
    }

    private func letOthersRead() {
        let count = readCount.withLock { $0 }
        letOthersRun { readCount.withLock { $0 } > count }
    }

    /// Changes a copy of the records, and replaces the records by the copy, also if another thread has changed them.
    private func applyToCopy(_ changes: [QueryRecordChange], _ scopes: [QueryRecordScope]) {
        var copy = file.records.withLock { $0 }
        let old = copy
        apply(changes, scopes, to: &copy)
        letOthersRun { file.records.withLock { $0 } != old }
        file.records.withLock { $0 = copy }
    }

    /// Lets other threads run until a condition holds, or for a while.
    private func letOthersRun(until isMet: () -> Bool) {
        var count = 0
        while count < 100, !isMet() {
            sched_yield()
            count += 1
        }
    }

    // MARK: Values

    func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        guard let data = try? JSONEncoder().encode([value]) else { return }
        let key = flaw == .savesElsewhere ? key.appending("value") : key
        try? apply([.save(QueryRecord(data: data, savedAt: timestamp, tags: key.tags), for: key)])
    }
}
