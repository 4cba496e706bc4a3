internal import Foundation
internal import PigeonBase
internal import PigeonCore

/// The cache of a replay: holds the records that were found in the recording.
final class ReplayedDisk: QueryRecordStore {
    private let records = Locked<[QueryKey: QueryRecord]>([:])

    func put(_ number: Int, for key: QueryKey, at now: Date, age: Duration) {
        guard let data = try? JSONEncoder().encode(Wrapped(value: ReplayedValue(number: number))) else { return }
        let record = QueryRecord(data: data, savedAt: now.addingTimeInterval(-age.inSeconds), tags: key.tags)
        records.withLock { $0[key] = record }
    }

    func record(for key: QueryKey) -> QueryRecord? { records.withLock { $0[key] } }

    func records(under path: QueryKey?) -> [(key: QueryKey, record: QueryRecord)] {
        records.withLock { records in
            records.filter { path.map($0.key.isWithin) ?? true }.map { ($0.key, $0.value) }
        }
    }

    func apply(_ changes: [QueryRecordChange]) {
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
}
