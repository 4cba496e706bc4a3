import Foundation
import GRDB
import PigeonCore
import Testing

@testable import Bookshelf

@Suite("The table of shelves", .timeLimit(.minutes(1)))
struct ShelfTableTests {
    private let database: DatabaseQueue
    private let table: ShelfTable
    private let date = Date(timeIntervalSinceReferenceDate: 800_000_000)

    init() throws {
        database = try DatabaseQueue()
        try BookTables.migrator.migrate(database)
        table = ShelfTable(database: database, shelf: "bedroom")
    }

    private func books(_ titles: String...) -> [Book] {
        titles.enumerated().map { Book(id: $0.offset, title: $0.element) }
    }

    @Test func `a shelf without books is stored, and one without a row is not`() async throws {
        #expect(try await table.load() == nil)
        try await table.save(Stored([], savedAt: date))
        #expect(try await table.load() == Stored([], savedAt: date))
    }

    @Test func `books come back in order, with their date`() async throws {
        let stored = Stored([Book(id: 2, title: "Ulysses"), Book(id: 1, title: "Emma")], savedAt: date)
        for _ in 1...2 { try await table.save(stored) }
        #expect(try await table.load() == stored)
    }

    @Test func `marking removes the date, and leaves the books`() async throws {
        try await table.save(Stored(books("Emma"), savedAt: date))
        try await table.markStale()
        #expect(try await table.load() == Stored(books("Emma"), savedAt: nil))
    }

    @Test func `removing a shelf leaves the others`() async throws {
        let other = ShelfTable(database: database, shelf: "kitchen")
        for table in [table, other] { try await table.save(Stored(books("Emma", "Ulysses"), savedAt: date)) }
        try await table.remove()
        #expect(try await table.load() == nil)
        #expect(try await other.load()?.value.count == 2)
        let count = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM book") }
        #expect(count == 2)
    }

    @Test func `each change is notified until the subscription is cancelled`() async throws {
        try await table.save(Stored(books("Emma"), savedAt: date))
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let subscription = try #require(table.onChange { continuation.yield() })
        var iterator = changes.makeAsyncIterator()
        await iterator.next(isolation: #isolation)  // the observation has begun
        for sql in ["UPDATE book SET title = 'Ulysses'", "UPDATE shelf SET savedAt = NULL", "DELETE FROM shelf"] {
            try await database.write { try $0.execute(sql: sql) }
            await iterator.next(isolation: #isolation)
        }
        subscription.cancel()
    }
}
