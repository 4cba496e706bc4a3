import Dispatch
import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Wiping resources with persistent caches")
struct CacheWipeTests {
    let bench = RESTBench()
    let queue = DispatchQueue(label: "cache")
    let cache: MemoryCache

    init() {
        cache = MemoryCache(on: queue)
        bench.service.configure("**") { [cache] in $0.pipeline[.rawData].cacheUsing(cache) }
    }

    private func store(_ text: String) {
        let now = bench.lab.environment.wallClock().timeIntervalSinceReferenceDate
        cache["/v1/users/1"] = Entity(content: Data(text.utf8), headers: [:], timestamp: now)
    }

    @Test(
        "a wipe empties the cache, and what is loaded after does not find the old user's", .rule("Siesta S5"),
        arguments: [0, 1, 2])
    func wipe(way: Int) async {
        let resource = bench.loaded()
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] != nil)
        switch way {
        case 0: resource.wipe()
        case 1: bench.service.wipeResources()
        default: bench.service.wipeResources(matching: "/users/*")
        }
        resource.loadIfNeeded()
        await bench.until { bench.asked.count == 2 }
        #expect(resource.latestData == nil)
        #expect(cache["/v1/users/1"] == nil)
    }

    @Test(
        "an observer that asks again as soon as it hears of the wipe does not find the old user's", .rule("Siesta S5"))
    func reentrant() async {
        let resource = bench.loaded()
        await bench.settleCaches()
        let heard = Recorder<String>()
        resource.addObserver(owner: bench.owner) { resource, event in
            heard.append("\(event) \(resource.body)")
            if event == .newData(.wipe) { resource.loadIfNeeded() }
        }
        bench.service.wipeResources()
        await bench.until { bench.asked.count == 2 }
        bench.answer("Bob")
        #expect(heard.all == ["observerAdded Ann", "newData(wipe) ", "requested ", "newData(network) Bob"])
        await bench.settleCaches()
        #expect(cache["/v1/users/1"]?.typedContent() == Data("Bob".utf8))
    }

    @Test("a wipe reaches what other runs of the program left in the cache", .rule("Siesta S5"))
    func leftovers() async {
        store("Ann")
        bench.service.wipeResources()
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] == nil)
        #expect(bench.client.count == 0)
    }

    @Test("a wipe empties the cache of a resource even where that cannot be asked for all it has", .rule("Siesta S5"))
    func plainCache() async {
        let plain = PlainCache()
        bench.service.configure("**") { $0.pipeline[.rawData].cacheUsing(plain) }
        do { _ = bench.loaded() }
        await bench.settleCaches()
        #expect(plain.count == 1)
        bench.service.wipeResources()
        await bench.settleCaches()
        #expect(plain.count == 0)
    }

    @Test("content that is being written when it is wiped is removed", .rule("Siesta S4"))
    func whileWriting() async {
        queue.suspend()
        let resource = bench.loaded()
        resource.wipe()
        queue.resume()
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] == nil)
        #expect(resource.latestData == nil)
    }

    @Test(
        "what a cache was asked for before a wipe is not shown after it", .rule("Siesta S4"), arguments: [0, 1, 2, 3])
    func whileReading(way: Int) async throws {
        store("Ann")
        queue.suspend()
        let resource = bench.resource()
        if way % 2 == 0 { _ = bench.record(resource) } else { resource.loadIfNeeded() }
        await bench.until { cache.requestCount == 1 }
        if way < 2 { resource.wipe() } else { bench.service.wipeResources() }
        queue.resume()
        await bench.settleCaches()
        #expect(resource.latestData == nil)
        #expect(cache["/v1/users/1"] == nil)
        #expect(bench.asked.isEmpty)
    }

    @Test("what a cache was asked for before the client was cleared is not shown after it")
    func clear() async throws {
        store("Ann")
        queue.suspend()
        let resource = bench.resource()
        let heard = bench.record(resource)
        let client = bench.client
        try await client.clear()
        queue.resume()
        await bench.settleCaches()
        #expect(resource.latestData == nil)
        #expect(heard.all == ["observerAdded idle ", "newData(wipe) idle "])
    }

    @Test("content that is dropped to save memory as soon as it comes is kept in the cache all the same")
    func dropped() async {
        queue.suspend()
        do { _ = bench.loaded() }
        await bench.until { cache.requestCount == 1 }
        bench.service.flushUnusedResources()
        bench.client.dropUnobserved()
        queue.resume()
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] != nil)
    }

    @Test("a service that is let go at once after a wipe empties its caches")
    func serviceGone() async {
        store("Ann")
        let isEmpty = Recorder<Bool>()
        do {
            let client = QueryClient()
            let service = Service(baseURL: "https://api.test/v1", networking: ManualProvider(), client: client)
            service.configure("**") { [cache] in $0.pipeline[.rawData].cacheUsing(cache) }
            queue.suspend()
            service.wipeResources()
        }
        queue.resume()
        await bench.until {
            if cache["/v1/users/1"] == nil { isEmpty.append(true) }
            return !isEmpty.all.isEmpty
        }
    }
}

/// A cache of entities that implements only the required functions.
private final class PlainCache: EntityCache {
    private let entities = Locked<[String: Entity<any Sendable>]>([:])

    var count: Int { entities.withLock { $0.count } }

    func key(for resource: Resource) -> String? { resource.url.path }
    func readEntity(forKey key: String) -> Entity<any Sendable>? { entities.withLock { $0[key] } }
    func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) { entities.withLock { $0[key] = entity } }
    func removeEntity(forKey key: String) { entities.withLock { $0[key] = nil } }
}
