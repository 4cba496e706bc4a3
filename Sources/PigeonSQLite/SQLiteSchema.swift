internal import GRDB

/// The tables, as the steps that lead to them: a file of version n has had the first n.
///
/// A step that was released is never changed, only followed by another.
package struct SQLiteSchema: Sendable {
    package var steps: [String]

    package init(steps: [String]) {
        self.steps = steps
    }

    /// What this version of the module reads and writes.
    package static let current = SQLiteSchema(steps: [tables])

    /// Stands in the header of each of our files: `Pgn1`.
    private static let applicationID = 0x5067_6E31

    /// Keys and tags are bytes, compared as bytes: text would end at a NUL. What is small stands before the value, so
    /// that a long value is not walked through to reach it.
    private static let tables = """
        PRAGMA application_id = \(applicationID);
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

    /// Throws an ``UnusableFile`` when the file is not ours to use. Reads only.
    func check(_ database: Database) throws {
        // In this order: a process that creates the tables meanwhile sets our mark in the same transaction.
        let isEmpty = try Bool.fetchOne(database, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_master)") ?? true
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Self.version(of: database)
        guard isEmpty || application == Self.applicationID else { throw UnusableFile.foreign }
        guard version <= steps.count else { throw UnusableFile.newer(version: version, known: steps.count) }
        guard version >= 0 else { throw UnusableFile.damaged("format \(version)") }
    }

    /// Takes the file through the steps it has not had, in one transaction. Waits for no one when it has had them all.
    func migrate(_ pool: DatabasePool) throws {
        if try pool.unsafeRead(Self.version(of:)) < steps.count { try pool.write(migrate) }
        try pool.unsafeRead { database in
            _ = try database.makeStatement(sql: RecordRow.selection)
            _ = try database.makeStatement(sql: "SELECT tag, record FROM tags")
        }
    }

    private func migrate(_ database: Database) throws {
        let version = try Self.version(of: database)  // again: another process may have been faster
        guard version < steps.count else { return }
        do {
            for step in steps[version...] { try database.execute(sql: step) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw UnusableFile.damaged("it is not of format \(version) as it says: \(error.message ?? "")")
        }
        try database.execute(sql: "PRAGMA user_version = \(steps.count)")
    }

    private static func version(of database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }
}
