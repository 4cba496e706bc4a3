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
    ///   `removeAll` also throws if it removed the records but could not overwrite their bytes, for instance because
    ///   another connection reads the file for more than 10 seconds. The next call tries again.
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
        if changes.contains(.removeAll) || scopes.contains(.all) { try database.eraseAll() }
    }

    /// Removes the records below a path whose keys satisfy `isMeant`, so that they are not readable in any file. Also
    /// removes and reports all records that cannot be read, because their keys are unknown.
    ///
    /// Rewrites the file, which takes as long as to copy it, and needs as much space.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` as ``apply(_:)`` does, and if there is no space.
    public func removeValues(under path: QueryKey, where isMeant: (QueryKey) -> Bool) throws {
        try apply(keys(under: path).filter(isMeant).map(QueryRecordChange.remove))
        try removeDamaged()
        // Runs even if no record was found, because the files may still contain records that were removed earlier.
        try database.eraseRemoved()
    }
}
