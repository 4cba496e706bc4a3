import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Loads that overlap")
struct OverlappingLoadTests {
    @Test("loading more often than the server answers shows every answer, one load late", .rule("U2"))
    func noStarvation() {
        let bench = RESTBench()
        let resource = bench.resource()
        let heard = bench.record(resource)
        for round in 0..<4 { resource.load(); if round > 0 { bench.answer("\(round - 1)", to: round - 1) } }
        bench.answer("3", to: 3)
        #expect(
            heard.all == [
                "observerAdded idle ",
                "requested loading ",
                "requested loading ", "newData(network) loading 0",
                "requested loading 0", "newData(network) loading 1",
                "requested loading 1", "newData(network) loading 2",
                "newData(network) idle 3",
            ])
    }

    @Test("what an older load brings after a newer one is dropped; its own hooks get it", .rule("U2"))
    func lateAnswer() async {
        let bench = RESTBench()
        let resource = bench.resource()
        let heard = bench.record(resource)
        let first = resource.load()
        resource.load()
        bench.answer("new", to: 1)
        #expect(resource.loadRequests.map { $0 === first } == [true], "it is still under way")
        bench.answer("old", to: 0)
        #expect(heard.all.last == "newData(network) idle new")
        #expect(await first.response().response.content(Data.self) == Data("old".utf8))
        #expect(resource.loadRequests.isEmpty)
    }

    @Test("an older load that is told 304 while a newer one is under way says so", .rule("U2"))
    func notModified() {
        let bench = RESTBench()
        let resource = bench.loaded("/users/1", "Ann", ["ETag": "\"1\""])
        let heard = bench.record(resource)
        resource.load()
        resource.load()
        bench.answer(status: 304, to: 1)
        bench.answer("Bob", to: 2)
        #expect(
            heard.all == [
                "observerAdded idle Ann", "requested loading Ann", "requested loading Ann", "notModified loading Ann",
                "newData(network) idle Bob",
            ])
    }

    @Test("an older load that fails while a newer one is under way changes nothing", .rule("U2"))
    func olderFailure() async {
        let bench = RESTBench()
        let resource = bench.loaded()
        let heard = bench.record(resource)
        let first = resource.load()
        resource.load()
        bench.fail(to: 1)
        #expect(resource.latestError == nil)
        #expect(heard.all.last == "requested loading Ann")
        #expect(await first.response().response.error != nil)
    }

    @Test("when the newer load fails, the older one can still bring the content", .rule("U2"))
    func newerFailure() {
        let bench = RESTBench()
        let resource = bench.loaded()
        let heard = bench.record(resource)
        resource.load()
        resource.load()
        bench.fail(to: 2)
        bench.answer("Bob", to: 1)
        #expect(
            heard.all.suffix(2) == ["error loading Ann", "newData(network) idle Bob"])
        #expect(resource.latestError == nil)
    }

    @Test("cancelling the newer load leaves the older one under way", .rule("U2"))
    func cancelNewer() {
        let bench = RESTBench()
        let resource = bench.resource()
        resource.load()
        resource.load().cancel()
        bench.lab.settle()
        #expect(resource.isLoading)
        #expect(bench.asked.map(\.isCancelled) == [false, true])
        bench.answer("Ann", to: 0)
        #expect(resource.body == "Ann")
        #expect(!resource.isLoading)
    }

    @Test("progress that observers hear is that of the newest load", .rule("U2"))
    func progress() {
        let bench = RESTBench()
        let resource = bench.resource()
        let observer = ProgressObserver()
        resource.addObserver(observer, owner: bench.owner)
        resource.load()
        resource.load()
        #expect(resource.loadRequests.count == 2)
        bench.answer("old", to: 0)
        #expect(observer.heard.all.isEmpty, "only the newest is followed")
    }

    @Test("letting an unobserved resource be cancels every load of it, one that was overtaken as well", .rule("U10"))
    func cancelUnobserved() {
        let bench = RESTBench()
        let resource = bench.resource()
        resource.load()
        resource.load()
        bench.answer("new", to: 1)
        resource.load()
        resource.cancelLoadIfUnobserved()
        #expect(bench.asked.map(\.isCancelled) == [true, false, true])
        #expect(resource.loadRequests.isEmpty)
        #expect(!resource.isLoading)
    }

    @Test("a resource whose loads have all ended keeps none of them")
    func letsGo() async {
        let bench = RESTBench()
        let resource = bench.resource()
        weak var request: (any Request)?
        do {
            request = resource.load()
            resource.load()
        }
        bench.answer("new", to: 1)
        bench.answer("old", to: 0)
        await bench.until { request == nil }
        #expect(resource.allRequests.isEmpty)
    }
}

private final class ProgressObserver: ResourceObserver {
    let heard = Recorder<Double>()

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {}

    func resourceRequestProgress(for resource: Resource, progress: Double) {
        heard.append(progress)
    }
}
