import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Loading a resource")
struct LoadingTests {
    @Test("shows what the server sent, and tells observers of each step")
    func load() async throws {
        let provider = ManualProvider()
        let service = Service(
            baseURL: "https://api.test", networking: provider, client: QueryClient(), callbacks: .immediate)
        service.configure { $0.expirationTime = 3600 }  // on a real clock, beside thousands of other tests
        let resource = service.resource("/users/42")
        let log = Locked<[String]>([])
        let owner = Owner()
        resource.addObserver(owner: owner) { resource, event in
            log.withLock { $0.append("\(event) \(resource.isLoading) \(resource.text)") }
        }
        let load = resource.load()
        #expect(provider.last?.url == "https://api.test/users/42")
        provider.last?.answer("Ann 42")
        let info = await load.response()
        #expect(info.isNew)
        #expect(resource.text == "Ann 42")
        #expect(log.withLock { $0 } == ["observerAdded false ", "requested true ", "newData(network) false Ann 42"])
        #expect(resource.loadIfNeeded() == nil)
        #expect(service.resource("users/42") === resource)
    }

    /// Gives a resource an upstream with one place, which another fetch holds until its server answers.
    private func occupyUpstream(
        of resource: Resource, in bench: RESTBench, queue: Int
    ) -> (Upstream, server: ScriptedFetcher<Int>) {
        let upstream = Upstream("api", limit: 1, queue: queue)
        bench.client.setDefaults(for: resource.queryKey) { $0.upstream = upstream }
        let server = bench.lab.fetcher(returning: Int.self)
        _ = bench.lab.start { [client = bench.client] in
            try await client.fetch(QueryDefinition("busy", fetch: server.fetch).upstream(upstream))
        }
        return (upstream, server)
    }

    @Test("a load that may not ask its server ends with the reason, and a later one can succeed", .rule("A78", "A79"))
    func refused() async throws {
        let bench = RESTBench()
        let resource = bench.resource("/users/1")
        let (upstream, server) = occupyUpstream(of: resource, in: bench, queue: 0)
        let errors = Recorder<String>()
        func load() {
            resource.load().onFailure { errors.append("\($0.cause ?? $0)") }
            bench.lab.settle()
        }
        load()
        await errors.wait(for: 1)
        #expect(errors.all.count == 1 && errors.all.allSatisfy { $0.contains("too many fetches wait for api") })
        #expect(resource.latestError != nil && bench.asked.isEmpty)
        server.succeed(with: 1)
        load()
        bench.answer("Ann")
        #expect(resource.latestError == nil && upstream.load.running == 0 && errors.all.count == 1)
        _ = bench.lab.start { [client = bench.client] in await client.close(within: .zero) }
        bench.lab.settle()
        load()
        await errors.wait(for: 2)
        #expect(errors.all.count == 2 && errors.all.last?.contains("the client is closed") == true)
    }

    @Test(
        "a load that waits to be sent completes when the client ends its fetch, and as the load that takes its place",
        .rule("A95"), arguments: [false, true])
    func unsent(isReplaced: Bool) async throws {
        let bench = RESTBench()
        let resource = bench.resource("/users/1")
        let (upstream, server) = occupyUpstream(of: resource, in: bench, queue: 1000)
        let ended = Recorder<String>()
        resource.load().onCompletion { ended.append($0.response.error.map { "\($0.isCancellation)" } ?? "Ann") }
        bench.lab.settle()
        #expect(bench.asked.isEmpty && resource.isLoading && upstream.load.waiting == 1)
        if isReplaced {
            resource.load()
            server.succeed(with: 1)
            bench.lab.settle()
            bench.answer("Ann")
        } else {
            bench.client.cancel(.key(resource.queryKey))
        }
        await ended.wait(for: 1)
        #expect(ended.all == [isReplaced ? "Ann" : "true"])
        #expect(resource.loadRequests.isEmpty && !resource.isLoading)
    }

    @Test("a fetch of a resource that another face began, with a request of its own, loads the resource", .rule("A95"))
    func foreign() async throws {
        let bench = RESTBench()
        let resource = bench.resource("/users/1")
        let request = ForeignRequest()
        try bench.client.beginFetch(resource.definition, carrying: request)
        let ended = Recorder<String>()
        try #require(resource.loadRequests.first).onCompletion { _ in ended.append("load ended") }
        bench.answer("Ann")
        #expect(resource.body == "Ann" && !resource.isLoading)
        await ended.wait(for: 1)
        #expect(request.hasEnded && resource.loadRequests.isEmpty)
    }
}

private final class ForeignRequest: FetchRequest {
    private let ended = Recorder<Bool>()

    var hasEnded: Bool { !ended.all.isEmpty }

    func fetchEnded(_ end: FetchEnd) { ended.append(true) }
}

final class Owner: Sendable {}
