import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Wiping resources")
struct WipeTests {
    let bench = RESTBench()

    @Test("wiping takes content, error and requests away, and observers go on", .rule("Siesta 23"))
    func wipe() {
        let resource = bench.loaded()
        let heard = bench.record(resource)
        let (load, other) = (resource.load(), resource.request(.post))
        resource.wipe()
        #expect(resource.latestData == nil)
        #expect(!resource.isLoading)
        #expect(resource.allRequests.isEmpty)
        #expect(load.state == .completed)
        #expect(other.state == .completed)
        #expect(bench.asked.map(\.isCancelled) == [false, true, true])
        #expect(heard.all.dropFirst(2) == ["newData(wipe) idle ", "requestCancelled idle "])
        resource.show("Bob")
        #expect(heard.all.last == "newData(localOverride) idle Bob")
    }

    @Test("an error goes too, and a resource that nobody observes is wiped like any other", .rule("Siesta 23"))
    func error() {
        let resource = bench.resource()
        resource.load()
        bench.fail()
        resource.wipe()
        #expect(resource.latestError == nil)
        #expect(resource.timestamp == 0)
        #expect(!resource.isUpToDate)
    }

    @Test("a request of another resource that is to bring this one's content is cancelled too", .rule("Siesta 23"))
    func foreignRequest() {
        let (mine, other) = (bench.resource("/a"), bench.resource("/b"))
        let request = mine.load(using: other.request(.get))
        mine.wipe()
        #expect(request.state == .completed)
        #expect(other.allRequests.isEmpty)
    }

    @Test("what is loaded in the same turn as a wipe is asked anew", .rule("Siesta S1"), arguments: [true, false])
    func sameTurn(isObserved: Bool) {
        let resource = bench.resource()
        if isObserved { _ = bench.record(resource) }
        let old = resource.load()
        bench.service.wipeResources()
        #expect(!resource.isLoading)
        let new = resource.loadIfNeeded()
        #expect(new != nil)
        #expect(new !== old)
        #expect(resource.isLoading)
        bench.answer("old user", to: 0)
        #expect(resource.body.isEmpty)
        bench.answer("new user", to: 1)
        #expect(resource.body == "new user")
    }

    @Test("what is loaded in the same turn as a load is cancelled is asked anew", .rule("Siesta S1"))
    func sameTurnAsCancel() {
        let resource = bench.resource()
        let old = resource.load()
        old.cancel()
        #expect(!resource.isLoading)
        #expect(resource.loadRequests.isEmpty)
        #expect(resource.loadIfNeeded() !== old)
        #expect(bench.asked.count == 2)
    }

    @Test("an answer that comes after a wipe lands nowhere", .rule("Siesta S4"))
    func lateAnswer() {
        let resource = bench.resource()
        let heard = bench.record(resource)
        resource.load()
        resource.wipe()
        bench.answer("Ann")
        #expect(resource.latestData == nil)
        #expect(
            heard.all == ["observerAdded idle ", "requested loading ", "newData(wipe) idle ", "requestCancelled idle "])
    }

    @Test("resources are chosen by pattern, by address, or by what they are", .rule("Siesta 23"))
    func chosen() {
        let (one, two) = (bench.loaded("/users/1"), bench.loaded("/posts/1"))
        bench.service.wipeResources(matching: "/users/*")
        #expect(one.latestData == nil)
        #expect(two.latestData != nil)
        bench.service.wipeResources(withURLsMatching: { $0.path.hasSuffix("posts/2") })
        #expect(two.latestData != nil)
        bench.service.wipeResources(matching: { $0 === two })
        #expect(two.latestData == nil)
    }

    @Test("a wipe reaches content whose resource nobody keeps", .rule("Siesta 23"))
    func unkept() {
        _ = bench.loaded("/users/1")
        #expect(bench.client.count == 1)
        bench.service.wipeResources()
        #expect(bench.client.count == 0)
        #expect(bench.resource("/users/1").latestData == nil)
    }

    @Test("wiping one service's resources leaves another's alone")
    func otherService() {
        let other = Service(baseURL: "https://api.test/v1", networking: bench.provider, client: bench.client)
        let (mine, theirs) = (bench.resource("/a"), other.resource("/a"))
        mine.show("mine")
        theirs.show("theirs")
        bench.service.wipeResources()
        #expect(mine.latestData == nil)
        #expect(theirs.body == "theirs")
    }
}
