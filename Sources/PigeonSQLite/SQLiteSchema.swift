internal import GRDB

/// The tables of a file, as a list of migration steps. A file of version n has had the first n steps.
///
/// A released step must never change. Add a new step instead.
package struct SQLiteSchema: Sendable {
    /// The application ID in the header of the file, which distinguishes the files of this module.
    var applicationID: Int
    package var steps: [String]
    /// Work that belongs to a step and is not SQL, by the number of steps before it. Runs in the step's transaction.
    var completions: [Int: @Sendable (Database) throws -> Void] = [:]
    /// A statement for a new file that takes the place of one that was moved aside.
    package var replacement: String?
    /// Statements that can be prepared only if the tables are as expected.
    package var probes: [String]
    /// The tables with data of the program.
    var contents: [String]
    /// The number of moved files of each kind that are kept for inspection.
    var mostMovedAside = 3
    /// True if a file that a newer version wrote may be moved aside, because its content can be fetched again.
    var isExpendable = true
    /// The size of a page, in bytes, which takes effect for a new file. A commit writes whole pages.
    package var pageSize = 4096
    /// The longest time for which a statement waits for another process, in seconds.
    package var busyTimeout = 10.0

    /// The tables of a cache, as this version of the module reads and writes them.
    package static let current = SQLiteSchema(
        applicationID: 0x5067_6E31,  // `Pgn1`
        steps: [tables, "UPDATE records SET checksum = ~checksum WHERE is_stale = 1"],
        probes: [RecordRow.selection, "SELECT tag, record FROM tags"], contents: ["tags", "records"],
        // Fewer and larger reads are a quarter faster than with 4096 for records of 1 KB, and a record of up to 8 KB needs
        // no overflow page.
        pageSize: 8192)

    /// Keys and tags are blobs, because text would end at a NUL. Small columns precede the value, so that SQLite need
    /// not read a long value to reach them.
    private static let tables = """
        CREATE TABLE records (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,
            saved_at REAL,
            schema INTEGER NOT NULL,
            is_stale INTEGER NOT NULL,
            fresh_for REAL,
            validators BLOB,
            tags BLOB,
            checksum INTEGER NOT NULL,
            data BLOB NOT NULL
        );
        CREATE TABLE tags (
            tag BLOB NOT NULL,
            record INTEGER NOT NULL,
            PRIMARY KEY (tag, record)
        ) WITHOUT ROWID;
        CREATE INDEX tags_by_record ON tags (record);
        CREATE TRIGGER tags_changed AFTER UPDATE OF tags ON records WHEN old.tags IS NOT new.tags
        BEGIN
            DELETE FROM tags WHERE record = old.id;
        END;
        """

    /// True if a file that cannot be used may be moved aside. A database of another program never is.
    func mayMove(_ file: UnusableFile) -> Bool {
        switch file {
        case .damaged: true
        case .newer: isExpendable
        case .foreign: false
        }
    }

    /// Throws an ``UnusableFile`` if the cache must not use the file. Only reads.
    func check(_ database: Database) throws {
        // The order matters: a process that creates the tables in the meantime sets the application ID in the same
        // transaction.
        let isEmpty = try Bool.fetchOne(database, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_master)") ?? true
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Self.version(of: database)
        guard isEmpty || application == applicationID else { throw UnusableFile.foreign }
        guard version <= steps.count else { throw UnusableFile.newer(version: version, known: steps.count) }
        guard version >= 0 else { throw UnusableFile.damaged("format \(version)") }
    }

    /// Applies the missing steps in one transaction. Does not wait for other processes if no step is missing.
    ///
    /// - Parameter isReplacement: True if another file was moved aside before. Asked for a new file only.
    func migrate(_ pool: DatabasePool, isReplacement: @autoclosure () -> Bool) throws {
        if try pool.unsafeRead(Self.version(of:)) < steps.count {
            try pool.write { try migrate($0, isReplacement: isReplacement()) }
        }
        try pool.unsafeRead { database in
            for probe in probes { _ = try database.makeStatement(sql: probe) }
        }
    }

    private func migrate(_ database: Database, isReplacement: @autoclosure () -> Bool) throws {
        let version = try Self.version(of: database)  // read again, because another process may have migrated the file
        guard version < steps.count else { return }
        do {
            if version == 0 { try database.execute(sql: "PRAGMA application_id = \(applicationID)") }
            for (index, step) in steps.enumerated().dropFirst(version) {
                try database.execute(sql: step)
                try completions[index]?(database)
            }
            if version == 0, let replacement, isReplacement() { try database.execute(sql: replacement) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw UnusableFile.damaged("it is not of format \(version) as it says: \(error.message ?? "")")
        }
        try database.execute(sql: "PRAGMA user_version = \(steps.count)")
    }

    private static func version(of database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }
}
