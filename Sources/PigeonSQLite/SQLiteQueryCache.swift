public import Foundation
internal import GRDB
public import PigeonCore

#if os(WASI)
    #error(
        "PigeonSQLite needs SQLite and GRDB, which WebAssembly has not. Use InMemoryQueryCache there, or a QueryRecordStore of your own."
    )
#endif

/// A cache in one SQLite file, for many values, large ones, and more than one process.
///
/// ```swift
/// let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]
/// let cache = try SQLiteQueryCache(at: caches.appendingPathComponent("queries.sqlite"))
/// cache.save(["Ada", "Grace"], for: "users", andTimestamp: Date())
/// let users: [String]? = cache.get(for: "users")
/// ```
///
/// A write costs what it changes, not what is kept; a read never waits for a write. All methods may be called from
/// any thread, and from any number of processes and instances over the same file.
///
/// The cache survives its storage. A damaged file is moved aside, beside the new one that takes its place, under
/// `name.damaged-<seconds since 1970>`; a file written by a newer version is moved to `name.newer-<…>`; a record that
/// cannot be read, or whose bytes are not those that were saved, is removed. Each is reported by ``takeProblems()``, and none
/// stops the program. The newest three files of each kind stay until all records are removed, or some are removed so that no
/// trace is left: they may hold what was meant.
///
/// Opening does not search the whole file for damage, which would cost as much as reading it: damage is met, and
/// handled, by the read or write that comes across it.
///
/// The file and those beside it, `-wal`, `-shm` and, once a file was moved aside, `.lock`, can be read and written by
/// their owner only.
public final class SQLiteQueryCache: QueryRecordStore {
    let file: DatabaseFile
    let schema: SQLiteSchema

    /// `nil` after the file was found damaged or gone and no new one could be opened: the next use tries again.
    let connection = Locked<Connection?>(nil)

    private let problems = Locked<[QueryCacheProblem]>([])

    /// Opens the file, or creates it, and its directory when that is missing.
    ///
    /// - Parameter url: Where the file is. `-wal` and `-shm` files lie beside it. Directories that are there are left
    ///   as they are.
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` when neither the file nor a new one can be opened, or when
    ///   the file is a database of another program, which is never touched.
    public convenience init(at url: URL) throws {
        try self.init(at: url, schema: .current)
    }

    package init(at url: URL, schema: SQLiteSchema) throws {
        file = DatabaseFile(path: url.path)
        self.schema = schema
        do {
            _ = try connect()
        } catch {
            throw described(error)
        }
    }

    /// Hands over the problems met since the last call, the first 100 of them.
    public func takeProblems() -> [QueryCacheProblem] {
        problems.withLock { problems in
            defer { problems = [] }
            return problems
        }
    }

    func note(_ description: String, key: QueryKey? = nil) {
        problems.withLock { problems in
            guard problems.count < 100 else { return }
            problems.append(QueryCacheProblem(key: key, description: description))
        }
    }
}
