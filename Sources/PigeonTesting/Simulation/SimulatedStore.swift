import Foundation
import PigeonCore

/// A record store in memory.
final class SimulatedStore: QueryRecordStore {
    private let records = Locked<[QueryKey: QueryRecord]>([:])

    func record(for key: QueryKey) throws -> QueryRecord? {
        records.withLock { $0[key] }
    }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        records.withLock { records in
            records.filter { key, _ in path.map { key.isWithin($0) } ?? true }.map { ($0.key, $0.value) }
        }
    }

    func apply(_ changes: [QueryRecordChange]) throws {
        records.withLock { records in
            for change in changes {
                switch change {
                case .save(let record, let key): records[key] = record
                case .remove(let key): records[key] = nil
                case .removeAll: records = [:]
                case .markStale(let scope):
                    for (key, record) in records where scope.contains(key, tags: record.tags) {
                        records[key]?.isStale = true
                    }
                }
            }
        }
    }

    var keys: [QueryKey] { records.withLock { Array($0.keys) } }
}
