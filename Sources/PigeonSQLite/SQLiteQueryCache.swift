public import Foundation
internal import GRDB
public import PigeonCore

#if os(WASI)
    #error(
        "PigeonSQLite needs SQLite and GRDB, which WebAssembly has not. Use InMemoryQueryCache there, or a QueryRecordStore of your own."
    )
#endif

/// A cache in a SQLite file, for many or large values, and for several processes.
///
/// ```swift
/// let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]
/// let cache = try SQLiteQueryCache(at: caches.appendingPathComponent("queries.sqlite"))
/// cache.save(["Ada", "Grace"], for: "users", andTimestamp: Date())
/// let users: [String]? = cache.get(for: "users")
/// ```
///
/// The cost of a write depends on its changes, not on the size of the cache. A read never waits for a write. All
/// methods can be called from any thread, and any number of processes and instances can use the same file.
///
/// The cache recovers from problems of its file. A damaged file is moved to `name.damaged-<seconds since 1970>`, a file
/// of a newer version to `name.newer-<…>`, and a new file replaces it. A record that cannot be read, or whose bytes
/// have changed, is removed. ``takeProblems()`` reports each of these problems, and none stops the program. The newest
/// three moved files of each kind stay until `removeAll()` or `removeValues(under:where:)` is called, because they
/// may contain records that must then be removed.
///
/// Opening the cache does not search the whole file for damage, which would take as long as reading it. A read or write
/// that encounters damage handles it.
///
/// Only the owner can read and write the file and the files beside it: `-wal`, `-shm` and, once a file has been moved
/// aside, `.lock`.
public final class SQLiteQueryCache: QueryRecordStore {
    let database: RecoveringDatabase

    package let readAhead = Locked(ReadAhead())

    /// Opens the file, or creates it, with its directory if necessary.
    ///
    /// - Parameter url: The location of the file. The `-wal` and `-shm` files are beside it. Existing directories are
    ///   not changed.
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` if neither the file nor a new one can be
    ///   opened, or if the file is a database of another program, which is never changed.
    public convenience init(at url: URL) throws {
        try self.init(at: url, schema: .current)
    }

    package init(at url: URL, schema: SQLiteSchema) throws {
        database = try RecoveringDatabase(at: url.path, schema: schema, owner: "SQLiteQueryCache")
    }

    /// Returns the first 100 problems since the last call, and clears them.
    public func takeProblems() -> [QueryCacheProblem] { database.problems.take() }

    /// Calls `listener` when another process, or another instance, has written the file. Uses `inotify` on Linux, and
    /// dispatch sources on Apple's systems.
    ///
    /// Clients that share one instance do not hear of each other. Give each of them its own.
    public func onChange(_ listener: @escaping @Sendable (QueryCacheChange) -> Void) -> QuerySubscription? {
        let seen = Locked<Int64?>(nil)
        return database.follow { [database] isNewFile in
            // Changes only with the writes of others. Each connection counts for itself.
            let version = try? database.perform { pool in
                try pool.writeWithoutTransaction { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
            }
            let isChanged = seen.withLock { seen in
                defer { seen = version }
                return seen != version
            }
            if isNewFile { listener(.replaced) } else if isChanged { listener(.records(.all)) }
        }
    }

    /// Returns the number of records, the size of their values, and their dates. Visits every record, but does not read
    /// its value.
    public func totals() throws -> QueryCacheTotals? {
        try database.perform { pool in
            try pool.read { db in
                // A damaged row may have anything in a column.
                let savedAt = "CASE WHEN typeof(saved_at) IN ('real', 'integer') THEN saved_at END"
                let sql = "SELECT count(*), total(length(data)), min(\(savedAt)), max(\(savedAt)) FROM records"
                guard let row = try Row.fetchOne(db, sql: sql) else { return nil }
                let dates = [row[2], row[3]].map { ($0 as Double?).map(StoredTime.date(from:)) }
                // All values together can be larger than memory.
                let bytes = Int(exactly: row[1] as Double) ?? .max
                return QueryCacheTotals(records: row[0], bytes: bytes, oldest: dates[0], newest: dates[1])
            }
        }
    }

    package func inspect(_ sql: String) throws -> [String] { try database.inspect(sql) }
}
