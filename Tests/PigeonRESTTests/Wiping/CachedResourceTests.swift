import Dispatch
import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Resources with persistent caches")
struct CachedResourceTests {
    let bench = RESTBench()
    let cache = MemoryCache()

    init() {
        bench.service.configure("**") { [cache] in $0.pipeline[.rawData].cacheUsing(cache) }
    }

    /// Stores a user in the cache, with an age in seconds.
    private func store(_ text: String, age: TimeInterval = 0, _ headers: [String: String] = [:]) {
        let now = bench.lab.environment.wallClock().timeIntervalSinceReferenceDate
        cache["/v1/users/1"] = Entity(content: Data(text.utf8), headers: headers, timestamp: now - age)
    }

    @Test(
        "content that a cache has and that is fresh is shown while loading, and is enough",
        .rule("Siesta 34", "Siesta 35"))
    func freshHit() async {
        store("Ann")
        let resource = bench.resource()
        let heard = bench.record(resource)
        await bench.until { heard.all.count == 2 }
        let other = bench.resource("/users/2")
        cache["/v1/users/2"] = cache["/v1/users/1"]
        let log = Recorder<String>()
        let request = other.loadIfNeeded()
        other.addObserver(owner: bench.owner) { resource, event in log.append("\(event) \(resource.isLoading)") }
        // The observer hears of the end after the request has completed.
        await bench.until { request?.isCompleted ?? true && !other.isLoading && log.all.count == 3 }
        #expect(log.all == ["observerAdded true", "newData(cache) true", "notModified false"])
        #expect(await request?.response().isNew == true)
        #expect(bench.asked.isEmpty)
        #expect(heard.all == ["observerAdded idle ", "newData(cache) idle Ann"], "who only looks sees it too")
    }

    @Test("content that is not fresh is shown, and asked for with its tag", .rule("Siesta 35"))
    func staleHit() async {
        store("Ann", age: 100, ["etag": "\"1\""])
        let resource = bench.resource()
        resource.loadIfNeeded()
        let heard = bench.record(resource)
        await bench.until { bench.asked.count == 1 }
        #expect(bench.asked[0].header("If-None-Match") == "\"1\"")
        bench.answer("Bob")
        #expect(
            heard.all == [
                "observerAdded loading ", "newData(cache) loading Ann", "requested loading Ann",
                "newData(network) idle Bob",
            ])
    }

    @Test("what no cache has is asked for", .rule("Siesta 35"))
    func miss() async {
        let resource = bench.resource()
        resource.loadIfNeeded()
        let heard = bench.record(resource)
        await bench.until { bench.asked.count == 1 }
        bench.answer("Bob")
        #expect(heard.all == ["observerAdded loading ", "requested loading ", "newData(network) idle Bob"])
    }

    @Test("content from a cache has the time it was kept with, and is as old as that", .rule("Siesta S2"))
    func timeOfCache() async {
        bench.lab.advance(by: .seconds(1000))
        store("Ann", age: 20)
        let resource = bench.resource()
        let request = resource.loadIfNeeded()
        await bench.until { request?.isCompleted ?? true && !resource.isLoading }
        #expect(resource.isUpToDate)
        #expect(abs(resource.timestamp - 980) < 0.01)
        bench.lab.advance(by: .seconds(11))
        #expect(!resource.isUpToDate)
        await bench.settleCaches()
        #expect(!cache.calls.contains("write"), "nobody has found out that it is right")
    }

    @Test(
        "the server's max-age counts for content from a cache too", .rule("Siesta S27"),
        arguments: [(10, 5, 1), (100, 1000, 0)])
    func maxAge(age: Int, seconds: Int, loads: Int) async {
        store("Ann", age: TimeInterval(age), ["cache-control": "max-age=\(seconds)"])
        let resource = bench.resource()
        let request = resource.loadIfNeeded()
        await bench.until { request?.isCompleted ?? true || !bench.asked.isEmpty }
        #expect(bench.asked.count == loads)
        #expect(resource.body == "Ann")
    }

    @Test("content that was kept in what is now the future is not up to date", .rule("Siesta S26"))
    func future() async {
        bench.lab.advance(by: .seconds(1000))
        store("Ann", age: -1000)
        let resource = bench.resource()
        resource.loadIfNeeded()
        await bench.until { bench.asked.count == 1 }
        #expect(resource.body == "Ann")
    }

    @Test("only a load is kept; an answer to another request is not the resource's content", .rule("Siesta S3"))
    func onlyLoads() async {
        let resource = bench.resource()
        resource.request(.post)
        bench.answer("created")
        resource.request(.get)
        bench.answer("asked")
        resource.load(using: resource.request(.put))
        bench.answer("changed")
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] == nil)
        resource.load()
        bench.answer("loaded")
        await bench.settleCaches()
        #expect(cache["/v1/users/1"]?.typedContent() == Data("loaded".utf8))
    }

    @Test("content that is not kept leaves no older content behind", .rule("Siesta S3"), arguments: [true, false])
    func olderRecord(isOtherResource: Bool) async {
        let resource = bench.loaded("/users/1", "Ann", ["ETag": "\"1\""])
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] != nil)
        resource.load(using: isOtherResource ? bench.resource("/users/2").load() : resource.request(.put))
        bench.answer("Bob", headers: ["ETag": "\"2\""])
        await bench.settleCaches()
        #expect(resource.body == "Bob")
        #expect(cache["/v1/users/1"] == nil)
    }

    @Test("what another resource's load brings is not kept as this one's", .rule("Siesta S3"))
    func otherResource() async {
        let (mine, other) = (bench.resource("/users/1"), bench.resource("/users/2"))
        mine.load(using: other.load())
        bench.answer("Bob")
        #expect(mine.body == "Bob")
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] == nil)
        #expect(cache["/v1/users/2"] != nil)
    }

    @Test("a 304 renews the time in the cache, errors are not kept, an override removes what was", .rule("Siesta 36"))
    func upkeep() async {
        let resource = bench.loaded("/users/1", "Ann", ["ETag": "\"1\""])
        bench.lab.advance(by: .seconds(50))
        resource.load()
        bench.answer(status: 304)
        await bench.settleCaches()
        #expect(abs((cache["/v1/users/1"]?.timestamp ?? 0) - 50) < 0.01)
        resource.load()
        bench.answer("sorry", status: 500)
        await bench.settleCaches()
        #expect(cache["/v1/users/1"]?.typedContent() == Data("Ann".utf8))
        resource.show("mine")
        await bench.settleCaches()
        #expect(cache["/v1/users/1"] == nil)
    }

    /// Has content cached on a queue that carries out nothing until it is resumed.
    private func useSuspendedCache() -> (MemoryCache, DispatchQueue) {
        let queue = DispatchQueue(label: "slow")
        queue.suspend()
        let slow = MemoryCache(on: queue)
        bench.service.configure("**") { $0.pipeline[.rawData].cacheUsing(slow) }
        return (slow, queue)
    }

    @Test("content is kept for the user of its load, though another signs in before it is written", .rule("Siesta 36"))
    func userSwitch() async {
        let (slow, queue) = useSuspendedCache()
        slow.user = "/ann"
        _ = bench.loaded("/users/2")
        await bench.until { slow.requestCount == 1 }
        let resource = bench.loaded("/users/1", "Ann's")  // is written after the other one
        slow.user = "/bob"
        queue.resume()
        await bench.settleCaches()
        #expect(slow["/ann/v1/users/1"]?.typedContent() == Data("Ann's".utf8))
        #expect(slow["/bob/v1/users/1"] == nil)
        #expect(resource.body == "Ann's")
    }

    @Test("a load that is answered while the cache is asked leaves nothing behind", .rule("Siesta S6"))
    func answerFirst() async {
        let (_, queue) = useSuspendedCache()
        let resource = bench.resource()
        _ = bench.record(resource)
        resource.load()
        bench.answer("Ann")
        queue.resume()
        await bench.settleCaches()
        #expect(resource.body == "Ann")
        bench.lab.advance(by: .seconds(31))
        resource.loadIfNeeded()
        #expect(bench.asked.count == 2, "asked at once: there is nothing to look for")
    }

    @Test("content that a cache brings late leaves the error of a load that failed meanwhile", .rule("Siesta S7"))
    func errorFirst() async {
        store("Ann")
        let (slow, queue) = useSuspendedCache()
        slow["/v1/users/1"] = cache["/v1/users/1"]
        let resource = bench.resource()
        let heard = bench.record(resource)
        resource.load()
        bench.fail()
        #expect(resource.latestError != nil)
        queue.resume()
        await bench.until { heard.all.count == 4 }
        #expect(heard.all.last == "newData(cache) idle Ann")
        #expect(resource.latestError != nil)
    }

    @Test("without caches a load begins within the call, and is the request itself", .rule("Siesta S14"))
    func noCaches() {
        bench.service.configure("**") { $0.pipeline.removeAllCaches() }
        let resource = bench.resource()
        let request = resource.loadIfNeeded()
        #expect(bench.asked.count == 1)
        #expect(resource.isRequesting)
        request?.cancel()
        #expect(bench.asked[0].isCancelled)
        #expect(!resource.isLoading)
    }

    @Test("cancelling a load while the cache is asked ends it, and shows what the cache has", .rule("Siesta S14"))
    func cancelDuringLookup() async {
        store("Ann")
        let resource = bench.resource()
        let heard = bench.record(resource)
        let request = resource.loadIfNeeded()
        request?.cancel()
        #expect(!resource.isLoading)
        await bench.until { heard.all.contains("newData(cache) idle Ann") }
        await bench.settleCaches()
        #expect(bench.asked.isEmpty)
        #expect(await request?.isCancelled() == true)
    }

    @Test("a load that takes the place of one that still looks in a cache ends that too, as it ends itself")
    func supersededDuringLookup() async {
        let resource = bench.resource()
        let first = resource.loadIfNeeded()
        let second = resource.load()
        #expect(bench.asked.count == 1)
        bench.answer("Ann")
        #expect(await first?.response().response.content(Data.self) == Data("Ann".utf8))
        #expect(await second.response().response.content(Data.self) == Data("Ann".utf8))
        await bench.settleCaches()
        #expect(bench.asked.count == 1)
        #expect(resource.allRequests.isEmpty)
    }
}
