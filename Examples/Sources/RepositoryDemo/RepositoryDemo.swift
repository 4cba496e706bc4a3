import DemoServer
import Foundation

/// Plays the story against a server of its own, with a file that is gone afterwards.
@main
struct RepositoryDemo {
    static func main() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("feeds-\(UUID().uuidString).sqlite")
        defer { removeDatabase(at: file) }
        let server = try await DemoServer.start()
        try await Story(server: server, file: file) { print($0) }.play()
        try await server.stop()
    }
}

/// Removes a database with the files that SQLite keeps beside it.
func removeDatabase(at file: URL) {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
}
