import Foundation
import PigeonCore
import PigeonREST
import PigeonSQLite
import TestSupport
import Testing

@Suite("a persistent cache of entities in a file", .rule("Siesta S5"))
struct SQLiteEntityCacheTests {
    private let secret = "the-secret-of-ada"

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let name = "PigeonREST-\(UUID().uuidString)"
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    /// Returns the bytes of all files.
    private func bytes(in directory: URL) throws -> Data {
        try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .reduce(into: Data()) { try $0.append(Data(contentsOf: $1)) }
    }

    private func pipeline(_ file: SQLiteQueryCache, user: String) -> Pipeline {
        var pipeline = Pipeline()
        pipeline[.model].cacheUsing(
            PersistentEntityCache<String>(in: file, isolation: .perUser(identifiedBy: user)))
        return pipeline
    }

    @Test("An entity is there after the program was begun anew, for its user alone", .rule("R6"))
    func restart() async throws {
        try await withDirectory { directory in
            let url = directory.appendingPathComponent("api.sqlite")
            let entity = Entity<any Sendable>(content: secret, headers: ["etag": "e"], timestamp: 100)
            for write in await pipeline(try SQLiteQueryCache(at: url), user: "ada").process(.success(entity))
                .cacheWrites
            {
                await write.cache.write(write.entity, for: resource())
            }
            let again = try SQLiteQueryCache(at: url)
            let found = await pipeline(again, user: "ada").rehydrate(for: resource())
            #expect(found?.entity.typedContent() == secret)
            #expect(found?.entity.timestamp == 100)
            #expect(found?.entity.etag == "e")
            #expect(await pipeline(again, user: "bob").rehydrate(for: resource())?.entity.timestamp == nil)
        }
    }

    @Test(
        "header fields that hold secrets are not written down; others are there after the program was begun anew",
        .rule("H11"))
    func secretHeaders() async throws {
        try await withDirectory { directory in
            let url = directory.appendingPathComponent("api.sqlite")
            let headers = [
                "Set-Cookie": "sid=\(secret)", "X-Auth-Token": secret, "authorization": secret, "ETag": "e",
                "Link": "l",
            ]
            let entity = Entity<any Sendable>(content: "text", headers: headers, timestamp: 100)
            let file = try SQLiteQueryCache(at: url)
            let cache = try #require(pipeline(file, user: "ada").caches.first)
            await cache.write(entity, for: resource())
            #expect(try bytes(in: directory).range(of: Data(secret.utf8)) == nil)
            let found = await pipeline(try SQLiteQueryCache(at: url), user: "ada").rehydrate(for: resource())
            #expect(found?.entity.headers == ["etag": "e", "link": "l"])
        }
    }

    @Test("after a wipe no file has anything of what was kept, not even of older values", .rule("Siesta S5"))
    func wiping() async throws {
        try await withDirectory { directory in
            let file = try SQLiteQueryCache(at: directory.appendingPathComponent("api.sqlite"))
            let cache = try #require(pipeline(file, user: "ada").caches.first)
            for size in [1, 4000, 10] {
                let content = Array(repeating: secret, count: size).joined(separator: " ")
                for number in 0..<5 {
                    let entity = Entity<any Sendable>(content: content, headers: [:])
                    await cache.write(entity, for: resource("https://example.com/users/\(number)"))
                }
            }
            file.save("mine", for: "query", andTimestamp: Date())
            #expect(try bytes(in: directory).range(of: Data(secret.utf8)) != nil)
            // The pipeline belongs to another user, because the user has changed by the time of a sign-out.
            await pipeline(file, user: "").caches.first?.removeAll { _ in true }
            #expect(try bytes(in: directory).range(of: Data(secret.utf8)) == nil)
            #expect(file.get(for: "query") == "mine")
        }
    }

    @Test("A wipe of some addresses leaves the others")
    func wipingSome() async throws {
        try await withDirectory { directory in
            let file = try SQLiteQueryCache(at: directory.appendingPathComponent("api.sqlite"))
            let cache = try #require(pipeline(file, user: "ada").caches.first)
            let (kept, wiped) = (resource("https://example.com/kept"), resource("https://example.com/wiped"))
            await cache.write(Entity(content: "kept", headers: [:]), for: kept)
            await cache.write(Entity(content: secret, headers: [:]), for: wiped)
            await cache.removeAll { $0.path == "/wiped" }
            #expect(await cache.read(for: kept)?.text == "kept")
            #expect(await cache.read(for: wiped)?.timestamp == nil)
            #expect(try bytes(in: directory).range(of: Data(secret.utf8)) == nil)
        }
    }

    @Test("what was removed before leaves nothing after a wipe either", .rule("Siesta S5"))
    func wipingAfterRemoval() async throws {
        try await withDirectory { directory in
            let file = try SQLiteQueryCache(at: directory.appendingPathComponent("api.sqlite"))
            let cache = try #require(pipeline(file, user: "ada").caches.first)
            let content = Array(repeating: secret, count: 4000).joined(separator: " ")
            await cache.write(Entity(content: content, headers: [:]), for: resource())
            await cache.remove(for: resource())
            #expect(try bytes(in: directory).range(of: Data(secret.utf8)) != nil)
            await cache.removeAll { _ in true }
            #expect(try bytes(in: directory).range(of: Data(secret.utf8)) == nil)
        }
    }
}
