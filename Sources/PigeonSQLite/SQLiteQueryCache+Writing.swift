internal import Foundation
internal import GRDB
public import PigeonCore

extension SQLiteQueryCache {
    /// Carries out the changes in order, in one transaction: all or none.
    ///
    /// Waits up to 10 s for another process that writes. After `removeAll` nothing of what was removed stays readable in the
    /// file or its `-wal`.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` when the disk is full or cannot be written, or another
    ///   process writes for too long. What was kept before is still kept, and the next call may succeed. After `removeAll` also
    ///   when the records are removed, but their bytes could not be overwritten.
    public func apply(_ changes: [QueryRecordChange]) throws {
        try apply(changes, removing: [])
    }

    /// Removes the records of the scopes and carries out the changes in order, in one transaction: all or none.
    ///
    /// Costs what is removed and changed, not what is kept. Reads no values.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` as ``apply(_:)`` does.
    public func apply(_ changes: [QueryRecordChange], removing scopes: [QueryRecordScope]) throws {
        guard !changes.isEmpty || !scopes.isEmpty else { return }
        releaseIfReplaced()
        try perform { pool in
            try pool.write { database in
                let writer = BatchWriter(database)
                for scope in scopes { try writer.remove(scope) }
                for change in changes { try writer.apply(change) }
            }
        }
        guard changes.contains(.removeAll) || scopes.contains(.all) else { return }
        try leaveNoTrace(after: { if try emptyLog() { reclaim() } })
    }

    /// Removes the records that are meant, so that nothing of them stays readable in any file: their bytes are
    /// overwritten, and the `-wal`, which has them too, is emptied.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` as ``apply(_:)`` does.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try apply(keys(under: path).filter(isMeant).map(QueryRecordChange.remove))
        // Also when nothing was found: what was removed before may still be in it.
        try leaveNoTrace(after: { _ = try emptyLog() })
    }

    /// Runs work on the file, and removes the files that were moved aside, be it because of damage that the work has met.
    ///
    /// Nobody can tell what is in them: they go with anything that must leave no trace.
    private func leaveNoTrace(after work: () throws -> Void) throws {
        let outcome = Result { try work() }
        do { try file.removeMovedAside() } catch { throw described(error) }
        try outcome.get()
    }

    /// Moves the `-wal` into the file and empties it: until then, both have the bytes of removed records.
    ///
    /// - Returns: False if a reader is in the way, or another process that writes. The bytes are then overwritten later.
    private func emptyLog() throws -> Bool {
        try perform { pool in
            try pool.writeWithoutTransaction { database in
                do {
                    try database.checkpoint(.truncate)
                    return true
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                    return false
                }
            }
        }
    }

    /// Gives back the pages that are no longer used. Needs space to copy the rest: when there is none, the file stays as
    /// long as it is.
    private func reclaim() {
        try? perform { pool in
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM")
                try database.checkpoint(.truncate)
            }
        }
    }
}
