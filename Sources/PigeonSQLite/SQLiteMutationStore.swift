public import Foundation
internal import GRDB
public import PigeonCore
public import PigeonOutbox

#if os(WASI)
    #error("PigeonSQLite needs SQLite and GRDB, which WebAssembly has not.")
#endif

/// Durable mutations in a SQLite file, for one process or for several, such as an app and its widget.
///
/// ```swift
/// let folder = try FileManager.default.url(
///     for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
/// let store = try SQLiteMutationStore(at: folder.appendingPathComponent("outbox.sqlite"))
/// let client = QueryClient(outbox: Outbox.Setup(store: store, mutations: [RenameNote.self]))
/// ```
///
/// Choose a directory that the system does not empty. Do not use the file of a ``SQLiteQueryCache``, which may be
/// replaced by an empty one.
///
/// A mutation that was enqueued is on disk, also after a loss of power. A damaged record stays in the file, and is set
/// aside: in every session if its own cannot be known. A damaged file is moved to `name.damaged-<seconds since 1970>`,
/// where it stays until a sign-out, and a new one replaces it. Both are reported in
/// ``/PigeonOutbox/OutboxSnapshot/problems``.
///
/// Only the owner can read and write the file and the files beside it: `-wal`, `-shm` and, once a file has been moved
/// aside, `.lock`.
public final class SQLiteMutationStore: MutationStore {
    private let database: RecoveringDatabase
    private let file = Locked<DatabaseFile.Identity?>(nil)

    /// Opens the file, or creates it, with its directory if necessary.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` if the file cannot be opened, if a newer version
    ///   of this module wrote it, or if it is a database of another program. It is not changed then.
    public convenience init(at url: URL) throws {
        try self.init(at: url, schema: .mutations)
    }

    package init(at url: URL, schema: SQLiteSchema) throws {
        database = try RecoveringDatabase(at: url.path, schema: schema, owner: "SQLiteMutationStore")
    }

    /// Reads the records of a session that have changed. A damaged record whose session cannot be known is read with those
    /// of every session.
    public func changes(after revision: Int64, in session: String?) throws -> MutationChanges? {
        database.releaseIfReplaced()
        let revision = try isOtherFile() ? -1 : revision
        let found = try database.perform { pool in
            try pool.read { try MutationReader(database: $0, session: session).changes(after: revision) }
        }
        guard let found else { return nil }
        var problems = database.problems.take().map(\.description)
        problems += found.damaged.map { "the record of mutation \($0) in \(database.file.path) is damaged: it is kept" }
        if found.damagedAssignments > 0 {
            problems.append(
                """
                \(found.damagedAssignments) identifiers that the server has assigned are damaged in \
                \(database.file.path): they are not used
                """)
        }
        return MutationChanges(
            records: found.records, numbers: found.numbers, revision: found.revision, assigned: found.assigned,
            problems: problems)
    }

    /// True if the file is not the one of the last call: it is to be read whole, whatever its revision.
    private func isOtherFile() throws -> Bool {
        let identity = try database.identity()
        return file.withLock { file in
            defer { file = identity }
            return file != identity
        }
    }

    /// Carries out changes in order, in one transaction: all or none.
    public func apply(_ batch: MutationBatch) throws -> MutationReceipt {
        try write(isDurable: batch.isDurable) { try $0.apply(batch) }
    }

    /// Overwrites what was removed in the database file and in its `-wal`, and deletes the files that were moved aside.
    ///
    /// Rewrites the file if it has mutations of other sessions, which needs space for a copy.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` if removed data may still be readable: another
    ///   connection reads the file for more than 10 seconds, there is no space, or a file cannot be deleted.
    public func eraseRemoved() throws {
        database.releaseIfReplaced()
        try database.eraseRemoved()
    }

    /// Takes or renews the lease, unless another holder has one that has not ended.
    public func takeLease(_ lease: MutationLease, now: Date) throws -> MutationLease {
        try write(isDurable: false) { try $0.take(lease, now: now) }
    }

    /// Ends the lease of a holder.
    public func endLease(of holder: String) throws {
        try write(isDurable: false) { try $0.endLease(of: holder) }
    }

    /// Runs one transaction.
    ///
    /// - Parameter isDurable: True if its changes must survive a loss of power. Others survive the end of the process, and
    ///   wait for no disk.
    private func write<Result>(isDurable: Bool, _ body: (MutationWriter) throws -> Result) throws -> Result {
        database.releaseIfReplaced()
        return try database.performConnected { connection in
            try connection.pool.writeWithoutTransaction { database in
                // The transaction before may have had the other setting.
                try connection.setDurable(isDurable, of: database)
                return try database.transaction { try body(MutationWriter(database: database)) }
            }
        }
    }

    /// Calls `listener` whenever any process may have written the file. Uses `inotify` on Linux, and dispatch sources on
    /// Apple's systems.
    public func onChange(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription? {
        database.follow { _ in listener() }
    }

    /// Runs one statement, and returns the last column of its rows as text, for tests.
    package func inspect(_ sql: String) throws -> [String] { try database.inspect(sql) }
}

extension SQLiteSchema {
    /// The columns beside the number, until format 3.
    private static let mutationColumns = """
        revision INTEGER NOT NULL,
        client BLOB NOT NULL,
        session BLOB,
        scope BLOB,
        enqueued_at REAL NOT NULL,
        attempts INTEGER NOT NULL,
        not_before REAL,
        set_aside BLOB,
        name BLOB NOT NULL,
        version INTEGER NOT NULL,
        key BLOB NOT NULL,
        checksum INTEGER NOT NULL,
        data BLOB NOT NULL
        """

    /// The tables of a store of mutations, as this version of the module reads and writes them.
    package static let mutations = SQLiteSchema(
        applicationID: 0x5067_6F31,  // `Pgo1`
        steps: [
            """
            CREATE TABLE mutations (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                \(mutationColumns)
            );
            CREATE TABLE outbox (
                revision INTEGER NOT NULL,
                holder BLOB NOT NULL,
                lease_end REAL NOT NULL
            );
            INSERT INTO outbox VALUES (0, x'', 0);
            CREATE TABLE assigned (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                revision INTEGER NOT NULL,
                session BLOB,
                token TEXT NOT NULL,
                data BLOB NOT NULL
            );
            """,
            // The last number is beside the revision. The table in which SQLite keeps it would be one page more to write.
            """
            ALTER TABLE outbox ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
            UPDATE outbox SET last_number = ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'mutations'), 0);
            ALTER TABLE mutations RENAME TO numbered;
            CREATE TABLE mutations (
                number INTEGER PRIMARY KEY,
                \(mutationColumns)
            );
            INSERT INTO mutations SELECT * FROM numbered;
            DROP TABLE numbered;
            """,
            // One counter for revisions and numbers, so that a transaction that only inserts need not write it.
            """
            UPDATE outbox SET revision = max(CAST(revision AS INTEGER), CAST(last_number AS INTEGER), 0);
            ALTER TABLE outbox RENAME TO counted;
            CREATE TABLE outbox (
                revision INTEGER NOT NULL,
                holder BLOB NOT NULL,
                lease_end REAL NOT NULL
            );
            INSERT INTO outbox SELECT revision, holder, lease_end FROM counted;
            DROP TABLE counted;
            """,
            // Checksums over all columns, and the temporary identifiers in each mutation. Without constraints, a damaged row
            // can be moved too. Identifiers are never counted on from a damaged number.
            """
            ALTER TABLE mutations RENAME TO unchecked;
            CREATE TABLE mutations (
                number INTEGER PRIMARY KEY,
                revision INTEGER,
                client BLOB,
                session BLOB,
                scope BLOB,
                enqueued_at REAL,
                attempts INTEGER,
                not_before REAL,
                set_aside BLOB,
                identifiers BLOB,
                checksum INTEGER,
                head_checksum INTEGER,
                name BLOB,
                version INTEGER,
                key BLOB,
                data BLOB
            );
            INSERT INTO mutations (number, revision, client, session, scope, enqueued_at, attempts, not_before, set_aside,
                checksum, name, version, key, data)
                SELECT number, revision, client, session, scope, enqueued_at, attempts, not_before, set_aside,
                checksum, name, version, key, data FROM unchecked;
            DROP TABLE unchecked;
            ALTER TABLE assigned RENAME TO unchecked;
            CREATE TABLE assigned (
                number INTEGER PRIMARY KEY,
                revision INTEGER,
                session BLOB,
                token TEXT,
                data BLOB,
                checksum INTEGER
            );
            INSERT INTO assigned (number, revision, session, token, data)
                SELECT number, revision, session, token, data FROM unchecked;
            DROP TABLE unchecked;
            """,
        ],
        completions: [3: { try MutationWriter(database: $0).addChecksums() }],
        // Clients know the numbers of the file before.
        replacement: "UPDATE outbox SET revision = CAST(strftime('%s', 'now') AS INTEGER) * 1000",
        probes: [
            StoredMutation.selection, StoredAssignment.selection, "SELECT revision, holder, lease_end FROM outbox",
        ],
        contents: ["mutations", "assigned"],
        mostMovedAside: .max, isExpendable: false)
}
