internal import Foundation
internal import GRDB
internal import PigeonCore

/// Writes the changes of a batch within one transaction.
struct BatchWriter {
    let database: Database

    func apply(_ change: QueryRecordChange) throws {
        switch change {
        case .save(let record, let key): try save(record, for: StoredKey(key).bytes)
        case .remove(let key): try remove(where: "key = ?", [StoredKey(key).bytes])
        case .markStale(let scope):
            let (condition, arguments) = Self.condition(of: scope)
            // The unary `+` keeps SQLite from choosing an index on the column.
            try database.run(
                "UPDATE records SET is_stale = 1, checksum = ~checksum WHERE \(condition) AND +is_stale = 0", arguments)
        case .removeAll: try remove(.all)
        }
    }

    func remove(_ scope: QueryRecordScope) throws {
        let (condition, arguments) = Self.condition(of: scope)
        switch scope {
        case .key, .path: try remove(where: condition, arguments)
        case .tag:
            // Records are deleted first, because they are found by their tags.
            try database.run("DELETE FROM records WHERE \(condition)", arguments)
            try database.run(
                "DELETE FROM tags WHERE record IN (SELECT record FROM tags WHERE tag = ifnull(?, x''))", arguments)
        case .all:
            // Without a condition, SQLite overwrites whole pages, with all that earlier changes have left in them.
            try database.run("DELETE FROM tags")
            try database.run("DELETE FROM records")
        }
    }

    /// Removes a damaged row, unless another writer has replaced it with a sound one.
    ///
    /// - Throws: ``UnusableFile/damaged(_:)`` if the row is sound but belongs to another key, which means that the
    ///   index is damaged.
    func remove(_ damaged: DamagedRow) throws {
        switch try RecordRow.fetchOne(RecordRow.selection(database, where: "id = ?"), arguments: [damaged.id]) {
        case .damaged: try remove(where: "id = ?", [damaged.id])
        case .sound(let key, _) where damaged.key.map { $0 != key } ?? false: throw UnusableFile.misleading
        case .sound, nil: return
        }
    }

    private func save(_ record: QueryRecord, for key: Data) throws {
        try database.checkSize(of: record.data, of: "record")
        let tags = StoredTags.bytes(of: record.tags)
        let savedAt = StoredTime.seconds(of: record.savedAt)
        let freshFor = record.freshFor.flatMap { $0.isNaN ? nil : $0 }
        let validators = StoredMetadata.bytes(of: record)
        let checksum = Checksum(
            key: key, savedAt: savedAt, schema: Int64(record.schema), freshFor: freshFor, validators: validators,
            tags: tags, data: record.data)
        try database.run(
            Self.insertion,
            [
                key, savedAt, record.schema, record.isStale, freshFor, validators, tags,
                checksum.value(isStale: record.isStale), record.data,
            ])
        guard tags != nil else { return }
        for tag in record.tags {
            try database.run(
                "INSERT OR IGNORE INTO tags (tag, record) SELECT ifnull(?, x''), id FROM records WHERE key = ?",
                [StoredTags.indexed(tag), key])
        }
    }

    /// GRDB binds empty data as NULL, which `ifnull` converts back to an empty blob.
    private static let insertion = """
        INSERT INTO records (key, saved_at, schema, is_stale, fresh_for, validators, tags, checksum, data)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ifnull(?, x''))
        ON CONFLICT (key) DO UPDATE SET
            saved_at = excluded.saved_at, schema = excluded.schema, is_stale = excluded.is_stale,
            fresh_for = excluded.fresh_for, validators = excluded.validators, tags = excluded.tags, checksum = excluded.checksum,
            data = excluded.data
        """

    private func remove(where condition: String, _ arguments: StatementArguments) throws {
        try database.run("DELETE FROM tags WHERE record IN (SELECT id FROM records WHERE \(condition))", arguments)
        try database.run("DELETE FROM records WHERE \(condition)", arguments)
    }

    private static func condition(of scope: QueryRecordScope) -> (String, StatementArguments) {
        switch scope {
        case .key(let key): ("key = ?", [StoredKey(key).bytes])
        case .path(let path): (SQLiteQueryCache.isWithin, StatementArguments(StoredKey(path).scope))
        case .tag(let tag): (SQLiteQueryCache.carriesTag, [StoredTags.indexed(tag)])
        case .all: ("1", [])
        }
    }
}

extension Database {
    /// Compiles the statement once for each connection.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Runs one transaction. Its first and last statement are compiled once for each connection too, as those of GRDB's
    /// `inTransaction` are not.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE TRANSACTION")
        do {
            let result = try body()
            try run("COMMIT TRANSACTION")
            return result
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Throws for data beyond the size limit of SQLite, which would stop the program when it is bound. The error
    /// contains `name`.
    func checkSize(of data: Data, of name: String) throws {
        guard data.count < 1_000_000_000 else {
            throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "a \(name) of 1 GB or more cannot be stored")
        }
    }
}
