import Foundation
import GRDB
import PigeonCore
import Testing

/// Damages the cells of a file one at a time, each in every way that SQLite's types allow. The tables and columns are read
/// from the file, so that those of a later format are damaged too.
struct CellDamage {
    /// One damage, as it is described in the failure of a test.
    struct Case: CustomStringConvertible {
        let table: String
        let column: String
        let statements: [String]
        var description: String { statements.joined(separator: "; ") }
    }

    private let file: TestFile
    /// The statements that made the tables, and those that made the triggers.
    private let tables: [(name: String, sql: String)]
    private let triggers: [(name: String, sql: String)]
    private(set) var cases: [Case] = []

    /// Values that are damage in most columns, as SQL.
    private static let values = [
        "NULL", "-1", "0", "3", "-9223372036854775808", "9223372036854775807", "4611686018427387904", "1.5", "9e999",
        "-9e999", "''", "'text'", "CAST(x'FF00FE' AS TEXT)", "'a' || char(0) || 'b'",
        "CAST(zeroblob(100000) AS TEXT)", "x''", "x'2F'", "x'2F626F62'", "x'00FF10'", "zeroblob(70000)",
        "randomblob(40)",
    ]
    /// The same value with another type, or nearly the same one.
    private static let changes = [
        "CAST(# AS TEXT)", "CAST(# AS BLOB)", "CAST(# AS INTEGER)", "# + 1", "-#", "~#", "# || x'00'", "substr(#, 2)",
    ]

    /// - Parameter file: The file, which nobody has open. It is not changed.
    init(of file: TestFile) throws {
        self.file = file
        let database = try DatabaseQueue(path: file.path)
        (tables, triggers) = try database.read { database in
            func objects(_ type: String) throws -> [(name: String, sql: String)] {
                try Row.fetchAll(
                    database, sql: "SELECT name, sql FROM sqlite_master WHERE type = ? ORDER BY name", arguments: [type]
                ).map { ($0[0], $0[1]) }
            }
            return (try objects("table"), try objects("trigger"))
        }
        cases = try database.read { database in
            try tables.map(\.name).flatMap { try Self.cases(in: $0, database) }
        }
    }

    /// One row of each column, and what is put in its place.
    private static func cases(in table: String, _ database: Database) throws -> [Case] {
        let columns = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('\(table)')")
        let primary = try String.fetchAll(
            database, sql: "SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk")
        let keys = primary.isEmpty ? ["rowid"] : primary
        let quoted = keys.map { "quote(\($0))" }.joined(separator: ", ")
        // How each row is found.
        let rows = try Row.fetchAll(database, sql: "SELECT \(quoted) FROM \(table) ORDER BY 1").map { row in
            zip(keys, row.databaseValues).map { "\($0) IS \(String.fromDatabaseValue($1) ?? "NULL")" }
                .joined(separator: " AND ")
        }
        guard !rows.isEmpty else { return [] }
        return try columns.enumerated().flatMap { index, column in
            let row = rows[index % rows.count]
            let new = values + changes.map { $0.replacingOccurrences(of: "#", with: column) }
            let replaced = new.map { ["UPDATE \(table) SET \(column) = \($0) WHERE \(row)"] }
            let swapped = try rows.filter { $0 != row }.prefix(3).map { other in
                try swap(column, of: table, row, other, isKey: keys.contains(column), database)
            }
            return (replaced + swapped).map { Case(table: table, column: column, statements: $0) }
        }
    }

    /// Returns the statements that swap the values of two rows.
    private static func swap(
        _ column: String, of table: String, _ one: String, _ other: String, isKey: Bool, _ database: Database
    ) throws -> [String] {
        func value(_ row: String) throws -> String {
            try String.fetchOne(database, sql: "SELECT quote(\(column)) FROM \(table) WHERE \(row)") ?? "NULL"
        }
        return [
            "UPDATE \(table) SET \(column) = 1234567 WHERE \(one)",
            "UPDATE \(table) SET \(column) = \(try value(one)) WHERE \(other)",
            // A column that tells the rows apart has changed.
            "UPDATE \(table) SET \(column) = \(try value(other)) WHERE \(isKey ? "\(column) = 1234567" : one)",
        ]
    }

    /// Makes a copy of the file with a damage.
    ///
    /// - Returns: `nil` if SQLite allows no such value in the column.
    func copy(with damage: Case) throws -> TestFile? {
        let copy = try TestFile()
        try FileManager.default.copyItem(at: file.url, to: copy.url)
        do {
            try change(copy, [], restoring: false)
            try change(copy, damage.statements, restoring: true)
        } catch let error as DatabaseError where [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode) {
            return nil
        }
        return copy
    }

    /// Carries out statements while neither constraints nor triggers are in the way, as damage on disk does.
    ///
    /// - Parameter restoring: False to remove the constraints and the triggers, true to bring them back at the end.
    private func change(_ copy: TestFile, _ statements: [String], restoring: Bool) throws {
        let database = try DatabaseQueue(path: copy.path)
        try database.inDatabase { database in
            for statement in statements { try database.execute(sql: statement) }
            for trigger in triggers {
                try database.execute(sql: restoring ? trigger.sql : "DROP TRIGGER \(trigger.name)")
            }
            try database.execute(sql: "PRAGMA writable_schema = ON")
            for table in tables {
                let sql = restoring ? table.sql : table.sql.replacingOccurrences(of: "NOT NULL", with: "")
                try database.execute(
                    sql: "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?",
                    arguments: [sql, table.name])
            }
            try database.execute(sql: "PRAGMA writable_schema = OFF")
        }
        try database.close()
    }
}
