import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Services and their resources")
struct ServiceTests {
    let bench = RESTBench()

    @Test("one address has one resource, however it is asked for", .rule("Siesta 1"))
    func identity() {
        let resource = bench.resource("/users/1")
        #expect(bench.resource("users/1") === resource)
        #expect(bench.service.resource(absoluteURL: "https://api.test/v1/users/1") === resource)
        #expect(bench.service.resource(baseURL: "https://api.test/v1/users", path: "1") === resource)
        #expect(bench.resource("/users").child("1") === resource)
        #expect(bench.resource("/users/2") !== resource)
    }

    @Test("addresses that are sure to be the same have one resource, which mends 1", .rule("Siesta S29"))
    func canonical() {
        let resource = bench.service.resource(absoluteURL: "HTTPS://API.test:443/a%2fb#c")
        #expect(bench.service.resource(absoluteURL: "https://api.test/a%2Fb") === resource)
    }

    @Test("services do not share resources", .rule("Siesta 1"))
    func services() {
        let other = Service(baseURL: "https://api.test/v1", networking: bench.provider, client: bench.client)
        #expect(other.resource("/a") !== bench.resource("/a"))
        #expect(other.resource("/a").queryKey != bench.resource("/a").queryKey)
    }

    @Test("many threads that ask for one address get one resource", .rule("Siesta 1"))
    func threads() async {
        let resources = await withTaskGroup(of: Resource.self) { [bench] group in
            for number in 0..<400 { group.addTask { bench.resource("/users/\(number % 4)") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(resources).count == 4)
    }

    @Test("nothing has one resource, and each text that is no address one of its own", .rule("Siesta 4"))
    func wrongIdentity() {
        #expect(bench.service.resource(absoluteURL: nil) === bench.service.resource(absoluteURL: nil))
        let (one, two) = (bench.service.resource(absoluteURL: ""), bench.service.resource(absoluteURL: ""))
        #expect(one !== two)
        #expect(one.queryKey != two.queryKey)
    }

    @Test(
        "requests of a wrong address fail at once, and the resource says why", .rule("Siesta 4"), arguments: [nil, ""])
    func wrong(address: String?) async {
        let resource = bench.service.resource(absoluteURL: address)
        let heard = bench.record(resource)
        let request = resource.load()
        #expect(request.state == .completed)
        bench.lab.settle()
        #expect(await request.response().response.cause(RequestError.Cause.InvalidURL.self) != nil)
        #expect(resource.latestError?.cause is RequestError.Cause.InvalidURL)
        #expect(heard.all == ["observerAdded idle ", "requested loading ", "error idle "])
        #expect(resource.loadIfNeeded() == nil, "not again within the retry time")
        #expect(resource.request(.post).state == .completed)
        #expect(bench.asked.isEmpty)
    }

    @Test(
        "a resource of a wrong address has the default configuration, and nobody asks a server for it",
        .rule("Siesta 4"))
    func wrongConfiguration() {
        bench.service.configure { $0.expirationTime = 7 }
        let resource = bench.service.resource(absoluteURL: "")
        let heard = bench.record(resource)
        #expect(resource.configuration.expirationTime == 30)
        resource.load()
        bench.lab.settle()
        bench.client.invalidate(.path(bench.service.queryKey))
        bench.service.wipeResources()
        bench.lab.settle()
        #expect(bench.asked.isEmpty)
        #expect(heard.all.last == "error idle ")
    }

    @Test("a service without a base address has resources of whole addresses only", .rule("Siesta 4"))
    func noBase() {
        let bench = RESTBench(baseURL: nil)
        let resource = bench.resource("/a")
        resource.load()
        #expect(resource.latestError?.cause is RequestError.Cause.InvalidURL)
        bench.service.resource(absoluteURL: "https://a.test/b").load()
        #expect(bench.asked.map(\.url) == ["https://a.test/b"])
    }

    @Test("what a wrong address left in the client goes with its resource")
    func wrongGone() {
        do { bench.service.resource(absoluteURL: "").load() }
        bench.lab.settle()
        #expect(bench.client.count == 0)
    }

    @Test("what is observed and not up to date is loaded again, and nothing else")
    func reloadAll() {
        let (one, two, three) = (bench.loaded("/1"), bench.loaded("/2"), bench.loaded("/3"))
        _ = (bench.record(one), bench.record(two))
        one.invalidate()
        three.invalidate()
        bench.service.reloadAllResourcesIfNeeded()
        #expect(bench.asked.map { $0.url?.last } == ["1", "2", "3", "1"])
    }
}
