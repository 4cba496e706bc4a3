import DemoServer
import Foundation
import GRDB
import PigeonHTTP
import PigeonStore
import Repository

/// What a program and its user do with a feed, from the first start to the sign-out. It is the same each time: nothing is
/// told before it has happened.
struct Story {
    static let newTitle = "Changed by hand"
    private static let user = 5

    let server: DemoServer
    let file: URL
    /// What the program runs in. A test may stop its clock.
    var environment = QueryEnvironment()
    let tell: (String) -> Void

    func play() async throws {
        try await firstStart()
        try await secondStart()
    }

    private func firstStart() async throws {
        let feeds = try openFeeds()
        let feed = feeds.posts(of: Self.user)

        tell("The first start: nothing is known, so the server is asked, once")
        var screen = Screen(of: feed, tell: tell)
        await screen.show()
        tellOfServer()

        tell("The user scrolls down, and up: each page is a few rows more")
        await feed.requestNextData()
        await screen.show()
        await feed.requestPrevData()
        await screen.show()
        try await tellOfTables(feeds)
        tellOfServer()

        tell("Somebody else writes into the tables: the screen follows, and the server is not asked")
        try await feeds.database.write { database in
            try database.execute(
                sql: "UPDATE feedPost SET title = ? WHERE id = 46", arguments: [Self.newTitle])
        }
        await screen.show()
        tellOfServer()

        tell("The server fails: first a page, then the whole. What is in the tables stays")
        server.faults = .failing(["/timeline"], status: 503)
        await feed.requestNextData()
        await screen.show()
        await feed.refresh()
        await screen.show()
        try await tellOfTables(feeds)
        tellOfServer()
        screen.close()
    }

    /// Nothing is left of the first but its file.
    private func secondStart() async throws {
        let feeds = try openFeeds()
        let feed = feeds.posts(of: Self.user)

        tell("The second start, without a server: all is there, with the title and the cursors")
        var screen = Screen(of: feed, tell: tell)
        await screen.show()
        tellOfServer()

        tell("The server is well again, and the user goes on where it stopped, to both ends")
        server.faults = .none
        await feed.requestNextData()
        await screen.show()
        await feed.requestPrevData()
        await screen.show()
        try await tellOfTables(feeds)
        tellOfServer()

        tell("The user signs out")
        try await feeds.signOut()
        await screen.show()
        try await tellOfTables(feeds)
        tellOfServer()
        screen.close()
    }

    private func openFeeds() throws -> FeedRepository {
        let api = NetworkDispatcher(baseURL: server.url)
        return try FeedRepository(
            file: file, fetcher: FeedFetcher(api: api, start: 46, pageSize: 2),
            client: QueryClient(environment: environment))
    }

    private func tellOfServer() {
        tell("  server   requests: \(server.requests.count)")
        server.resetRequests()
    }

    private func tellOfTables(_ feeds: FeedRepository) async throws {
        let (feedCount, postCount) = try await feeds.database.read { database in
            (
                try Int.fetchOne(database, sql: "SELECT count(*) FROM feed") ?? 0,
                try Int.fetchOne(database, sql: "SELECT count(*) FROM feedPost") ?? 0
            )
        }
        tell("  tables   feeds: \(feedCount), posts: \(postCount)")
    }
}
