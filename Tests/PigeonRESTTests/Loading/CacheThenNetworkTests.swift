import Dispatch
import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("loadIfNeeded with a persistent cache")
struct CacheThenNetworkTests {
    let cache = MemoryCache(on: DispatchQueue(label: "cache"))

    private func bench(_ callbacks: CallbackDelivery = .immediate) -> RESTBench {
        let bench = RESTBench(callbacks: callbacks)
        bench.service.configure("**") { [cache] in $0.pipeline[.rawData].cacheUsing(cache) }
        return bench
    }

    private func store(_ text: String, age: TimeInterval, _ bench: RESTBench) {
        let now = bench.lab.environment.wallClock().timeIntervalSinceReferenceDate
        cache["/v1/users/1"] = Entity(content: Data(text.utf8), headers: [:], timestamp: now - age)
    }

    @Test("the request is in progress while the cache is asked", .rule("U8"))
    func inProgress() async {
        let bench = bench()
        store("Ann", age: 0, bench)
        let resource = bench.resource()
        let request = resource.loadIfNeeded()
        #expect(request?.state == .inProgress)
        #expect(bench.asked.isEmpty)
        await bench.until { !resource.isLoading }
        #expect(await request?.response().response.content(Data.self) == Data("Ann".utf8))
    }

    @Test("awaiting the request asks the cache, and not the server beside it", .rule("U8"))
    func awaited() async throws {
        let bench = bench()
        store("Ann", age: 0, bench)
        let resource = bench.resource()
        let request = try #require(resource.loadIfNeeded())
        async let response = request.response()
        await bench.until { !resource.isLoading }
        #expect(await response.response.content(Data.self) == Data("Ann".utf8))
        #expect(bench.asked.isEmpty)
    }

    @Test("fresh content from a cache is new data to those who hold the request", .rule("U8"))
    func hooks() async {
        let bench = bench()
        store("Ann", age: 0, bench)
        let heard = Recorder<String>()
        let resource = bench.resource()
        resource.loadIfNeeded()?
            .onNewData { heard.append("new data \(String(decoding: $0.typedContent(ifNone: Data()), as: UTF8.self))") }
            .onNotModified { heard.append("not modified") }
            .onCompletion { _ in heard.append("completion") }
        await bench.until { !resource.isLoading }
        await heard.wait(for: 2)
        #expect(heard.all == ["new data Ann", "completion"])
    }

    /// The events that observers receive, with the content at that time.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let age: TimeInterval?
        let events: [String]
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "a fresh hit", age: 0,
            events: ["newData(cache) loading Ann", "notModified idle Ann"]),
        Case(
            name: "a stale hit", age: 100,
            events: ["newData(cache) loading Ann", "requested loading Ann", "newData(network) idle Bob"]),
        Case(name: "a miss", age: nil, events: ["requested loading ", "newData(network) idle Bob"]),
    ]

    @Test(
        "an observer finds the load under way at the event that tells of cached content", .rule("U8"), arguments: cases)
    func events(_ example: Case) async {
        let bench = bench()
        if let age = example.age { store("Ann", age: age, bench) }
        let resource = bench.resource()
        cache.workQueue.suspend()  // until the resource is observed
        let request = resource.loadIfNeeded()
        let heard = bench.record(resource)
        cache.workQueue.resume()
        if example.age != 0 {
            await bench.until { bench.asked.count == 1 }
            bench.answer("Bob")
        }
        await bench.until { request?.isCompleted ?? true && !resource.isLoading }
        await heard.wait(for: 1 + example.events.count)  // the last one may be delivered just after the load has ended
        #expect(heard.all == ["observerAdded loading "] + example.events)
    }

    @Test("the same on the main actor, which is told later than it happens", .rule("U8"), arguments: cases) @MainActor
    func eventsOnMain(_ example: Case) async {
        let bench = bench(.main)
        if let age = example.age { store("Ann", age: age, bench) }
        let resource = bench.resource()
        cache.workQueue.suspend()  // until the resource is observed
        let request = resource.loadIfNeeded()
        let heard = bench.record(resource)
        cache.workQueue.resume()
        if example.age != 0 {
            await bench.until { bench.asked.count == 1 }
            await heard.wait(for: example.events.count)  // all but the answer, which lands within the next call
            bench.answer("Bob")
        }
        await bench.until { request?.isCompleted ?? true && !resource.isLoading }
        await heard.wait(for: 1 + example.events.count)
        #expect(heard.all == ["observerAdded loading "] + example.events)
    }
}
