internal import Foundation
internal import GRDB
internal import PigeonCore

/// A row of the table of records. Every column is validated when it is read.
///
/// GRDB treats it as the value of the first column, which lets it read the other columns from the statement. That is a
/// quarter faster than `Row`, which looks up column names for each query.
enum RecordRow {
    case sound(QueryKey, QueryRecord)
    case damaged(DamagedRow)

    /// The last column has the record's tags in the index, by which an invalidation finds it.
    static let selection = """
        SELECT id, key, saved_at, schema, is_stale, fresh_for, validators, tags, checksum, data, \
        CASE WHEN tags IS NOT NULL THEN (SELECT group_concat(hex(tag)) FROM tags WHERE record = records.id \
        AND typeof(tag) = 'blob') END FROM records
        """

    /// A statement that reads the rows for which a condition is true. It is compiled once for each connection.
    static func selection(_ database: Database, where condition: String) throws -> Statement {
        try database.cachedStatement(sql: "\(selection) WHERE \(condition)")
    }

    private static func record(_ row: SQLiteStatement, key: Data) -> QueryRecord? {
        guard let savedAt = DatabaseValue(sqliteStatement: row, index: 2).number,
            case .int64(let schema) = DatabaseValue(sqliteStatement: row, index: 3).storage,
            let schemaNumber = Int(exactly: schema),
            case .int64(let stale) = DatabaseValue(sqliteStatement: row, index: 4).storage, 0...1 ~= stale,
            let freshFor = DatabaseValue(sqliteStatement: row, index: 5).number,
            case .int64(let checksum) = DatabaseValue(sqliteStatement: row, index: 8).storage,
            let validators = DatabaseValue(sqliteStatement: row, index: 6).optionalBlob,
            let tags = DatabaseValue(sqliteStatement: row, index: 7).optionalBlob,
            let data = DatabaseValue(sqliteStatement: row, index: 9).blob
        else { return nil }
        let expected = Checksum(
            key: key, savedAt: savedAt.isNaN ? nil : savedAt, schema: schema, freshFor: freshFor.isNaN ? nil : freshFor,
            validators: validators, tags: tags, data: data)
        guard checksum == expected.value(isStale: stale == 1),
            let metadata = validators.map(StoredMetadata.init(from:)) ?? StoredMetadata(),
            let tags = tags.map(StoredTags.tags(from:)) ?? [],
            tags.isEmpty || isIndexed(tags, DatabaseValue(sqliteStatement: row, index: 10))
        else { return nil }
        return QueryRecord(
            data: data, savedAt: StoredTime.date(from: savedAt), schema: schemaNumber, isStale: stale == 1,
            freshFor: freshFor.isNaN ? nil : freshFor, validators: metadata.validators,
            staleWhileRevalidate: metadata.staleWhileRevalidate, staleIfError: metadata.staleIfError, tags: tags)
    }

    /// True if the index has all tags of a record. An invalidation by a tag that is not in it would miss the record.
    private static func isIndexed(_ tags: [String], _ index: DatabaseValue) -> Bool {
        guard case .string(let list) = index.storage else { return false }
        let found = Set(list.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        return tags.allSatisfy { found.contains(StoredTags.hex(of: $0)) }
    }
}

extension DatabaseValue {
    fileprivate var blob: Data? {
        if case .blob(let data) = storage { data } else { nil }
    }

    /// The bytes, or an inner `nil` for NULL. `nil` if the value is not a blob.
    fileprivate var optionalBlob: Data?? {
        isNull ? .some(nil) : blob.map { .some($0) }
    }

    /// The number, or NaN for NULL, because SQLite stores NaN as NULL. `nil` if the value is not a number.
    fileprivate var number: Double? {
        switch storage {
        case .null: .nan
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}

extension RecordRow: DatabaseValueConvertible, StatementColumnConvertible {
    init?(sqliteStatement row: SQLiteStatement, index: CInt) {
        let bytes = DatabaseValue(sqliteStatement: row, index: 1).blob
        let key = bytes.flatMap(StoredKey.key(from:))
        if let key, let bytes, let record = Self.record(row, key: bytes) {
            self = .sound(key, record)
        } else {
            self = .damaged(DamagedRow(id: Int64(sqliteStatement: row, index: 0), key: key))
        }
    }

    var databaseValue: DatabaseValue { .null }

    static func fromDatabaseValue(_ value: DatabaseValue) -> RecordRow? { nil }
}

/// A row with an invalid value in a column.
struct DamagedRow: Sendable {
    let id: Int64

    /// The key of the record. `nil` if it cannot be read.
    let key: QueryKey?
}
