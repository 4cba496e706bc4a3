import GRDB

/// The tables of the program: a row for each shelf, and one for each book on it.
enum BookTables {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("shelves") { database in
            try database.create(table: "shelf") { table in
                table.primaryKey("name", .text)
                table.column("savedAt", .datetime)  // NULL: stale in any case
            }
            try database.create(table: "book") { table in
                table.column("shelf", .text).notNull().references("shelf", onDelete: .cascade)
                table.column("id", .integer).notNull()
                table.column("title", .text).notNull()
                table.column("position", .integer).notNull()
                table.primaryKey(["shelf", "id"])
            }
        }
        return migrator
    }
}
