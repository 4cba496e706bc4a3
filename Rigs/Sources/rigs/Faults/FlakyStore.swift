internal import Foundation
internal import PigeonCore
internal import Synchronization

/// A disk that refuses when it is told to.
final class FlakyStore: QueryRecordStore {
    private struct State {
        var records: [QueryKey: QueryRecord] = [:]
        var random: SeededRandom
        /// How many of a hundred operations fail.
        var failures = 0
        var refusals = 0
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(random: SeededRandom(seed)))
    }

    struct Refusal: Error {}

    /// Fails so many of a hundred operations from now on.
    func fail(percent: Int) { state.withLock { $0.failures = percent } }

    var refusals: Int { state.withLock { $0.refusals } }

    private func perform<Result>(_ work: (inout sending State) throws -> sending Result) throws -> sending Result {
        try state.withLock { state in
            if state.random.number(0..<100) < state.failures {
                state.refusals += 1
                throw Refusal()
            }
            return try work(&state)
        }
    }

    func record(for key: QueryKey) throws -> QueryRecord? { try perform { $0.records[key] } }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        try perform { state in
            state.records.filter { record in path.map { record.key.isWithin($0) } ?? true }.map { ($0.key, $0.value) }
        }
    }

    func apply(_ changes: [QueryRecordChange]) throws {
        try perform { state in
            for change in changes {
                switch change {
                case .save(let record, let key): state.records[key] = record
                case .remove(let key): state.records[key] = nil
                case .removeAll: state.records = [:]
                case .markStale(let scope):
                    for (key, record) in state.records where scope.contains(key, tags: record.tags) {
                        state.records[key]?.isStale = true
                    }
                }
            }
        }
    }
}
