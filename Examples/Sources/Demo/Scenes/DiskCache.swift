import Foundation
import Pigeon
import PigeonSQLite

/// What was fetched lies in a SQLite file, and is read from there when memory has forgotten it.
enum DiskCache: Scene {
    static let title = "The SQLite cache"

    static func play(_ stage: Stage) async throws {
        let (client, api) = (stage.client, stage.api)
        let asked = stage.tally.requests
        stage.say("10 users are prefetched at the same time, each under a key of its own")
        await stage.quietly {
            await withTaskGroup { group in
                for id in 1...10 { group.addTask { await client.prefetch(.user(id, api)) } }
            }
        }
        let shown = (1...10).compactMap { client.value(of: .user($0, api)) }
        stage.read("\(shown.count) rows read theirs from memory, \(shown.last?.name ?? "nobody") last", times: 10)

        await client.flush()
        stage.say("all is written: \(try stage.cache.count()) records, \(size(of: stage.file))")
        await stage.quietly { client.dropUnobserved() }
        stage.say("memory is emptied, as a system that is short of it asks for")
        var reread = [try await client.fetch(.user(1, api))]
        try await stage.quietly {
            for id in 2...10 { reread.append(try await client.fetch(.user(id, api))) }
        }
        stage.read("\(reread.count) rows read theirs again, from the file", times: 10)
        stage.check("what came from the file is what came from the server", reread == shown && shown.count == 10)
        stage.check("10 requests for 20 reads", stage.tally.requests - asked == 10)
    }

    /// The file and its write-ahead log.
    private static func size(of file: URL) -> String {
        let paths = ["", "-wal"].map { file.path + $0 }
        let sizes = paths.compactMap { try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }
        return "\(sizes.reduce(0, +) / 1024) KB with the write-ahead log"
    }
}
