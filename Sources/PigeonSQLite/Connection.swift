internal import Foundation
internal import GRDB

/// An open database, and which file it is.
///
/// It is never closed, only let go of: whoever still reads finishes, and the last one closes it. SQLite does not touch
/// the files now at the path when it closes one that was moved away.
struct Connection: Sendable {
    let pool: DatabasePool
    let identity: DatabaseFile.Identity?

    /// How long a statement waits for another process, in seconds.
    private static let patience = 10.0

    init(opening file: DatabaseFile, schema: SQLiteSchema) throws {
        try file.createDirectory()
        let found = file.identity
        pool = try Self.pool(of: file, schema: schema)
        file.protect()
        identity = file.identity
        // Another process moved the file while it was being opened: its connections may be to different files.
        guard found == nil || found == identity else { throw UnusableFile.damaged("it was replaced") }
    }

    /// Opens, and tries again while another process is at the same.
    private static func pool(of file: DatabaseFile, schema: SQLiteSchema) throws -> DatabasePool {
        let configuration = configuration(for: file, schema: schema)
        let deadline = Date(timeIntervalSinceNow: patience)
        while true {
            do {
                let pool = try DatabasePool(path: file.path, configuration: configuration)
                try schema.migrate(pool)
                return pool
            } catch let error as DatabaseError where isPassing(error) && deadline.timeIntervalSinceNow > 0 {
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }

    /// Whether the error comes of several connections beginning one new file, and goes with the next attempt.
    ///
    /// SQLite does not wait for the lock when two turn the file to WAL, nor expect that another removes an old log.
    private static func isPassing(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_BUSY || error.extendedResultCode == .SQLITE_IOERR_DELETE_NOENT
    }

    private static func configuration(for file: DatabaseFile, schema: SQLiteSchema) -> Configuration {
        var configuration = Configuration()
        configuration.label = "PigeonSQLite"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { database in
            // Finds a damaged page when it is read, in place of reading nonsense from it.
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            guard !database.configuration.readonly else { return }
            try schema.check(database)
            // For a new file. Fewer, larger reads: faster than 4096 by a quarter for records of 1 KB, and a record of up
            // to 8 KB needs no page of its own.
            try database.execute(sql: "PRAGMA page_size = 8192")
            // Before the first write: SQLite gives the -wal and -shm it creates the mode of the file.
            file.protect()
            // What is removed or written over is overwritten on disk too. SQLite's default differs by platform.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // 2 MB of -wal, where the default would be 8 for pages of this size. One that a large batch made longer is cut
            // again.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 256")
            try database.execute(sql: "PRAGMA journal_size_limit = 2097152")
        }
        return configuration
    }
}
