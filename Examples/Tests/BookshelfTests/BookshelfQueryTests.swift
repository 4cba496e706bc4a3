import GRDB
import PigeonCore
import Testing

@testable import Bookshelf
@testable import BookshelfDemo

@Suite("A bookshelf", .timeLimit(.minutes(1)))
struct BookshelfQueryTests {
    private let server = ScriptedServer()

    @Test func `an invalidation marks the rows, so that the next start fetches them again`() async throws {
        let file = temporaryDatabase()
        defer { removeDatabase(at: file) }
        let first = try Bookshelf(file: file, server: server)
        _ = try await first.client.fetch(first.books(on: "bedroom"))
        await first.client.invalidate(first.books(on: "bedroom"))
        _ = try await first.client.fetch(first.books(on: "bedroom"), .cacheOnly)  // once they are marked
        #expect(await server.takeRequestCount() == 1)
        let markedCount = try await first.database.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM shelf WHERE savedAt IS NULL")
        }
        #expect(markedCount == 1)

        let second = try Bookshelf(file: file, server: server)
        _ = try await second.client.fetch(second.books(on: "bedroom"))
        #expect(await server.takeRequestCount() == 1)
        _ = try await second.client.fetch(second.books(on: "bedroom"))
        #expect(await server.takeRequestCount() == 0)
    }

    @Test func `signing out removes shelves that are in memory, and those that nothing has read`() async throws {
        let file = temporaryDatabase()
        defer { removeDatabase(at: file) }
        let bookshelf = try Bookshelf(file: file, server: server)
        _ = try await bookshelf.client.fetch(bookshelf.books(on: "bedroom"))
        try await bookshelf.database.write { database in
            try database.execute(sql: "INSERT INTO shelf (name) VALUES ('kitchen')")
        }
        try await bookshelf.signOut()
        let count = try await bookshelf.database.read { database in
            try Int.fetchOne(database, sql: "SELECT (SELECT count(*) FROM shelf) + (SELECT count(*) FROM book)")
        }
        #expect(count == 0)
    }
}
