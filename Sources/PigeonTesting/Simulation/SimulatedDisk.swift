import Foundation
import PigeonCore

/// The records that survive a process, and how the disk behaves.
final class SimulatedDisk: Sendable {
    struct State {
        var records: [QueryKey: QueryRecord] = [:]
        /// Records before the last batch. `nil` if that batch emptied the disk.
        var before: (records: [QueryKey: QueryRecord], torn: Set<QueryKey>)?
        var isFailing = false
        /// True if the disk failed since the last flush. The model then does not know which records it holds.
        var hasFailed = false
        var torn: Set<QueryKey> = []
        /// True if the disk refused to be emptied, and has not been emptied since.
        var refusedRemoval = false
        /// A mark that one batch makes more than once.
        var redundant: String?
    }

    struct Refusal: Error {}

    let state = Locked(State())

    var isFailing: Bool {
        get { state.withLock { $0.isFailing } }
        set { state.withLock { $0.isFailing = newValue } }
    }

    /// Returns true if the record of a key, or a part of it, was damaged.
    func isTorn(_ key: QueryKey) -> Bool { state.withLock { $0.torn.contains { $0.isWithin(key) } } }

    func record(for key: QueryKey) -> QueryRecord? { state.withLock { $0.records[key] } }

    /// Damages a record, as when a write was cut off.
    func tear(_ index: Int) {
        state.withLock { state in
            let keys = state.records.keys.sorted { $0.queryKeyValue < $1.queryKeyValue }
            guard !keys.isEmpty else { return }
            let key = keys[abs(index) % keys.count]
            state.records[key]?.data = Data("[{".utf8)
            state.torn.insert(key)
        }
    }

    /// Loses the last batch.
    func rewind() {
        state.withLock { state in
            guard let before = state.before else { return }
            (state.records, state.torn) = before
            state.before = nil
        }
    }
}

/// What one process sees of the disk. Once the process has ended, nothing that it writes arrives.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedStore: QueryRecordStore {
    private let disk: SimulatedDisk
    private let hooks: SimulatedHooks
    private let isOpen = Locked(true)

    init(_ disk: SimulatedDisk, _ hooks: SimulatedHooks) {
        self.disk = disk
        self.hooks = hooks
    }

    func close() { isOpen.withLock { $0 = false } }

    func record(for key: QueryKey) throws -> QueryRecord? {
        guard isOpen.withLock({ $0 }) else { throw SimulatedDisk.Refusal() }
        let record = disk.record(for: key)
        hooks.reach(.recordRead)
        return record
    }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        guard isOpen.withLock({ $0 }) else { throw SimulatedDisk.Refusal() }
        return disk.state.withLock { state in
            state.records.filter { key, _ in path.map { key.isWithin($0) } ?? true }.map { ($0.key, $0.value) }
        }
    }

    func apply(_ changes: [QueryRecordChange]) throws {
        guard isOpen.withLock({ $0 }) else { throw SimulatedDisk.Refusal() }
        hooks.reach(.recordWrite)
        try disk.state.withLock { state in
            state.noteRedundancy(in: changes)
            if state.isFailing {
                state.hasFailed = true
                if changes.contains(.removeAll) { state.refusedRemoval = true }
                throw SimulatedDisk.Refusal()
            }
            state.before = changes.contains(.removeAll) ? nil : (state.records, state.torn)
            for change in changes { state.carryOut(change) }
        }
    }
}

extension SimulatedDisk.State {
    mutating func carryOut(_ change: QueryRecordChange) {
        switch change {
        case .save(let record, let key):
            records[key] = record
            torn.remove(key)
        case .remove(let key):
            records[key] = nil
            torn.remove(key)
        case .removeAll:
            records = [:]
            torn = []
            refusedRemoval = false
        case .markStale(let scope):
            for (key, record) in records where scope.contains(key, tags: record.tags) { records[key]?.isStale = true }
        }
    }

    /// A mark is redundant when the same one comes before it and nothing in between could have undone it.
    mutating func noteRedundancy(in changes: [QueryRecordChange]) {
        var marks: Set<QueryRecordScope> = []
        for change in changes {
            guard case .markStale(let scope) = change else {
                if case .save = change { marks = [] }
                continue
            }
            if !marks.insert(scope).inserted { redundant = "\(scope)" }
        }
    }
}
