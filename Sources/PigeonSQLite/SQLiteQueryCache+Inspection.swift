internal import GRDB

extension SQLiteQueryCache {
    /// Runs one statement on the writer's connection, and returns the last column of its rows as text.
    ///
    /// Tests use it to read settings, set limits and damage rows.
    package func inspect(_ sql: String) throws -> [String] {
        try perform { pool in
            try pool.writeWithoutTransaction { database in
                try Row.fetchAll(database, sql: sql).map { row in
                    row.databaseValues.last.map { $0.isNull ? "NULL" : "\($0.storage.value ?? "NULL")" } ?? ""
                }
            }
        }
    }
}
