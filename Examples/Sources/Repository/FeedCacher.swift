public import Foundation
public import GRDB
public import PigeonStore

/// Keeps feeds in tables, which are all there is to know of them: what changes in the tables changes on the screen.
public final class FeedCacher: TwoWayPaginationCacher<Int, Post>,
    @unchecked Sendable  // its one property is immutable and Sendable
{
    private let database: any DatabaseWriter

    /// - Parameter database: Has the tables of ``FeedTables``.
    public init(database: any DatabaseWriter) {
        self.database = database
        super.init()
    }

    public override var expireSeconds: TimeInterval { 3600 }

    /// A feed without posts is a feed; one without a row is not known.
    public override func loadData(param userId: Int) async throws -> [Post]? {
        try await database.read { database in
            let isKnown = try Bool.fetchOne(
                database, SQLRequest(literal: "SELECT TRUE FROM feed WHERE userId = \(userId)"))
            guard isKnown != nil else { return nil }
            let posts: SQLRequest<Post> = """
                SELECT userId, id, title FROM feedPost WHERE userId = \(userId) ORDER BY position
                """
            return try posts.fetchAll(database)
        }
    }

    public override func saveData(data: [Post]?, param userId: Int) async throws {
        try await database.write { database in
            try database.execute(literal: "DELETE FROM feed WHERE userId = \(userId)")  // and its posts
            guard let data else { return }
            try database.execute(literal: "INSERT INTO feed (userId) VALUES (\(userId))")
            try Self.insert(data, at: 0, of: userId, database)
        }
    }

    /// Writes the older posts below: nothing else is touched.
    public override func saveNextData(cachedData: [Post], newData: [Post], param userId: Int) async throws {
        try await database.write { database in
            let last = try Int.fetchOne(
                database, SQLRequest(literal: "SELECT max(position) FROM feedPost WHERE userId = \(userId)"))
            try Self.insert(newData, at: (last ?? -1) + 1, of: userId, database)
        }
    }

    /// Writes the newer posts above: nothing else is touched.
    public override func savePrevData(cachedData: [Post], newData: [Post], param userId: Int) async throws {
        try await database.write { database in
            let first = try Int.fetchOne(
                database, SQLRequest(literal: "SELECT min(position) FROM feedPost WHERE userId = \(userId)"))
            try Self.insert(newData, at: (first ?? 0) - newData.count, of: userId, database)
        }
    }

    /// A post that is there already, as when a page was saved and its cursor was not, stays where it is.
    private static func insert(_ posts: [Post], at position: Int, of userId: Int, _ database: Database) throws {
        for (offset, post) in posts.enumerated() {
            try database.execute(
                literal: """
                    INSERT INTO feedPost (userId, id, title, position)
                    VALUES (\(userId), \(post.id), \(post.title), \(position + offset))
                    ON CONFLICT DO UPDATE SET title = excluded.title
                    """)
        }
    }

    // MARK: What is known of a feed

    public override func loadDataCachedAt(param userId: Int) async throws -> Double? {
        try await read("SELECT cachedAt FROM feed WHERE userId = \(userId)")
    }

    public override func saveDataCachedAt(epochSeconds: Double, param userId: Int) async throws {
        try await write("UPDATE feed SET cachedAt = \(epochSeconds) WHERE userId = \(userId)")
    }

    public override func loadNextRequestKey(param userId: Int) async throws -> String? {
        try await read("SELECT nextKey FROM feed WHERE userId = \(userId)")
    }

    public override func saveNextRequestKey(requestKey: String?, param userId: Int) async throws {
        try await write("UPDATE feed SET nextKey = \(requestKey) WHERE userId = \(userId)")
    }

    public override func loadPrevRequestKey(param userId: Int) async throws -> String? {
        try await read("SELECT prevKey FROM feed WHERE userId = \(userId)")
    }

    public override func savePrevRequestKey(requestKey: String?, param userId: Int) async throws {
        try await write("UPDATE feed SET prevKey = \(requestKey) WHERE userId = \(userId)")
    }

    private func read<Value: DatabaseValueConvertible & Sendable>(_ literal: SQL) async throws -> Value? {
        try await database.read { try Value.fetchOne($0, SQLRequest(literal: literal)) }
    }

    private func write(_ literal: SQL) async throws {
        try await database.write { try $0.execute(literal: literal) }
    }

    // MARK: What others change

    /// Tells of each transaction that changes a post or a cursor, whoever makes it with this pool.
    public override func changes(param userId: Int) -> AsyncStream<Void>? {
        let posts: SQLRequest<Row> = "SELECT * FROM feedPost"
        let cursors: SQLRequest<Row> = "SELECT userId, nextKey, prevKey FROM feed"
        let observation = ValueObservation.tracking(regions: [posts, cursors], fetch: { _ in })
        let database = database
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observer = observation.start(in: database, scheduling: .task) { _ in
                continuation.finish()
            } onChange: {
                continuation.yield()
            }
            continuation.onTermination = { _ in observer.cancel() }
        }
    }
}
