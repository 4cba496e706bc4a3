import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Resources as entries of a client")
struct SharedClientTests {
    let bench = RESTBench()

    @Test("invalidating by key or path loads what is observed again, and marks the rest", arguments: [true, false])
    func invalidate(byKey: Bool) {
        let (one, two) = (bench.loaded("/1", "1"), bench.loaded("/2", "2"))
        let heard = bench.record(one)
        if byKey {
            for resource in [one, two] { bench.client.invalidate(.key(resource.queryKey)) }
        } else {
            bench.client.invalidate(.path(bench.service.queryKey))
        }
        #expect(bench.asked.map { $0.url?.last } == ["1", "2", "1"])
        #expect(one.isLoading)
        #expect(one.loadRequests.count == 1)
        #expect(!two.isUpToDate)
        bench.answer("new")
        #expect(heard.all == ["observerAdded idle 1", "requested loading 1", "newData(network) idle new"])
        #expect(one.isUpToDate)
    }

    @Test("clearing the client empties resources, and observers hear of it")
    func clear() async throws {
        let resource = bench.loaded()
        let heard = bench.record(resource)
        let load = resource.load()
        let client = bench.client
        try await client.clear()
        bench.answer("late")
        #expect(resource.latestData == nil)
        #expect(load.state == .completed)
        #expect(heard.all.dropFirst(2) == ["newData(wipe) idle ", "requestCancelled idle "])
    }

    @Test("cancelling in the client cancels the load's request")
    func cancel() {
        let resource = bench.resource()
        let load = resource.load()
        bench.client.cancel(.path(bench.service.queryKey))
        #expect(load.state == .completed)
        #expect(bench.asked[0].isCancelled)
        #expect(!resource.isLoading)
        #expect(resource.loadRequests.isEmpty)
    }

    @Test("who watches the entry in the client sees what a resource's observers hear of, with its cause")
    func watch() {
        let resource = bench.resource()
        let observer = bench.client.observe(resource.definition)
        bench.lab.clearLog()
        resource.load()
        #expect(observer.snapshot.isFetching)
        bench.answer("Ann")
        #expect(observer.snapshot.value?.typedContent() == Data("Ann".utf8))
        #expect(bench.lab.log.contains { $0.contains("fetching") && $0.contains("requested") })
        #expect(bench.lab.log.contains { $0.contains("fresh") })
        bench.client.invalidate(.key(resource.queryKey))
        #expect(bench.lab.log.contains { $0.contains("invalidated") })
    }

    @Test("a resource loads whatever the network is said to be like, and again when it is back")
    func offline() {
        let resource = bench.loaded()
        _ = bench.record(resource)
        bench.lab.setOnline(false)
        resource.load()
        bench.fail()
        #expect(resource.latestError != nil)
        bench.lab.setOnline(true)
        #expect(bench.asked.count == 3)
        bench.answer("Bob")
        #expect(resource.body == "Bob")
    }

    @Test("a resource that is to wait for the network waits, and its request goes when the network is back")
    func waiting() async {
        bench.service.configure("**") { $0.query { $0.networkMode = .online } }
        bench.lab.setOnline(false)
        let resource = bench.resource()
        let heard = bench.record(resource)
        let first = resource.load()
        #expect(resource.isLoading)
        #expect(resource.loadIfNeeded() === first)
        let second = resource.load()
        #expect(bench.asked.isEmpty)
        bench.lab.setOnline(true)
        #expect(bench.asked.count == 1)
        bench.answer("Ann")
        #expect(await first.response().response.content(Data.self) == Data("Ann".utf8))
        #expect(await second.response().response.content(Data.self) == Data("Ann".utf8))
        #expect(heard.all == ["observerAdded idle ", "requested loading ", "newData(network) idle Ann"])
    }

    @Test("a load that another has replaced does not answer the next fetch of the client")
    func replaced() {
        bench.service.configure("**") { $0.query { $0.networkMode = .online } }
        bench.lab.setOnline(false)
        let resource = bench.resource()
        _ = bench.record(resource)
        resource.load()
        resource.load()
        bench.lab.setOnline(true)
        bench.answer("Ann")
        bench.client.invalidate(.key(resource.queryKey))
        #expect(bench.asked.count == 2)
        bench.answer("Bob")
        #expect(resource.body == "Bob")
        #expect(resource.loadRequests.isEmpty)
    }

    @Test("a load that waits for the network is called off by a wipe, or by cancelling it", arguments: [true, false])
    func calledOff(byWipe: Bool) async {
        bench.service.configure("**") { $0.query { $0.networkMode = .online } }
        bench.lab.setOnline(false)
        let resource = bench.resource()
        let request = resource.load()
        if byWipe { resource.wipe() } else { request.cancel() }
        #expect(!resource.isLoading)
        #expect(await request.isCancelled())
        bench.lab.setOnline(true)
        #expect(bench.asked.isEmpty)
    }

    @Test("a client that tries again does so, and hooks and observers hear of the end")
    func retry() {
        bench.service.configure("**") { $0.query { $0.retry = .standard } }
        let resource = bench.resource()
        let heard = bench.record(resource)
        resource.load()
        bench.fail(.timedOut)
        #expect(resource.isLoading)
        bench.lab.advance(by: .seconds(60))
        #expect(bench.asked.count == 2)
        bench.answer("Ann")
        #expect(resource.body == "Ann")
        #expect(!heard.all.contains { $0.hasPrefix("error") })
    }

    @Test("loadIfNeeded during the wait for a retry returns the retry's request, and sends none")
    func joinsRetry() async throws {
        bench.service.configure("**") { $0.query { $0.retry = .standard } }
        let resource = bench.resource()
        let heard = bench.record(resource)
        let first = resource.load()
        bench.fail(.timedOut)
        let retry = try #require(resource.loadIfNeeded())
        #expect(first.state == .completed)
        #expect(retry.state == .inProgress)
        #expect(resource.loadIfNeeded() === retry)
        #expect(resource.loadRequests.map { $0 === retry } == [true])
        #expect(bench.asked.count == 1)
        bench.lab.advance(by: .seconds(60))
        #expect(bench.asked.count == 2)
        bench.answer("Ann")
        #expect(await retry.response().response.content(Data.self) == Data("Ann".utf8))
        #expect(resource.allRequests.isEmpty)
        #expect(
            heard.all == [
                "observerAdded idle ", "requested loading ", "requested loading ", "newData(network) idle Ann",
            ])
    }

    enum RetryEnd: CaseIterable {
        case observersLeft, requestCancelled, fetchCancelled, entryRemoved
    }

    @Test("a request that waits for a retry completes when none follows", arguments: RetryEnd.allCases)
    func retryEnds(_ end: RetryEnd) async throws {
        bench.service.configure("**") { $0.query { $0.retry = .standard } }
        let resource = bench.resource()
        _ = bench.record(resource)
        resource.load()
        bench.fail(.timedOut)
        let retry = try #require(resource.loadIfNeeded())
        switch end {
        case .observersLeft: resource.removeObservers(ownedBy: bench.owner)
        case .requestCancelled: retry.cancel()
        case .fetchCancelled: bench.client.cancel(.key(resource.queryKey))
        case .entryRemoved: bench.client.remove(.key(resource.queryKey))
        }
        #expect(retry.state == .completed)
        #expect(!resource.isLoading)
        #expect(resource.allRequests.isEmpty)
        let error = await retry.response().response.error
        #expect(error?.isCancellation == (end != .observersLeft), "without observers, the failure counts")
        bench.lab.advance(by: .seconds(60))
        #expect(bench.asked.count == 1)
    }

    @Test("resources that are polled load by themselves while they are observed")
    func polling() {
        bench.service.configure("**") { $0.query { $0.pollEvery = .seconds(60) } }
        let resource = bench.loaded()
        _ = bench.record(resource)
        bench.lab.advance(by: .seconds(61))
        #expect(bench.asked.count == 2)
        bench.answer("Bob")
        resource.removeObservers(ownedBy: bench.owner)
        bench.lab.advance(by: .seconds(600))
        #expect(bench.asked.count == 2)
    }
}
