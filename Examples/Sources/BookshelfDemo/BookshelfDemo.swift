import Foundation

/// Plays the story with a database that is removed afterwards.
@main
struct BookshelfDemo {
    static func main() async throws {
        let file = temporaryDatabase()
        defer { removeDatabase(at: file) }
        try await Story(file: file) { print($0) }.play()
    }
}

/// Returns a new name in the folder of temporary files.
func temporaryDatabase() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("books-\(UUID().uuidString).sqlite")
}

/// Removes a database with the files that SQLite keeps beside it.
func removeDatabase(at file: URL) {
    for suffix in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
}
