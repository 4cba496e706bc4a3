public import Foundation
public import GRDB
public import PigeonStore

/// The feeds of a program: it asks here, and never the server or the tables themselves.
///
/// ```swift
/// let feeds = try FeedRepository(file: file, fetcher: FeedFetcher(api: api, start: 46, pageSize: 2))
/// for await state in feeds.posts(of: 5).publish() { show(state) }
/// ```
public struct FeedRepository: Sendable {
    /// Where all feeds are. Whatever is written with it is shown.
    public let database: DatabasePool
    private let client: QueryClient
    private let cacher: FeedCacher
    private let fetcher: FeedFetcher

    /// Opens the tables, and makes them in a new file.
    public init(file: URL, fetcher: FeedFetcher, client: QueryClient = .shared) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)  // another process, or one that is ending, may hold the file for a moment
        database = try DatabasePool(path: file.path, configuration: configuration)
        try FeedTables.migrator.migrate(database)
        cacher = FeedCacher(database: database)
        self.client = client
        self.fetcher = fetcher
    }

    /// The posts of a user, as far as they were asked for.
    public func posts(of userId: Int) -> AnyTwoWayPaginationStoreFlowable<Int, [Post]> {
        AnyStoreFlowable.from(cacher: cacher, fetcher: fetcher, param: userId, client: client)
    }

    /// Leaves nothing of the user who goes: neither in use nor in the tables. What was asked for before does not land after.
    public func signOut() async throws {
        try await client.clear()
        try await database.write { try $0.execute(sql: "DELETE FROM feed") }  // those that nobody had opened
    }
}
