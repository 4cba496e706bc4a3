import GRDB

/// The tables of all feeds: a row for each feed that is known, and one for each post in it.
enum FeedTables {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("feeds") { database in
            try database.create(table: "feed") { table in
                table.primaryKey("userId", .integer)
                table.column("cachedAt", .double)
                table.column("nextKey", .text)
                table.column("prevKey", .text)
            }
            try database.create(table: "feedPost") { table in
                table.column("userId", .integer).notNull().references("feed", onDelete: .cascade)
                table.column("id", .integer).notNull()
                table.column("title", .text).notNull()
                // Where it is in the feed: newer posts are above, at smaller positions.
                table.column("position", .integer).notNull()
                table.primaryKey(["userId", "id"])
            }
            try database.create(index: "feedPostPosition", on: "feedPost", columns: ["userId", "position"])
        }
        return migrator
    }
}
