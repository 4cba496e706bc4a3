import Foundation
import PigeonCore

/// A record store in memory that implements only the required functions.
final class RecordStore: QueryRecordStore {
    private let records = Locked<[QueryKey: QueryRecord]>([:])

    func record(for key: QueryKey) throws -> QueryRecord? { records.withLock { $0[key] } }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        records.withLock { records in
            records.filter { path.map($0.key.isWithin) ?? true }.map { (key: $0.key, record: $0.value) }
        }
    }

    func apply(_ changes: [QueryRecordChange]) throws {
        records.withLock { records in
            for change in changes {
                switch change {
                case .save(let record, let key): records[key] = record
                case .remove(let key): records[key] = nil
                case .markStale: break
                case .removeAll: records = [:]
                }
            }
        }
    }
}
