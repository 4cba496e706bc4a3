public import Foundation
public import GRDB
public import PigeonCore

/// The books of a user. They lie in the program's own database, which any part of the program can read and write.
///
/// ```swift
/// let bookshelf = try Bookshelf(file: file, server: server)
/// for await snapshot in bookshelf.client.observe(bookshelf.books(on: "bedroom")) { show(snapshot) }
/// ```
public struct Bookshelf: Sendable {
    /// The program's database. Queries show what is written here.
    public let database: DatabaseQueue
    /// The client that the program's queries belong to.
    public let client: QueryClient

    /// Opens the database, and creates its tables in a new file.
    public init(file: URL, server: any BookServer, environment: QueryEnvironment = QueryEnvironment()) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)  // another process may hold the file for a moment
        database = try DatabaseQueue(path: file.path, configuration: configuration)
        try BookTables.migrator.migrate(database)
        client = QueryClient(dependencies: Dependencies(server as any BookServer), environment: environment)
    }

    /// The books on a shelf: from the database, and from the server after an hour.
    public func books(on shelf: String) -> QueryDefinition<[Book]> {
        QueryDefinition("shelves", shelf) { context in
            try await context[(any BookServer).self].books(on: shelf)
        }
        .staleAfter(.minutes(60))
        .stored(in: ShelfTable(database: database, shelf: shelf))
    }

    /// Changes a title. The change is shown at once, saved once the server has confirmed it, and rolled back if it refuses.
    public func rename(_ id: Book.ID, to title: String, on shelf: String) async throws {
        try await client.mutate(RenameBook(id: id, title: title, books: books(on: shelf)))
    }

    /// Removes all that is known of the user, and cancels what was requested for them.
    public func signOut() async throws {
        try await client.clear()  // the shelves whose queries are in memory
        try await database.write { try $0.execute(sql: "DELETE FROM shelf") }  // and those that nothing has read
    }
}

/// The change of a title.
struct RenameBook: Mutating {
    let id: Book.ID
    let title: String
    let books: QueryDefinition<[Book]>

    func run(_ context: MutationContext) async throws {
        try await context[(any BookServer).self].rename(id, to: title)
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(books) { books in
            for index in books.indices where books[index].id == id { books[index].title = title }
        }
    }
}
