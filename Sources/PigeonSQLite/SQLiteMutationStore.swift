public import Foundation
internal import GRDB
public import PigeonCore

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
/// aside. A damaged file is moved to `name.damaged-<seconds since 1970>`, where it stays, and a new one replaces it. Both
/// are reported in ``/PigeonCore/OutboxSnapshot/problems``.
///
/// Only the owner can read and write the file and the files beside it: `-wal`, `-shm` and, once a file has been moved
/// aside, `.lock`.
public final class SQLiteMutationStore: MutationStore {
    private let database: RecoveringDatabase
    /// The file that was read last.
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

    /// Reads the records of a session that have changed.
    public func changes(after revision: Int64, in session: String?) throws -> MutationChanges? {
        let session = StoredMutation.bytes(of: session)
        database.releaseIfReplaced()
        let revision = try isOtherFile() ? -1 : revision
        let found = try database.perform { pool -> ([MutationRecord], [Int64], [AssignedID], Int64)? in
            try pool.read { database in
                let last = try Int64.fetchOne(database.cachedStatement(sql: StoredMutation.lastRevision)) ?? 0
                guard last != revision else { return nil }
                let rows = try database.cachedStatement(
                    sql: """
                        \(StoredMutation.selection) WHERE \(StoredMutation.revision) > ? AND session IS ? \
                        ORDER BY number
                        """)
                let numbers = try database.cachedStatement(
                    sql: "SELECT number FROM mutations WHERE session IS ? ORDER BY number")
                let assigned = try database.cachedStatement(
                    sql: """
                        SELECT CAST(token AS TEXT), CAST(data AS BLOB) FROM assigned \
                        WHERE revision > ? AND session IS ? ORDER BY number
                        """)
                return (
                    try Array(Row.fetchCursor(rows, arguments: [revision, session]).map(StoredMutation.record)),
                    try Int64.fetchAll(numbers, arguments: [session]),
                    try Row.fetchAll(assigned, arguments: [revision, session]).map { row in
                        AssignedID(token: (row[0] as String?).flatMap { UUID(uuidString: $0) }, data: row[1] ?? Data())
                    }, last
                )
            }
        }
        guard let (records, numbers, assigned, last) = found else { return nil }
        let damaged = records.filter { $0.progress.setAside == StoredMutation.damage }
        return MutationChanges(
            records: records, numbers: numbers, revision: last, assigned: assigned,
            problems: database.problems.take().map(\.description)
                + damaged.map { "the record of mutation \($0.number) in \(database.file.path) is damaged: it is kept" })
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
        return try database.perform { pool in
            try pool.writeWithoutTransaction { database in
                // The setting of the connection, which the transaction before may have changed.
                try database.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
                var result: Result?
                try database.inTransaction(.immediate) {
                    result = try body(MutationWriter(database: database))
                    return .commit
                }
                guard let result else { throw MutationStoreError.outdated }
                return result
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
    /// The columns beside the number.
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
        ],
        // Clients know the numbers of the file before.
        replacement: "UPDATE outbox SET revision = CAST(strftime('%s', 'now') AS INTEGER) * 1000",
        probes: [StoredMutation.selection, "SELECT revision, holder, lease_end FROM outbox"],
        mostMovedAside: .max, isExpendable: false)
}

/// A mutation as a row. Texts are blobs, because text would end at a NUL, and begin with `/`, because an empty blob would
/// be NULL.
enum StoredMutation {
    /// A damaged row can have a value of any type in any column. Only a value of the expected type can be read.
    static let revision = "ifnull(CAST(revision AS INTEGER), 0)"
    /// Reads that of the store, which begins with 0. The last number says it after a transaction that only inserted.
    static let lastRevision = """
        SELECT max(CAST(revision AS INTEGER), ifnull((SELECT max(number) FROM mutations), 0), 0) FROM outbox
        """
    static let selection = """
        SELECT number, \(revision), CAST(client AS BLOB), CAST(session AS BLOB), CAST(scope AS BLOB), \
        ifnull(CAST(enqueued_at AS REAL), 0), ifnull(CAST(attempts AS INTEGER), 0), CAST(not_before AS REAL), \
        CAST(set_aside AS BLOB), CAST(name AS BLOB), ifnull(CAST(version AS INTEGER), 0), CAST(key AS BLOB), \
        ifnull(CAST(checksum AS INTEGER), 0), CAST(data AS BLOB), \
        typeof(revision) = 'integer' AND typeof(client) = 'blob' AND typeof(scope) IN ('blob', 'null') \
        AND typeof(enqueued_at) = 'real' AND typeof(attempts) = 'integer' AND typeof(not_before) IN ('real', 'null') \
        AND typeof(set_aside) IN ('blob', 'null') FROM mutations
        """
    /// The reason for which a damaged record is set aside.
    static let damage = "its record is damaged"

    static func bytes(of text: String?) -> Data? { text.map { Data("/\($0)".utf8) } }

    /// Reads a text.
    ///
    /// - Parameter use: Receives its bytes.
    private static func text(_ row: Row, _ index: Int, _ use: (Data?) -> Void = { _ in }) throws -> String? {
        try row.withUnsafeData(atIndex: index) { bytes in
            use(bytes)
            return bytes.map { String(decoding: $0.dropFirst(), as: UTF8.self) }
        }
    }

    /// Detects a row whose bytes were changed on disk. Covers all columns that only a change of the mutation changes.
    static func checksum(of mutation: EncodedMutation) -> Int64 {
        var sum = Checksum()
        sum.add(bytes(of: mutation.name))
        sum.add(UInt64(bitPattern: Int64(mutation.version)))
        sum.add(bytes(of: mutation.key))
        sum.add(mutation.data)
        return sum.value
    }

    /// - Parameter row: The row of a cursor, whose bytes are read where they are.
    static func record(_ row: Row) throws -> MutationRecord {
        var sum = Checksum()
        let (name, version) = (try text(row, 9) { sum.add($0) }, row[10] as Int)
        sum.add(UInt64(bitPattern: Int64(version)))
        let (key, data) = (try text(row, 11) { sum.add($0) }, row[13] as Data?)
        sum.add(data ?? Data())
        let mutation = EncodedMutation(name: name ?? "", version: version, data: data ?? Data(), key: key ?? "")
        var record = MutationRecord(
            scope: try text(row, 4), session: try text(row, 3), client: try text(row, 2) ?? "",
            enqueuedAt: Date(timeIntervalSinceReferenceDate: row[5]), mutation: mutation)
        (record.number, record.revision) = (row[0], row[1])
        record.progress = MutationProgress(
            attempts: min(max(0, row[6]), 1 << 30),
            notBefore: (row[7] as Double?).map(Date.init(timeIntervalSinceReferenceDate:)), setAside: try text(row, 8))
        if sum.value != row[12] || !row[14] {
            // Without data, it is not decoded, so that it is not made even if the program retries it.
            (record.progress.setAside, record.mutation.data) = (damage, Data())
        }
        return record
    }
}
