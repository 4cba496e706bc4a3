import Foundation
import PigeonREST
import Testing

// guide: `EntityCache`
/// A cache as the documentation of `EntityCache` describes one: of one kind of content, in a dictionary.
private final class Memory: EntityCache, @unchecked Sendable {  // `lock` guards all variables
    struct Key: Hashable, Sendable {
        let path: String
    }

    private let lock = NSLock()
    private var entities: [Key: Entity<Sendable>] = [:]
    private var done: [String] = []

    var log: [String] { lock.withLock { done } }

    func key(for resource: Resource) -> Key? {
        resource.url.path.hasPrefix("/private") ? nil : Key(path: resource.url.path)
    }

    // guide: cannot convert `Entity<any Sendable>` to `Entity<Any>`
    func readEntity(forKey key: Key) -> Entity<Sendable>? {
        lock.withLock {
            done.append("read \(key.path)")
            return entities[key]
        }
    }

    func writeEntity(_ entity: Entity<Sendable>, forKey key: Key) {
        lock.withLock {
            done.append("write \(key.path)")
            entities[key] = entity
        }
    }

    func removeEntity(forKey key: Key) {
        lock.withLock {
            done.append("remove \(key.path)")
            entities[key] = nil
        }
    }

    let workQueue = DispatchQueue(label: "Memory")
}

/// A cache with all that is not asked for left out, but the key.
private struct NoCache: EntityCache {
    func key(for resource: Resource) -> String? { nil }
    func readEntity(forKey key: String) -> Entity<Sendable>? { nil }
    func writeEntity(_ entity: Entity<Sendable>, forKey key: String) {}
    func removeEntity(forKey key: String) {}
}

@MainActor
@Suite("Siesta: persistent caches")
struct CachingTests {
    let network = StubNetwork(["GET /a": .text("fresh"), "GET /private": .text("secret")])

    private func service(_ cache: Memory, freshFor time: TimeInterval = 3600) -> Service {
        let service = Service(baseURL: "https://example.com", networking: network)
        service.configure {
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.expirationTime = time
        }
        return service
    }

    @Test("what is loaded is written, and read by the next run of the program")
    func reading() async {
        let cache = Memory()
        let first = service(cache)
        await end(of: first.resource("/a").load())
        await end(of: first.resource("/private").load())
        // guide: reading `latestData` looks in persistent caches
        await first.settlePersistentCaches()
        #expect(cache.log.contains("write /a"))
        #expect(!cache.log.contains("write /private"))

        let resource = service(cache).resource("/a")
        let observer = Recorder()
        resource.addObserver(observer)
        await observer.saw(.newData(.cache))
        #expect(resource.text == "fresh")
    }

    @Test("loadIfNeeded() asks the cache first, and calls onNewData with what it has")
    func loadIfNeeded() async {
        let cache = Memory()
        let first = service(cache)
        await end(of: first.resource("/a").load())
        await first.settlePersistentCaches()
        let resource = service(cache).resource("/a")
        let count = network.requests.count
        var text: String?
        let request = resource.loadIfNeeded()?.onNewData { text = $0.text }
        #expect(request != nil && request?.state != .notStarted)
        await end(of: request)
        #expect(resource.text == "fresh")
        #expect(text != nil)
        #expect(network.requests.count == count)
    }

    @Test("an override is removed from the cache, and so is what was wiped")
    func removing() async {
        let cache = Memory()
        let service = service(cache)
        let resource = service.resource("/a")
        await end(of: resource.load())
        resource.overrideLocalContent(with: "mine")
        await service.settlePersistentCaches()
        #expect(cache.log.last == "remove /a")
    }

    @Test("updateEntityTimestamp(_:forKey:) reads and writes by default")
    func timestamps() {
        let cache = Memory()
        let key = Memory.Key(path: "/a")
        cache.writeEntity(Entity<Sendable>(content: "a", contentType: "text/plain"), forKey: key)
        cache.updateEntityTimestamp(5, forKey: key)
        #expect(cache.readEntity(forKey: key)?.timestamp == 5)
        #expect(cache.log == ["write /a", "read /a", "write /a", "read /a"])
        #expect(cache.workQueue.label == "Memory")
        #expect(NoCache().workQueue.label == DispatchQueue.global(qos: .userInitiated).label)
    }

    @Test("doNotCache() and removeAllCaches()")
    func without() async {
        let cache = Memory()
        let service = service(cache)
        service.configure("/a") { $0.pipeline[.rawData].doNotCache() }
        service.configure("/b") { $0.pipeline.removeAllCaches() }
        service.configure("/c") { $0.pipeline[.model].cacheUsing(NoCache()) }
        network["GET /b"] = .text("b")
        await end(of: service.resource("/a").load())
        await end(of: service.resource("/b").load())
        await service.settlePersistentCaches()
        #expect(cache.log.isEmpty)
    }

    @Test("a cache of one stage keeps what that stage has made")
    func stages() async {
        let cache = Memory()
        let service = Service(baseURL: "https://example.com", networking: network)
        service.configure("/a") { $0.pipeline[.parsing].cacheUsing(cache) }
        await end(of: service.resource("/a").load())
        await service.settlePersistentCaches()
        #expect(cache.readEntity(forKey: Memory.Key(path: "/a"))?.content is String)
    }
}
