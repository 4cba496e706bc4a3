internal import Foundation
internal import GRDB
public import PigeonCore

// Each read is one statement, which sees a single state of the file without a transaction.
extension SQLiteQueryCache {
    /// Returns the record of a key, or `nil` if there is none. Does not wait for writers.
    ///
    /// Removes and reports a record that cannot be read, and moves aside and reports a damaged file. Returns `nil` in
    /// both cases.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` if the file cannot be read for another reason.
    public func record(for key: QueryKey) throws -> QueryRecord? {
        // The state of the log before the read: each write of any process changes the log.
        let stamp = FileStamp(of: database.file.log)
        switch readAhead.withLock({ $0.look(for: key, in: stamp) }) {
        case .found(let record): return record
        case .read(ahead: let count):
            if count > 0, let stamp, let found = try? read(key, andNext: count) {
                readAhead.withLock { $0.keep(found.next, in: stamp) }
                return found.record
            }
            return try read(where: "key = ?", [StoredKey(key).bytes]) { $0 == key }.first?.record
        }
    }

    /// Reads a record, and the records that follow it in the order of their keys and have the same parent, or are below
    /// such a record.
    ///
    /// - Throws: If anything is wrong with a record or the file. A read of one record finds out what.
    private func read(
        _ key: QueryKey, andNext count: Int
    ) throws -> (record: QueryRecord?, next: [QueryKey: QueryRecord]) {
        let stored = StoredKey(key)
        let condition = "key >= ? AND key < ? ORDER BY key LIMIT ?"
        return try database.connect().pool.unsafeRead { database in
            let cursor = try RecordRow.fetchCursor(
                RecordRow.selection(database, where: condition),
                arguments: [stored.bytes, stored.endOfSiblings, count + 1])
            var record: QueryRecord?
            var next: [QueryKey: QueryRecord] = [:]
            var size = 0
            while size < ReadAhead.limit.bytes, let row = try cursor.next() {
                guard case .sound(let found, let value) = row else { throw UnusableFile.misleading }
                if found == key { record = value } else { next[found] = value }
                size += value.data.count
            }
            return (record, next)
        }
    }

    /// Returns the records at or below `path`, or all records if `path` is `nil`, in no particular order. Does not wait
    /// for writers.
    ///
    /// The cost depends on the records found, not on the size of the cache. Omits, removes and reports records that
    /// cannot be read.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` when the file cannot be read for a reason other
    ///   than damage.
    public func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        guard let path else { return try read(where: "1", []) { _ in true } }
        return try read(where: Self.isWithin, StoredKey(path).scope) { $0.isWithin(path) }
    }

    /// Returns the keys of the records at or below `path`. Does not read their values.
    func keys(under path: QueryKey) throws -> [QueryKey] {
        try database.perform { pool in
            try pool.unsafeRead { database in
                let statement = try database.cachedStatement(sql: "SELECT key FROM records WHERE \(Self.isWithin)")
                let arguments = StatementArguments(StoredKey(path).scope)
                return try Data.fetchAll(statement, arguments: arguments).compactMap(StoredKey.key)
            }
        }
    }

    /// Returns the number of records.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` when the file cannot be read for a reason other
    ///   than damage.
    public func count() throws -> Int {
        try database.perform { pool in
            try pool.unsafeRead { try Int.fetchOne($0, sql: "SELECT count(*) FROM records") ?? 0 }
        }
    }

    /// The SQL condition for a key and all keys below it, with the arguments ``StoredKey/scope``.
    package static let isWithin = "(key = ? OR key >= ? AND key < ?)"

    /// The SQL condition for a record with a tag, with the argument ``StoredTags/indexed(_:)``.
    package static let carriesTag = "id IN (SELECT record FROM tags WHERE tag = ifnull(?, x''))"

    private func read(
        where condition: String, _ arguments: [Data], isMeant: (QueryKey) -> Bool
    ) throws -> [(key: QueryKey, record: QueryRecord)] {
        let (found, damaged) = try database.perform { pool in
            try pool.unsafeRead { database in
                let cursor = try RecordRow.fetchCursor(
                    RecordRow.selection(database, where: condition), arguments: StatementArguments(arguments))
                var found: [(key: QueryKey, record: QueryRecord)] = []
                var damaged: [DamagedRow] = []
                while let row = try cursor.next() {
                    switch row {
                    case .sound(let key, let record) where isMeant(key): found.append((key, record))
                    case .sound: throw UnusableFile.misleading
                    case .damaged(let row): damaged.append(row)
                    }
                }
                return (found, damaged)
            }
        }
        if !damaged.isEmpty { discard(damaged) }
        return found
    }

    func removeDamaged() throws {
        let rows = try database.perform { pool in
            try pool.unsafeRead { database in
                var rows: [DamagedRow] = []
                let cursor = try RecordRow.fetchCursor(RecordRow.selection(database, where: "1"))
                while let row = try cursor.next() { if case .damaged(let row) = row { rows.append(row) } }
                return rows
            }
        }
        if !rows.isEmpty { try discard(rows).get() }
    }

    @discardableResult
    private func discard(_ rows: [DamagedRow]) -> Result<Void, any Error> {
        let result = Result {
            try database.perform { pool in
                try pool.write { database in
                    for row in rows { try BatchWriter(database: database).remove(row) }
                }
            }
        }
        let isRemoved = if case .success = result { true } else { false }
        for row in rows {
            database.problems.note(
                "a record could not be read and \(isRemoved ? "was" : "could not be") removed", key: row.key)
        }
        return result
    }
}

extension StoredKey {
    var scope: [Data] { [bytes, firstBelow, endBelow] }
}
