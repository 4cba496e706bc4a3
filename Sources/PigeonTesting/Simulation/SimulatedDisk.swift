import Foundation
import PigeonBase
import PigeonCore

/// The records that survive a process, and the behavior of the disk.
final class SimulatedDisk: @unchecked Sendable {  // used only by the thread that runs the simulation
    struct Refusal: Error {}

    private(set) var records: [QueryKey: SimulatedRecord] = [:]
    /// Records before the last batch. `nil` if that batch emptied the disk.
    private var before: [QueryKey: SimulatedRecord]?
    var isFailing = false
    /// Number of seconds for which each read and each batch blocks its thread.
    var delay = 0
    /// True if the disk failed since the last flush. The model then does not know which records it holds.
    var hasFailed = false
    /// True if the disk refused to be emptied, and has not been emptied since.
    private(set) var refusedRemoval = false

    /// Returns true if the record of a key, or a part of it, was damaged.
    func isTorn(_ key: QueryKey) -> Bool { records.contains { $0.value.isTorn && $0.key.isWithin(key) } }

    /// Truncates a record as if its writer had done so. Its checksum matches, but it does not decode.
    func tear(_ index: Int) {
        damage(index) { stored in
            var record = stored.record
            record.data = Data("[{".utf8)
            stored = SimulatedRecord(record)
        }
    }

    /// Flips one bit of a record, which may still decode. Its checksum no longer matches.
    func flip(bit: Int, of index: Int) {
        damage(index) { stored in
            var data = stored.record.data
            guard !data.isEmpty else { return }
            let bit = abs(bit) % (data.count * 8)
            data[data.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
            stored.record.data = data
        }
    }

    private func damage(_ index: Int, _ change: (inout SimulatedRecord) -> Void) {
        let keys = records.keys.sorted { $0.queryKeyValue < $1.queryKeyValue }
        guard !keys.isEmpty else { return }
        let key = keys[abs(index) % keys.count]
        guard var record = records[key] else { return }
        change(&record)
        record.isTorn = true
        records[key] = record
    }

    /// Removes a record whose checksum does not match.
    func removeDamaged(_ key: QueryKey) {
        if records[key]?.isIntact == false { records[key] = nil }
    }

    /// Loses the last batch.
    func rewind() {
        guard let before else { return }
        records = before
        self.before = nil
    }

    // MARK: Batches

    func apply(_ changes: [QueryRecordChange]) throws {
        let removesAll = changes.contains(.removeAll)
        if isFailing {
            hasFailed = true
            if removesAll { refusedRemoval = true }
            throw Refusal()
        }
        before = removesAll ? nil : records
        for change in changes { carryOut(change) }
    }

    private func carryOut(_ change: QueryRecordChange) {
        switch change {
        case .save(let record, let key): records[key] = SimulatedRecord(record)
        case .remove(let key): records[key] = nil
        case .removeAll:
            records = [:]
            refusedRemoval = false
        case .markStale(let scope):
            for (key, stored) in records where scope.contains(key, tags: stored.record.tags) {
                records[key]?.record.isStale = true
            }
        }
    }
}

/// A record with a checksum of its bytes, with which a store detects that the disk has changed them.
struct SimulatedRecord: Sendable {
    var record: QueryRecord
    /// True if the disk damaged the record, in a way that the checksum may not show.
    var isTorn = false
    private let checksum: UInt64

    init(_ record: QueryRecord) {
        self.record = record
        checksum = stableHash(of: record.data)
    }

    var isIntact: Bool { checksum == stableHash(of: record.data) }
}

/// One process's view of the disk. Writes after the process has ended have no effect.
///
/// A damaged record is a miss. It is removed and reported as a problem, as in `PigeonSQLite`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedStore: QueryRecordStore {
    private let disk: SimulatedDisk
    private let hooks: SimulatedHooks
    private let isOpen = Locked(true)
    private let problems = QueryCacheProblems()

    init(_ disk: SimulatedDisk, _ hooks: SimulatedHooks) {
        self.disk = disk
        self.hooks = hooks
    }

    func close() { isOpen.withLock { $0 = false } }

    func record(for key: QueryKey) throws -> QueryRecord? {
        guard isOpen.withLock({ $0 }) else { throw SimulatedDisk.Refusal() }
        let found = disk.records[key]
        hooks.waitForDisk()
        hooks.reach(.recordRead)
        return found.flatMap { intact($0, key) }
    }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        guard isOpen.withLock({ $0 }) else { throw SimulatedDisk.Refusal() }
        let found = disk.records.filter { key, _ in path.map { key.isWithin($0) } ?? true }
        return found.compactMap { key, stored in intact(stored, key).map { (key, $0) } }
    }

    private func intact(_ stored: SimulatedRecord, _ key: QueryKey) -> QueryRecord? {
        if stored.isIntact { return stored.record }
        disk.removeDamaged(key)
        problems.note("damaged, and removed", key: key)
        hooks.noteDamage(at: key)
        return nil
    }

    func takeProblems() -> [QueryCacheProblem] { problems.take() }

    func apply(_ changes: [QueryRecordChange]) throws {
        guard isOpen.withLock({ $0 }) else { throw SimulatedDisk.Refusal() }
        hooks.waitForDisk()
        hooks.reach(.recordWrite)
        hooks.note(.batch(changes))
        try disk.apply(changes)
    }
}
