import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("What a load changes, and what observers hear of it")
struct LoadEventTests {
    @Test("Siesta 16: load asks each time, also while it is being asked, and observers hear so within the call")
    func loads() {
        let bench = RESTBench()
        let resource = bench.resource()
        let heard = bench.record(resource)
        resource.load()
        #expect(heard.all == ["observerAdded idle ", "requested loading "])
        resource.load()
        #expect(heard.all.count == 3)
        #expect(bench.asked.count == 2)
        #expect(bench.asked.allSatisfy { $0.method == "GET" })
    }

    @Test("Siesta 16: a load says what is there")
    func conditional() {
        let bench = RESTBench()
        let date = "Wed, 21 Oct 2015 07:28:00 GMT"
        let resource = bench.loaded("/a", "Ann", ["ETag": "\"1\"", "Last-Modified": date])
        #expect(bench.asked[0].header("If-None-Match") == nil)
        resource.load()
        #expect(bench.asked[1].header("If-None-Match") == "\"1\"")
        #expect(bench.asked[1].header("If-Modified-Since") == date)
        resource.request(.get)
        #expect(bench.asked[2].header("If-None-Match") == nil, "one that is no load has use for a body only")
    }

    @Test("Siesta 17: loadIfNeeded joins the load under way, and does nothing when the content is up to date")
    func loadIfNeeded() {
        let bench = RESTBench()
        let resource = bench.resource()
        let first = resource.loadIfNeeded()
        #expect(first != nil)
        #expect(resource.loadIfNeeded() === first)
        #expect(resource.loadRequests.count == 1)
        #expect(bench.asked.count == 1)
        bench.answer("Ann")
        #expect(resource.loadIfNeeded() == nil)
        #expect(bench.asked.count == 1)
    }

    @Test("Siesta 17: a request that is no load does not count as one")
    func plainRequest() {
        let bench = RESTBench()
        let resource = bench.resource()
        let plain = resource.request(.get)
        let load = resource.loadIfNeeded()
        #expect(load != nil)
        #expect(load !== plain)
        #expect(resource.allRequests.count == 2)
        #expect(resource.loadRequests.count == 1)
        #expect(bench.asked.count == 2)
    }

    @Test("Siesta 20: success, 304, failure and cancellation each change what they should, and say so")
    func outcomes() {
        let bench = RESTBench()
        let resource = bench.resource()
        let heard = bench.record(resource)
        resource.load()
        bench.fail()
        #expect(resource.latestError != nil)
        resource.load()
        bench.answer("Ann", headers: ["ETag": "\"1\""])
        #expect(resource.latestError == nil)
        resource.load()
        bench.fail()
        resource.load()
        bench.answer(status: 304)
        #expect(resource.latestError == nil)
        resource.load().cancel()
        #expect(resource.latestError == nil)
        #expect(!resource.isLoading)
        #expect(
            heard.all == [
                "observerAdded idle ", "requested loading ", "error idle ", "requested loading ",
                "newData(network) idle Ann", "requested loading Ann", "error idle Ann", "requested loading Ann",
                "notModified idle Ann", "requested loading Ann", "requestCancelled idle Ann",
            ])
    }

    @Test("Siesta 20: the same content again is new data again")
    func sameContent() {
        let bench = RESTBench()
        let resource = bench.loaded()
        let heard = bench.record(resource)
        resource.load()
        bench.answer("Ann")
        #expect(heard.all.last == "newData(network) idle Ann")
    }

    @Test("Siesta S11: of two loads the last asked for counts, whichever is answered last")
    func lastAskedWins() async {
        let bench = RESTBench()
        let resource = bench.resource()
        let heard = bench.record(resource)
        let first = resource.load()
        let second = resource.load()
        bench.answer("new", to: 1)
        bench.answer("old", to: 0)
        #expect(resource.body == "new")
        #expect(heard.all.filter { $0.hasPrefix("newData") } == ["newData(network) idle new"])
        #expect(await first.response().response.content(Data.self) == Data("old".utf8), "who holds it gets its answer")
        #expect(await second.response().response.content(Data.self) == Data("new".utf8))
    }

    @Test("Siesta S11: the answer of an older load is shown while the newer is under way, which then takes its place")
    func olderAnswer() {
        let bench = RESTBench()
        let resource = bench.resource()
        resource.load()
        resource.load()
        bench.answer("old", to: 0)
        #expect(resource.body == "old")
        #expect(resource.isLoading)
        bench.answer("new", to: 1)
        #expect(resource.body == "new")
    }

    @Test("Siesta S11: cancelling a load that another took the place of leaves that alone")
    func cancelOlder() {
        let bench = RESTBench()
        let resource = bench.resource()
        let first = resource.load()
        resource.load()
        first.cancel()
        bench.lab.settle()
        #expect(resource.isLoading)
        #expect(bench.asked[0].isCancelled)
        bench.answer("new", to: 1)
        #expect(resource.body == "new")
    }

    @Test("Siesta S11: an override stays when a load that was asked before it is answered")
    func overrideDuringLoad() async {
        let bench = RESTBench()
        let resource = bench.resource()
        let heard = bench.record(resource)
        let request = resource.load()
        resource.show("mine")
        bench.answer("theirs")
        #expect(resource.body == "mine")
        #expect(!resource.isLoading)
        #expect(heard.all.dropFirst(2) == ["newData(localOverride) loading mine", "requestCancelled idle mine"])
        #expect(await request.response().response.content(Data.self) == Data("theirs".utf8))
    }

    @Test("Siesta S34: what the session cancels is no error")
    func sessionCancels() {
        let bench = RESTBench()
        let resource = bench.loaded()
        let heard = bench.record(resource)
        resource.load()
        bench.fail(.cancelled)
        #expect(resource.latestError == nil)
        #expect(heard.all.last == "requestCancelled idle Ann")
    }

    @Test("Siesta S10: a 304 speaks of what the server was told of, and not of what is there by now")
    func notModifiedOfOlder() async {
        let bench = RESTBench()
        let resource = bench.loaded("/a", "Ann", ["ETag": "\"1\""])
        let request = resource.load()
        resource.show("mine")
        bench.answer(status: 304)
        #expect(resource.body == "mine", "what the program shows is not called right by the server")
        let info = await request.response()
        #expect(!info.isNew)
        #expect(info.response.content(Data.self) == Data("Ann".utf8))
    }

    @Test(
        "Siesta S9: an override forgets what the server called the content before",
        arguments: ["ETag", "Last-Modified"])
    func overrideForgetsTag(field: String) {
        let bench = RESTBench()
        let resource = bench.loaded("/a", "Ann", [field: "\"1\"", "X-Kept": "yes"])
        resource.show("mine")
        #expect(resource.latestData?.header(forKey: "X-Kept") == "yes")
        #expect(resource.latestData?.contentType == "text/plain; charset=utf-8")
        resource.load()
        #expect(bench.asked[1].header("If-None-Match") == nil)
        #expect(bench.asked[1].header("If-Modified-Since") == nil)
    }

    @Test("a 304 with nothing to keep fails, and says why")
    func notModifiedOfNothing() {
        let bench = RESTBench()
        let resource = bench.resource()
        resource.load()
        bench.answer(status: 304)
        #expect(resource.latestError?.cause is RequestError.Cause.NoLocalDataFor304)
        #expect(resource.latestError?.httpStatusCode == 304)
        #expect(resource.latestError?.url == resource.url)
        #expect(resource.latestData == nil)
    }
}
