import Foundation
import PigeonCore
import PigeonREST
import PigeonSQLite
import TestSupport
import Testing

@Suite("A persistent cache of entities")
struct PersistentEntityCacheTests {
    private struct User: Codable, Sendable, Equatable {
        let name: String
    }

    private let store = InMemoryQueryCache()

    private func cache<Content: Codable & Sendable>(
        of type: Content.Type = String.self, name: String = "entities", _ isolation: DataIsolation = .sharedByAllUsers
    ) -> PersistentEntityCache<Content> {
        PersistentEntityCache(in: store, name: name, isolation: isolation)
    }

    private func write<Content: Codable & Sendable>(
        _ content: any Sendable, to cache: PersistentEntityCache<Content>, _ address: String = "https://h/a"
    ) throws {
        let key = try #require(cache.key(for: resource(address)))
        let headers = ["content-type": "text/plain", "etag": "e"]
        cache.writeEntity(Entity(content: content, charset: "utf-8", headers: headers, timestamp: 123.25), forKey: key)
    }

    private func read<Content: Codable & Sendable>(
        _ cache: PersistentEntityCache<Content>, _ address: String = "https://h/a"
    ) throws -> Entity<any Sendable>? {
        cache.readEntity(forKey: try #require(cache.key(for: resource(address))))
    }

    @Test("Content, headers, charset and time come back")
    func roundTrip() throws {
        let cache = cache(of: User.self)
        try write(User(name: "Ada"), to: cache)
        let entity = try #require(try read(cache))
        #expect(entity.typedContent() == User(name: "Ada"))
        #expect(entity.headers == ["content-type": "text/plain", "etag": "e"])
        #expect(entity.charset == "utf-8")
        #expect(entity.timestamp == 123.25)
    }

    @Test("The time can be changed alone, and one entity removed")
    func touching() throws {
        let cache = cache()
        try write("text", to: cache)
        let key = try #require(cache.key(for: resource("https://h/a")))
        cache.updateEntityTimestamp(200, forKey: key)
        #expect(try read(cache)?.timestamp == 200)
        #expect(try read(cache)?.typedContent() == "text")
        cache.removeEntity(forKey: key)
        #expect(try read(cache)?.timestamp == nil)
    }

    @Test("what was kept for one user is never found by another", .rule("Siesta S5"))
    func users() throws {
        let isolations: [DataIsolation] = [
            .sharedByAllUsers, .perUser(identifiedBy: "a"), .perUser(identifiedBy: "b"), .perUser(identifiedBy: ""),
            .perUser(identifiedBy: "a/b"), .perUser(identifiedBy: "shared"),
        ]
        for isolation in isolations { try write("\(isolation)", to: cache(isolation)) }
        #expect(store.count == isolations.count)
        try write("mine", to: cache(.perUser(identifiedBy: "a")))
        #expect(try read(cache(.perUser(identifiedBy: "a")))?.text == "mine")
        for other in isolations where other != .perUser(identifiedBy: "a") {
            #expect(try read(cache(other))?.text == "\(other)")
        }
    }

    @Test("Names, types and addresses are kept apart")
    func spaces() throws {
        try write("text", to: cache())
        #expect(try read(cache(name: "other"))?.timestamp == nil)
        #expect(try read(cache(of: Int.self))?.timestamp == nil)
        #expect(try read(cache(), "https://h/b")?.timestamp == nil)
        #expect(try read(cache(), "https://h/a?")?.timestamp == nil)
    }

    @Test("Who is not named in the keys")
    func names() throws {
        let key = cache(.perUser(identifiedBy: "ada@example.com")).key(for: resource("https://h/a"))
        #expect(try #require(key).queryKeyValue.contains("ada") == false)
    }

    @Test("Content of another type is not kept, and what it would replace goes")
    func otherContent() throws {
        let cache = cache()
        try write("old", to: cache)
        try write(7, to: cache)
        #expect(try read(cache)?.timestamp == nil)
        #expect(store.count == 0)
    }

    @Test("An entry that does not decode is a miss, and is removed", arguments: ["{}", "x", "[{\"content\":1}]"])
    func undecodable(text: String) throws {
        let store = RecordStore()
        let cache = PersistentEntityCache<String>(in: store, isolation: .sharedByAllUsers)
        let key = try #require(cache.key(for: resource()))
        try store.apply([.save(QueryRecord(data: Data(text.utf8), savedAt: Date()), for: key)])
        #expect(cache.readEntity(forKey: key)?.timestamp == nil)
        #expect(try store.record(for: key) == nil)
    }

    @Test("What is meant by its address goes, for all users; the rest, and what is not an entity, stays")
    func removing() throws {
        let (ada, bob) = (cache(.perUser(identifiedBy: "ada")), cache(.perUser(identifiedBy: "bob")))
        let other = cache(name: "other")
        for address in ["https://h/a", "https://h/b?x=1"] {
            for cache in [ada, bob, other] { try write("text", to: cache, address) }
        }
        store.save("mine", for: "entities", andTimestamp: Date())
        bob.removeEntities { $0.absoluteString == "https://h/b?x=1" }
        for cache in [ada, bob] {
            #expect(try read(cache, "https://h/b?x=1")?.timestamp == nil)
            #expect(try read(cache)?.text == "text")
        }
        ada.removeEntities { _ in true }
        #expect(try read(bob)?.timestamp == nil)
        #expect(try read(other)?.text == "text")
        #expect(store.get(for: "entities") == "mine")
    }

    @Test("An entity without a time that can be written is not kept")
    func timeless() throws {
        try write("text", to: cache())
        let key = try #require(cache().key(for: resource("https://h/a")))
        cache().writeEntity(Entity(content: "new", headers: [:], timestamp: .nan), forKey: key)
        #expect(try read(cache())?.timestamp == nil)
    }
}
