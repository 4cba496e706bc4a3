public import GRDB

/// A book, as the server sends it and as a row has it.
public struct Book: Codable, Sendable, Equatable, Identifiable, FetchableRecord {
    /// The number of the book.
    public let id: Int
    /// The title, which the user can change.
    public var title: String

    /// Creates a book.
    public init(id: Int, title: String) {
        (self.id, self.title) = (id, title)
    }
}

/// The server's functions, as the program calls them.
public protocol BookServer: Sendable {
    /// Returns the books on a shelf, in order.
    func books(on shelf: String) async throws -> [Book]

    /// Changes the title of a book.
    func rename(_ id: Book.ID, to title: String) async throws
}
