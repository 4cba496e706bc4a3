import DemoServer
import Foundation
import GRDB
import PigeonHTTP
import PigeonStore
import Repository
import Testing

@testable import RepositoryDemo

@Suite("A repository of feeds", .timeLimit(.minutes(1)))
struct FeedRepositoryTests {
    @Test func `signing out empties feeds that are shown, that were, and that nobody opened`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("feeds-\(UUID().uuidString).sqlite")
        defer { removeDatabase(at: file) }
        let server = try await DemoServer.start()
        let fetcher = FeedFetcher(api: NetworkDispatcher(baseURL: server.url), start: 96, pageSize: 2)
        let feeds = try FeedRepository(file: file, fetcher: fetcher, client: QueryClient())
        let shown = feeds.posts(of: 10)
        let subscription = shown.publish().sink { _ in }
        #expect(try await shown.requireData().map(\.id) == [96, 95])
        #expect(try await feeds.posts(of: 3).requireData().map(\.id) == [30, 29])
        try await feeds.database.write { database in
            try database.execute(sql: "INSERT INTO feed (userId) VALUES (7)")
            try database.execute(sql: "INSERT INTO feedPost (userId, id, title, position) VALUES (7, 1, 'One', 0)")
        }
        try await feeds.signOut()
        let rows = try await feeds.database.read { database in
            try Int.fetchOne(database, sql: "SELECT (SELECT count(*) FROM feed) + (SELECT count(*) FROM feedPost)")
        }
        #expect(rows == 0)
        #expect(try await feeds.posts(of: 10).requireData().map(\.id) == [96, 95])
        subscription.cancel()
        try await server.stop()
    }
}
