import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Other ways to content: overrides, other requests, and letting loads be")
struct OverrideTests {
    @Test("any request can bring a resource's content", .rule("Siesta 21"))
    func loadUsing() {
        let bench = RESTBench()
        let (mine, other) = (bench.loaded("/a", "Ann"), bench.resource("/b"))
        let heard = bench.record(mine)
        let request = mine.load(using: other.request(.put, text: "Bob"))
        #expect(mine.loadRequests.first === request)
        #expect(mine.isLoading)
        #expect(!other.isLoading)
        #expect(other.isRequesting)
        bench.answer("Bob")
        #expect(mine.body == "Bob")
        #expect(other.latestData == nil)
        #expect(heard.all.dropFirst() == ["requested loading Ann", "newData(network) idle Bob"])
    }

    @Test("a request that is over already brings what it has", .rule("Siesta 21"))
    func loadUsingFinished() async {
        let bench = RESTBench()
        let (mine, other) = (bench.resource("/a"), bench.resource("/b"))
        let request = other.request(.get)
        bench.answer("Bob")
        _ = await request.response()
        mine.load(using: request)
        bench.lab.settle()
        #expect(mine.body == "Bob")
        #expect(mine.allRequests.isEmpty)
    }

    @Test("one request can bring the content of two resources, and hooks find both", .rule("Siesta 21"))
    func loadTwo() async {
        let bench = RESTBench()
        let (one, two) = (bench.resource("/a"), bench.resource("/b"))
        let request = one.load()
        two.load(using: request)
        bench.answer("Ann")
        let bodies = Recorder<String>()
        request.onCompletion { _ in bodies.append(one.body + two.body) }
        await bodies.wait(for: 1)
        #expect(bodies.all == ["AnnAnn"])
    }

    @Test("an override shows an entity as it is, ends the error, and asks nobody", .rule("Siesta 22"))
    func overrideData() {
        let bench = RESTBench()
        let resource = bench.resource()
        resource.load()
        bench.fail()
        let heard = bench.record(resource)
        resource.overrideLocalData(with: Entity(content: 7, contentType: "x/y", headers: ["a": "b"]))
        #expect(resource.typedContent() == 7)
        #expect(resource.latestData?.contentType == "x/y")
        #expect(resource.latestData?.headers["a"] == "b")
        #expect(resource.latestError == nil)
        #expect(heard.all.last == "newData(localOverride) idle ")
        #expect(bench.asked.count == 1)
    }

    @Test("an entity of the past is as old as it says", .rule("Siesta 22"))
    func oldEntity() {
        let bench = RESTBench()
        bench.lab.advance(by: .seconds(100))
        let resource = bench.resource()
        resource.overrideLocalData(with: Entity(content: 7, headers: [:], timestamp: 75))
        #expect(abs(resource.timestamp - 75) < 0.001)
        #expect(resource.isUpToDate)
        bench.lab.advance(by: .seconds(6))
        #expect(!resource.isUpToDate)
    }

    @Test("content alone renews the time, and without data has a type of its own", .rule("Siesta 22"))
    func overrideContent() {
        let bench = RESTBench()
        let resource = bench.resource()
        resource.show("mine")
        #expect(resource.latestData?.contentType == "application/binary")
        bench.lab.advance(by: .seconds(29))
        resource.show("mine too")
        bench.lab.advance(by: .seconds(29))
        #expect(resource.isUpToDate)
        #expect(resource.body == "mine too")
    }

    @Test("a load that nobody observes can be cancelled, one that somebody does cannot", .rule("Siesta 24"))
    func cancelIfUnobserved() {
        let bench = RESTBench()
        let resource = bench.resource()
        _ = bench.record(resource)
        resource.load()
        resource.cancelLoadIfUnobserved()
        #expect(resource.isLoading)
        resource.removeObservers(ownedBy: bench.owner)
        resource.cancelLoadIfUnobserved()
        #expect(!resource.isLoading)
        #expect(bench.asked[0].isCancelled)
        #expect(resource.loadIfNeeded() != nil)
        #expect(bench.asked.count == 2)
    }

    @Test("who watches the entry in the client counts too", .rule("Siesta 24"))
    func watchedInClient() {
        let bench = RESTBench()
        let resource = bench.resource()
        let watch = bench.client.observe(resource.definition)
        resource.load()
        resource.cancelLoadIfUnobserved()
        #expect(resource.isLoading)
        withExtendedLifetime(watch) {}
    }

    @Test("after a while it is asked whether anybody observes, and the callback comes in any case", .rule("Siesta 24"))
    func cancelLater() async {
        let bench = RESTBench()
        let resource = bench.resource()
        let called = Recorder<Bool>()
        resource.load()
        resource.cancelLoadIfUnobserved(afterDelay: 2) { called.append(resource.isLoading) }
        bench.lab.advance(by: .seconds(1))
        #expect(resource.isLoading)
        bench.lab.advance(by: .seconds(1))
        await called.wait(for: 1)
        #expect(called.all == [false])
        _ = bench.record(resource)
        resource.load()
        resource.cancelLoadIfUnobserved(afterDelay: 2) { called.append(resource.isLoading) }
        bench.lab.advance(by: .seconds(2))
        await called.wait(for: 2)
        #expect(called.all == [false, true])
    }

    @Test("a load that waits to be tried again ends with the last who observes", .rule("Siesta 24"))
    func cancelRetry() {
        let bench = RESTBench()
        bench.service.configure("**") { $0.query { $0.retry = .standard } }
        let resource = bench.resource()
        _ = bench.client.observe(resource.definition)
        let heard = bench.record(resource)
        resource.load()
        bench.fail(.timedOut)
        #expect(resource.isLoading, "it is to be tried again")
        resource.removeObservers(ownedBy: bench.owner)
        resource.cancelLoadIfUnobserved()
        #expect(!resource.isLoading)
        bench.lab.advance(by: .seconds(100))
        #expect(bench.asked.count == 1)
        #expect(!heard.all.contains { $0.hasPrefix("error") })
    }
}
