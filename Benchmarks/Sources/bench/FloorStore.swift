internal import Foundation
internal import GRDB

/// What stores records where there is no engine: one GRDB transaction over one table.
struct FloorStore {
    private let pool: DatabasePool

    init(at url: URL) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        pool = try DatabasePool(path: url.path, configuration: configuration)
        try pool.write { database in
            try database.execute(
                sql:
                    "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, data BLOB NOT NULL)"
            )
        }
    }

    /// Writes every record, encoded already, in one transaction.
    func write(_ records: [Data]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql:
                    "INSERT INTO records (key, data) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET data = excluded.data"
            )
            for (id, data) in records.enumerated() {
                try statement.execute(arguments: [Self.key(id), data])
            }
        }
    }

    /// Every record, by one statement.
    func read() throws -> [Data] {
        try pool.read { try Data.fetchAll($0, sql: "SELECT data FROM records") }
    }

    /// One record, by a statement of its own.
    func read(_ id: Int) throws -> Data? {
        try pool.unsafeRead { database in
            let statement = try database.cachedStatement(sql: "SELECT data FROM records WHERE key = ?")
            return try Data.fetchOne(statement, arguments: [Self.key(id)])
        }
    }

    private static func key(_ id: Int) -> Data { Data("w7/\(id)".utf8) }
}
