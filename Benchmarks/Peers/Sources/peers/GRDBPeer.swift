internal import GRDB

/// GRDB's database in memory, as programs use it whose database is their cache. It fetches nothing.
struct GRDBPeer: Peer {
    let name = "GRDB in memory"

    func read() async throws -> Double? {
        let database = try Self.database()
        try await database.write { database in
            for id in scattered { try User(id).insert(database) }
        }
        return try await time(of: Size.keys) {
            for id in 0..<Size.keys { use(try await database.read { try User.fetchOne($0, key: id) }?.id ?? 0) }
        }
    }

    func create() async throws -> Double? {
        let database = try Self.database()
        return try await time(of: Size.keys) {
            for id in scattered { try await database.write { try User(id).insert($0) } }
        }
    }

    private static func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { database in
            try database.create(table: "user") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
            }
        }
        return queue
    }
}

extension User: FetchableRecord, PersistableRecord {}
