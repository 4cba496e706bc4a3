import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("What a load changes, and what observers hear of it")
struct LoadEventTests {
    @Test(
        "load asks each time, also while it is being asked, and observers hear so within the call", .rule("Siesta 16"))
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

    @Test("a load says what is there", .rule("Siesta 16"))
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

    @Test("loadIfNeeded joins the load under way, and does nothing when the content is up to date", .rule("Siesta 17"))
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

    @Test("a request that is no load does not count as one", .rule("Siesta 17"))
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

    @Test("success, 304, failure and cancellation each change what they should, and say so", .rule("Siesta 20"))
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

    @Test("the same content again is new data again", .rule("Siesta 20"))
    func sameContent() {
        let bench = RESTBench()
        let resource = bench.loaded()
        let heard = bench.record(resource)
        resource.load()
        bench.answer("Ann")
        #expect(heard.all.last == "newData(network) idle Ann")
    }

    @Test("of two loads the last asked for counts, whichever is answered last", .rule("Siesta S11"))
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

    @Test(
        "the answer of an older load is shown while the newer is under way, which then takes its place",
        .rule("Siesta S11"))
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

    @Test("cancelling a load that another took the place of leaves that alone", .rule("Siesta S11"))
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

    @Test("an override stays when a load that was asked before it is answered", .rule("Siesta S11"))
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

    @Test("what the session cancels is no error", .rule("Siesta S34"))
    func sessionCancels() {
        let bench = RESTBench()
        let resource = bench.loaded()
        let heard = bench.record(resource)
        resource.load()
        bench.fail(.cancelled)
        #expect(resource.latestError == nil)
        #expect(heard.all.last == "requestCancelled idle Ann")
    }

    @Test("a 304 speaks of what the server was told of, and not of what is there by now", .rule("Siesta S10"))
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
        "an override forgets what the server called the content before", .rule("Siesta S9"),
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
