internal import Foundation
internal import GRDB
internal import PigeonCore

/// An open database, and the identity of its file.
///
/// It is never closed explicitly. Pending reads finish, and the database closes when the last reference is released. If
/// the file was moved in the meantime, SQLite does not touch the files that are now at the path.
final class Connection: Sendable {
    let pool: DatabasePool
    let identity: DatabaseFile.Identity?
    /// True if the writer's commits wait for the disk. `nil` until it is set.
    private let isDurable = Locked<Bool?>(nil)

    init(opening file: DatabaseFile, schema: SQLiteSchema) throws {
        try file.createDirectory()
        let found = file.identity
        pool = try Self.pool(of: file, schema: schema)
        file.protect()
        identity = file.identity
        // Another process moved the file while it was being opened, so the pool's connections may belong to different
        // files.
        guard found == nil || found == identity else { throw UnusableFile.damaged("it was replaced") }
    }

    /// Sets whether the writer's commits wait for the disk. Only work on the writer calls it, which runs one at a time.
    func setDurable(_ isDurable: Bool, of writer: Database) throws {
        // The statement has its effect while it is compiled, so it cannot be prepared once. It takes half as long as to
        // insert a row.
        guard self.isDurable.withLock({ $0 }) != isDurable else { return }
        try writer.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        self.isDurable.withLock { $0 = isDurable }
    }

    /// Opens the database, and retries while another process opens it too.
    private static func pool(of file: DatabaseFile, schema: SQLiteSchema) throws -> DatabasePool {
        let configuration = configuration(for: file, schema: schema)
        return try schema.repeating(while: isPassing) {
            let pool = try DatabasePool(path: file.path, configuration: configuration)
            try schema.migrate(pool, isReplacement: file.hasMovedAside)
            return pool
        }
    }

    /// True if the error occurs because several connections create the same file, so that a retry may succeed.
    ///
    /// SQLite does not wait for the lock if two connections switch the file to WAL, and does not expect another
    /// connection to remove an old log.
    private static func isPassing(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_BUSY || error.extendedResultCode == .SQLITE_IOERR_DELETE_NOENT
    }

    private static func configuration(for file: DatabaseFile, schema: SQLiteSchema) -> Configuration {
        var configuration = Configuration()
        configuration.label = "PigeonSQLite"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(schema.busyTimeout)
        configuration.prepareDatabase { database in
            // Makes SQLite report a damaged page instead of reading wrong data from it.
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            guard !database.configuration.readonly else { return }
            try schema.check(database)
            try database.execute(sql: "PRAGMA page_size = \(schema.pageSize)")
            // Runs before the first write, because SQLite gives the new -wal and -shm files the mode of the database
            // file.
            file.protect()
            // Overwrites removed data on disk. SQLite's default differs by platform.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // Apple's systems need it for a commit that survives a loss of power. Others ignore it.
            if !schema.isExpendable { try database.execute(sql: "PRAGMA fullfsync = ON") }
            // Keeps the -wal file below 2 MB. The default would be 1,000 pages. Only a file that a large batch made longer
            // is truncated again.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(2_000_000 / schema.pageSize)")
            try database.execute(sql: "PRAGMA journal_size_limit = 2097152")
        }
        return configuration
    }
}

extension SQLiteSchema {
    /// Repeats work for as long as ``busyTimeout``, where SQLite does not wait for other connections by itself.
    ///
    /// - Parameter isPassing: True for an error that another connection may cause.
    func repeating<Result>(while isPassing: (DatabaseError) -> Bool, _ work: () throws -> Result) throws -> Result {
        let deadline = Date(timeIntervalSinceNow: busyTimeout)
        while true {
            do { return try work() } catch let error as DatabaseError
                where isPassing(error) && deadline.timeIntervalSinceNow > 0
            {
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }
}

extension DatabaseFile {
    /// Runs work while no other process or instance runs such work for this file.
    ///
    /// It locks an empty database beside the file, `name.lock`. The system releases the lock even if the process dies.
    /// The lock file is created when it is first needed, and stays, because removing it would let two processes hold
    /// the lock.
    func withExclusiveAccess(_ work: () throws -> Void) throws {
        var configuration = Configuration()
        configuration.label = "PigeonSQLite.lock"
        configuration.busyMode = .timeout(10)
        let lock = try DatabaseQueue(path: "\(path).lock", configuration: configuration)
        try lock.inDatabase { database in
            try database.inTransaction(.exclusive) {
                try work()
                return .commit
            }
        }
    }
}
