import GRDB
import PigeonCore

/// The rows of one shelf, as the source of truth of its query.
struct ShelfTable: SourceOfTruth {
    let database: any DatabaseWriter
    let shelf: String

    /// Returns the books and their date. A shelf without books has a row; one without a row is not stored.
    func load() async throws -> Stored<[Book]>? {
        try await database.read { database in
            let row = try Row.fetchOne(
                database, SQLRequest(literal: "SELECT savedAt FROM shelf WHERE name = \(shelf)"))
            guard let row else { return nil }
            let books: SQLRequest<Book> = "SELECT id, title FROM book WHERE shelf = \(shelf) ORDER BY position"
            return Stored(try books.fetchAll(database), savedAt: row["savedAt"])
        }
    }

    /// Replaces the rows in one transaction, so that no reader finds half of a list.
    func save(_ stored: Stored<[Book]>) async throws {
        try await database.write { database in
            try database.execute(literal: "DELETE FROM shelf WHERE name = \(shelf)")  // and its books
            try database.execute(
                literal: "INSERT INTO shelf (name, savedAt) VALUES (\(shelf), \(stored.savedAt))")
            for (position, book) in stored.value.enumerated() {
                try database.execute(
                    literal: """
                        INSERT INTO book (shelf, id, title, position)
                        VALUES (\(shelf), \(book.id), \(book.title), \(position))
                        """)
            }
        }
    }

    func remove() async throws {
        try await database.write { try $0.execute(literal: "DELETE FROM shelf WHERE name = \(shelf)") }
    }

    func markStale() async throws {
        try await database.write { database in
            try database.execute(literal: "UPDATE shelf SET savedAt = NULL WHERE name = \(shelf)")
        }
    }

    /// Notifies after each transaction that changes one of the tables. The first notification comes once the observation
    /// has begun, so that no change is missed before it.
    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
        let shelves: SQLRequest<Row> = "SELECT * FROM shelf"
        let books: SQLRequest<Row> = "SELECT * FROM book"
        let observation = ValueObservation.tracking(regions: [shelves, books], fetch: { _ in })
        let cancellable = observation.start(in: database, scheduling: .task) { _ in
            handler()  // the next reading reports what is wrong
        } onChange: {
            handler()
        }
        return QuerySubscription { cancellable.cancel() }
    }
}
