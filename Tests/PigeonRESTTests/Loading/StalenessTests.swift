import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("When a resource is up to date")
struct StalenessTests {
    @Test("content is up to date for the expiration time, and no longer", .rule("Siesta 18"))
    func expiration() {
        let bench = RESTBench()
        bench.service.configure("**") { $0.expirationTime = 10 }
        let resource = bench.loaded()
        bench.lab.advance(by: .seconds(9))
        #expect(resource.isUpToDate)
        #expect(resource.loadIfNeeded() == nil)
        bench.lab.advance(by: .seconds(2))
        #expect(!resource.isUpToDate)
        #expect(resource.loadIfNeeded() != nil)
        #expect(bench.asked.count == 2)
    }

    @Test("after a failure nothing is asked for the retry time, however fresh the content", .rule("Siesta 18"))
    func retryTime() {
        let bench = RESTBench()
        bench.service.configure("**") { ($0.expirationTime, $0.retryTime) = (100, 5) }
        let resource = bench.loaded()
        resource.load()
        bench.fail()
        #expect(resource.latestError != nil)
        #expect(resource.body == "Ann")
        bench.lab.advance(by: .seconds(4))
        #expect(resource.isUpToDate)
        bench.lab.advance(by: .seconds(2))
        #expect(!resource.isUpToDate, "stale at once, although the content is younger than its time")
        resource.loadIfNeeded()
        bench.answer("Bob")
        #expect(resource.latestError == nil)
        #expect(resource.isUpToDate)
    }

    @Test("after a failure loadedIfNeeded throws its error for the retry time, and then loads", .rule("Siesta 18"))
    func errorForRetryTime() async throws {
        let bench = RESTBench()
        bench.service.configure("**") { ($0.expirationTime, $0.retryTime) = (100, 5) }
        let resource = bench.loaded()
        resource.load()
        bench.answer("sorry", status: 500)
        bench.lab.advance(by: .seconds(4))
        let ended = Recorder<Bool>()
        let failed = Task {
            defer { ended.append(true) }
            return try await resource.loadedIfNeeded()
        }
        await bench.until { !ended.all.isEmpty || bench.asked.count > 2 }
        #expect(bench.asked.count == 2)
        failed.cancel()
        let error = await #expect(throws: RequestError.self) { try await failed.value }
        #expect(error?.httpStatusCode == 500)
        bench.lab.advance(by: .seconds(2))
        let loaded = Task { try await resource.loadedIfNeeded() }
        await bench.until { bench.asked.count == 3 }
        bench.answer("Bob")
        #expect(try await loaded.value.typedContent() == Data("Bob".utf8))
    }

    @Test("the times are those of GET, whatever method they are set for", .rule("Siesta 18"))
    func timesOfGet() {
        let bench = RESTBench()
        bench.service.configure("**", requestMethods: [.post]) { $0.expirationTime = 1000 }
        let resource = bench.loaded()
        bench.lab.advance(by: .seconds(31))
        #expect(!resource.isUpToDate)
    }

    @Test("a resource without content is never up to date, however long content would be", .rule("Siesta S8"))
    func infinite() {
        let bench = RESTBench()
        bench.service.configure("**") { $0.expirationTime = .infinity }
        let resource = bench.resource()
        #expect(!resource.isUpToDate)
        #expect(resource.loadIfNeeded() != nil)
        bench.answer("Ann")
        bench.lab.advance(by: .seconds(1_000_000))
        #expect(resource.isUpToDate)
    }

    @Test("setting the clock back makes nothing fresh for longer", .rule("Siesta S26"))
    func clockSetBack() {
        let bench = RESTBench()
        let resource = bench.loaded()
        bench.lab.shiftWallClock(by: .seconds(-1_000_000))
        bench.lab.advance(by: .seconds(31))
        #expect(!resource.isUpToDate)
    }

    @Test("a local entity of the future is shown, and is not up to date", .rule("Siesta S26"))
    func future() {
        let bench = RESTBench()
        bench.lab.advance(by: .seconds(1000))
        let resource = bench.resource()
        let later = bench.lab.environment.wallClock().timeIntervalSinceReferenceDate + 1000
        resource.overrideLocalData(with: Entity(content: "Ann", headers: [:], timestamp: later))
        #expect(resource.text == "Ann")
        #expect(!resource.isUpToDate)
    }

    @Test(
        "the server's max-age counts instead of the configuration's time", .rule("Siesta S27"),
        arguments: [(100, 99, true), (100, 101, false), (5, 6, false)])
    func maxAge(seconds: Int, passed: Int, isUpToDate: Bool) {
        let bench = RESTBench()
        let resource = bench.loaded("/a", "Ann", ["Cache-Control": "max-age=\(seconds)"])
        bench.lab.advance(by: .seconds(passed))
        #expect(resource.isUpToDate == isUpToDate)
    }

    @Test("a 304 brings its own max-age", .rule("Siesta S27"))
    func maxAgeOfNotModified() {
        let bench = RESTBench()
        let resource = bench.loaded("/a", "Ann", ["ETag": "\"1\""])
        resource.load()
        bench.answer(status: 304, headers: ["Cache-Control": "max-age=100"])
        bench.lab.advance(by: .seconds(99))
        #expect(resource.isUpToDate)
    }

    @Test(
        "invalidating changes nothing but whether it is up to date, and a success makes it so again", .rule("Siesta 19")
    )
    func invalidate() {
        let bench = RESTBench()
        let resource = bench.loaded()
        let heard = bench.record(resource)
        resource.invalidate()
        #expect(!resource.isUpToDate)
        #expect(resource.body == "Ann")
        #expect(heard.all == ["observerAdded idle Ann"])
        resource.loadIfNeeded()
        bench.answer("Bob")
        #expect(resource.isUpToDate)
    }

    enum Change: CaseIterable {
        case success, notModified, failure, override, wipe
    }

    @Test("any change of content or error ends an invalidation", .rule("Siesta 19"), arguments: Change.allCases)
    func invalidationEnds(change: Change) {
        let bench = RESTBench()
        bench.service.configure("**") { $0.retryTime = 10 }
        let resource = bench.loaded("/a", "Ann", ["ETag": "\"1\""])
        resource.invalidate()
        switch change {
        case .success, .notModified, .failure: resource.load()
        case .override: resource.show("Bob")
        case .wipe:
            resource.wipe()
            resource.show("Bob")
        }
        switch change {
        case .success: bench.answer("Bob")
        case .notModified: bench.answer(status: 304)
        case .failure: bench.fail()
        case .override, .wipe: break
        }
        #expect(resource.isUpToDate)
    }

    @Test("a cancelled load does not end an invalidation", .rule("Siesta 19"))
    func cancelledLoad() {
        let bench = RESTBench()
        let resource = bench.loaded()
        resource.invalidate()
        resource.load().cancel()
        bench.lab.settle()
        #expect(!resource.isUpToDate)
    }

    @Test(
        "invalidating during a load is not lost: the answer may be from before", .rule("Siesta S12"),
        arguments: [200, 304, 500])
    func invalidateDuringLoad(status: Int) {
        let bench = RESTBench()
        bench.service.configure("**") { $0.retryTime = 100 }
        let resource = bench.loaded("/a", "Ann", ["ETag": "\"1\""])
        resource.load()
        resource.invalidate()
        bench.answer("Bob", status: status)
        #expect(resource.body == (status == 200 ? "Bob" : "Ann"))
        #expect(!resource.isUpToDate)
        #expect(resource.loadIfNeeded() != nil)
        bench.answer("Cy")
        #expect(resource.isUpToDate)
    }

    @Test("the timestamp is when the content was last known to be right, or when a load failed", .rule("Siesta 25"))
    func timestamp() {
        let bench = RESTBench()
        let resource = bench.resource()
        #expect(resource.timestamp == 0)
        bench.lab.advance(by: .seconds(10))
        resource.load()
        bench.answer("Ann", headers: ["ETag": "\"1\""])
        #expect(abs(resource.timestamp - 10) < 0.001)
        bench.lab.advance(by: .seconds(10))
        resource.load()
        bench.answer(status: 304)
        #expect(abs(resource.timestamp - 20) < 0.001)
        #expect(abs((resource.latestData?.timestamp ?? 0) - 20) < 0.001)
        bench.lab.advance(by: .seconds(10))
        resource.load()
        bench.fail()
        #expect(abs(resource.timestamp - 30) < 0.001)
        #expect(abs((resource.latestData?.timestamp ?? 0) - 20) < 0.001)
    }

    @Test("reading has no side effects: nothing is asked, looked up or made", .rule("Siesta S30"))
    func reading() {
        let bench = RESTBench()
        let cache = MemoryCache()
        bench.service.configure("**") { $0.pipeline[.rawData].cacheUsing(cache) }
        let resource = bench.resource()
        _ = (resource.latestData, resource.latestError, resource.isUpToDate, resource.isLoading, resource.timestamp)
        _ = (resource.isRequesting, resource.loadRequests.count, resource.allRequests.count, "\(resource)")
        bench.lab.settle()
        #expect(bench.asked.isEmpty)
        #expect(cache.calls.isEmpty)
        #expect(bench.client.count == 0)
    }
}
