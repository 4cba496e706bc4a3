internal import Foundation
internal import GRDB
public import PigeonCore

extension SQLiteQueryCache {
    /// Carries out the changes in order, in one transaction: all or none.
    ///
    /// Waits up to 10 s for another process that writes. After `removeAll` the file is rewritten, so that nothing of
    /// what was removed stays readable in it.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` when the disk is full or cannot be written, or another
    ///   process writes for too long. What was kept before is still kept, and the next call may succeed.
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
        try removeMovedAside()
        reclaim()
    }

    /// Removes the records that are meant, so that nothing of them stays readable in any file: their bytes are
    /// overwritten, and the `-wal`, which has them too, is emptied.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` as ``apply(_:)`` does.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try apply(keys(under: path).filter(isMeant).map(QueryRecordChange.remove))
        try removeMovedAside()
        // Also when nothing was found: what was removed before may still be in it.
        try? perform { pool in try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
    }

    /// Nobody can tell what is in files that were moved aside: they go with anything that must leave no trace.
    private func removeMovedAside() throws {
        do { try file.removeMovedAside() } catch { throw described(error) }
    }

    /// Gives back the pages that are no longer used, in the file and in its `-wal`.
    ///
    /// The records are gone already: when another process is in the way, their old bytes are overwritten later.
    private func reclaim() {
        try? perform { pool in
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM")
                try database.checkpoint(.truncate)
            }
        }
    }
}
