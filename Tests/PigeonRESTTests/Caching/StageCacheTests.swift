import Dispatch
import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("the cache of a stage", .rule("Siesta 36"))
struct StageCacheTests {
    private func box(_ cache: some EntityCache) throws -> StageCache {
        var pipeline = Pipeline()
        pipeline[.model].cacheUsing(cache)
        return try #require(pipeline.caches.first)
    }

    private let entity = Entity<any Sendable>(content: 1, headers: ["etag": "e"], timestamp: 100)

    @Test("what is written is read; a 304 changes its time; a removal leaves nothing", .rule("Siesta 36"))
    func operations() async throws {
        let cache = MemoryCache()
        let box = try box(cache)
        #expect(await box.read(for: resource())?.timestamp == nil)
        await box.write(entity, for: resource())
        #expect(await box.read(for: resource())?.typedContent() == 1)
        await box.touch(timestamp: 200, for: resource())
        let touched = await box.read(for: resource())
        #expect(touched?.timestamp == 200)
        #expect(touched?.etag == "e")
        #expect(touched?.typedContent() == 1)
        await box.remove(for: resource())
        #expect(await box.read(for: resource())?.timestamp == nil)
    }

    @Test("a touch of what is not there writes nothing", .rule("Siesta 36"))
    func touchingNothing() async throws {
        let cache = MemoryCache()
        try await box(cache).touch(timestamp: 200, for: resource())
        #expect(cache.calls == ["key", "read"])
    }

    @Test("the key is asked for once for each operation, before it", .rule("Siesta 36"))
    func keys() async throws {
        let cache = MemoryCache()
        let box = try box(cache)
        _ = await box.read(for: resource())
        await box.write(entity, for: resource())
        await box.remove(for: resource())
        #expect(cache.calls == ["key", "read", "key", "write", "key", "remove"])
    }

    @Test("an operation has the key that was valid when it was requested", .rule("Siesta 36"))
    func keyOfRequest() async throws {
        let cache = MemoryCache()
        cache.user = "/ann"
        let record = try #require(try box(cache).record(of: resource()))
        cache.user = "/bob"
        await record.write(entity)
        #expect(cache.calls == ["key", "write"])
        #expect(cache["/ann/users/1"]?.typedContent() == 1)
        #expect(cache["/bob/users/1"] == nil)
    }

    @Test("a resource without a key is left out of everything", .rule("Siesta 36"))
    func optingOut() async throws {
        let cache = MemoryCache { $0.url.path != "/users/1" }
        let box = try box(cache)
        await box.write(entity, for: resource())
        await box.touch(timestamp: 200, for: resource())
        await box.remove(for: resource())
        #expect(await box.read(for: resource())?.timestamp == nil)
        #expect(cache.calls == ["key", "key", "key", "key"])
    }

    @Test("work is done on the cache's queue, and waited for without holding a thread", .rule("Siesta S23"))
    func queues() async throws {
        // The queue is suspended, so code that blocked to wait for it would also block the test.
        let queue = DispatchQueue(label: "cache")
        let cache = MemoryCache(on: queue)
        let box = try box(cache)
        queue.suspend()
        let entity = entity
        let all = Task {
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask { await box.write(entity, for: resource("https://example.com/users/\(number)")) }
                }
            }
        }
        await until { cache.calls.count >= 200 }
        #expect(!cache.calls.contains("write"))
        queue.resume()
        await all.value
        #expect(cache.calls.filter { $0 == "write" }.count == 200)
    }

    @Test("an operation has ended when its call returns, so that the next cannot overtake it", .rule("Siesta S23"))
    func order() async throws {
        let cache = MemoryCache()
        let box = try box(cache)
        for _ in 0..<100 {
            await box.write(entity, for: resource())
            await box.remove(for: resource())
            #expect(cache["/users/1"]?.timestamp == nil)
        }
    }

    @Test("What is forgotten by address is forgotten, the rest is not")
    func removingSome() async throws {
        let cache = MemoryCache()
        let box = try box(cache)
        for path in ["a", "b"] { await box.write(entity, for: resource("https://example.com/\(path)")) }
        await box.removeAll { $0.path == "/a" }
        #expect(cache["/a"]?.timestamp == nil)
        #expect(cache["/b"]?.timestamp == 100)
    }

    @Test("A cache of one's own needs four functions")
    func minimal() async throws {
        struct Minimal: EntityCache {
            let inner = MemoryCache()
            func key(for resource: Resource) -> String? { inner.key(for: resource) }
            func readEntity(forKey key: String) -> Entity<any Sendable>? { inner[key] }
            func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) { inner[key] = entity }
            func removeEntity(forKey key: String) { inner[key] = nil }
        }
        let cache = Minimal()
        let box = try box(cache)
        await box.write(entity, for: resource())
        await box.touch(timestamp: 200, for: resource())
        #expect(cache.inner["/users/1"]?.timestamp == 200)
        await box.removeAll { _ in true }
        #expect(await box.read(for: resource())?.timestamp == 200)
        await box.remove(for: resource())
        #expect(await box.read(for: resource())?.timestamp == nil)
    }
}
