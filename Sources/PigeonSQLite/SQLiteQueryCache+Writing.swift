internal import Foundation
internal import GRDB
public import PigeonCore

extension SQLiteQueryCache {
    /// Carries out the changes in order, in one transaction: all or none.
    ///
    /// Waits up to 10 seconds for another process that writes. After `removeAll`, no removed data stays readable in the
    /// file or its `-wal`.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` if the disk is full or cannot be written, or if
    ///   another process writes for too long. The old records are then unchanged, and the next call may succeed.
    ///   `removeAll` also throws if it removed the records but could not overwrite their bytes.
    public func apply(_ changes: [QueryRecordChange]) throws {
        try apply(changes, removing: [])
    }

    /// Removes the records of the scopes and carries out the changes in order, in one transaction: all or none.
    ///
    /// The cost depends on the removed and changed records, not on the size of the cache. Reads no values.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` as ``apply(_:)`` does.
    public func apply(_ changes: [QueryRecordChange], removing scopes: [QueryRecordScope]) throws {
        guard !changes.isEmpty || !scopes.isEmpty else { return }
        defer { readAhead.withLock { $0.forget() } }
        database.releaseIfReplaced()
        try database.perform { pool in
            try pool.write { database in
                let writer = BatchWriter(database: database)
                for scope in scopes { try writer.remove(scope) }
                for change in changes { try writer.apply(change) }
            }
        }
        guard changes.contains(.removeAll) || scopes.contains(.all) else { return }
        try leaveNoTrace {
            try emptyLog()
            reclaim()
        }
    }

    /// Removes the records below a path whose keys satisfy `isMeant`, so that they are not readable in any file.
    /// Overwrites their bytes, and empties the `-wal`, which contains them too.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` as ``apply(_:)`` does.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try apply(keys(under: path).filter(isMeant).map(QueryRecordChange.remove))
        // Runs even if no record was found, because the log may still contain records that were removed earlier.
        try leaveNoTrace { try emptyLog() }
    }

    /// Runs work on the file, and then removes the files that were moved aside, including one that the work itself
    /// found damaged.
    ///
    /// Their content is unknown, so a removal that must leave no trace removes all of them.
    private func leaveNoTrace(_ work: () throws -> Void) throws {
        let outcome = Result { try work() }
        do { try database.file.removeMovedAside() } catch { throw database.described(error) }
        try outcome.get()
    }

    /// Writes the `-wal` to the database file and empties it. Until then, both contain the bytes of removed records.
    ///
    /// Throws if another connection reads or writes for too long: the bytes would be readable, and later overwritten.
    private func emptyLog() throws {
        _ = try database.perform { pool in
            try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
    }

    /// Returns unused pages to the system. This needs disk space for a copy of the used pages. Without it, the file
    /// keeps its size.
    private func reclaim() {
        try? database.perform { pool in
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM")
                try database.checkpoint(.truncate)
            }
        }
    }
}
