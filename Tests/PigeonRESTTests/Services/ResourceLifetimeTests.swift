import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("What services, resources and requests keep")
struct ResourceLifetimeTests {
    @Test(
        "a service, its resources and their content go when nobody keeps them", .rule("Siesta S25"),
        arguments: [0, 1, 2, 3, 4])
    func service(way: Int) async {
        let lab = QueryLab()
        weak var weakService: Service?
        weak var weakResource: Resource?
        weak var weakContent: Owner?
        do {
            let provider = ManualProvider()
            let service = Service(baseURL: "https://api.test", networking: provider, client: lab.client)
            let resource = service.resource("/a")
            let content = Owner()
            (weakService, weakResource, weakContent) = (service, resource, content)
            let owner = Owner()
            switch way {
            case 0: break
            case 1:
                let request = resource.load().onCompletion { [resource] _ in _ = resource.latestData }
                provider.last?.answer("Ann")
                lab.settle()
                _ = await request.response()
            case 2: resource.load().cancel()
            case 3:
                resource.addObserver(owner: owner) { [resource] _, _ in _ = resource.url }
                resource.load()
                resource.wipe()
                resource.removeObservers(ownedBy: owner)
            default:
                resource.load()
                resource.load()
                provider.exchanges[0].answer("Ann")
                provider.exchanges[1].fail(.timedOut)
            }
            lab.settle()
            resource.overrideLocalContent(with: content)
        }
        lab.settle()
        // Work in separate tasks releases its objects as soon as the tasks end.
        await until { weakService == nil && weakResource == nil && weakContent == nil }
        #expect(lab.client.count == 0)
    }

    @Test("a load keeps its resource and service until it is over, and no longer", .rule("Siesta S25"))
    func underWay() async {
        let lab = QueryLab()
        var provider: ManualProvider? = ManualProvider()
        weak var weakService: Service?
        if let provider {
            let service = Service(baseURL: "https://api.test", networking: provider, client: lab.client)
            weakService = service
            service.resource("/a").load()
        }
        #expect(weakService != nil)
        provider?.last?.answer("Ann")
        provider = nil
        lab.settle()
        await until { weakService == nil }
    }

    @Test("a resource is freed after a load that was to be retried, and was not", .rule("Siesta S25"))
    func notRetried() async {
        let bench = RESTBench()
        bench.service.configure("**") { $0.query { $0.retry = .standard } }
        weak var weakResource: Resource?
        do {
            let resource = bench.resource()
            weakResource = resource
            _ = bench.record(resource)
            resource.load()
            bench.fail(.timedOut)
            resource.removeObservers(ownedBy: bench.owner)
        }
        await until { weakResource == nil }
        #expect(bench.asked.count == 1)
    }

    @Test("resources that nobody keeps are gone, and their content is still there", .rule("Siesta S25"))
    func resource() {
        let bench = RESTBench()
        weak var weakResource: Resource?
        do {
            let resource = bench.resource()
            resource.show("Ann")
            weakResource = resource
        }
        #expect(weakResource == nil)
        #expect(bench.resource().body == "Ann")
        #expect(bench.asked.isEmpty)
    }

    @Test("a request that is over keeps neither hooks nor what they hold", .rule("Siesta S25"))
    func request() async {
        weak var weakHeld: Owner?
        let operation = ManualOperation()
        let request = Resource.prepareRequest(using: operation)
        do {
            let held = Owner()
            weakHeld = held
            request.onCompletion { _ in withExtendedLifetime(held) {} }.onProgress { _ in withExtendedLifetime(held) {}
            }
        }
        request.start()
        #expect(weakHeld != nil)
        operation.answer("Ann")
        _ = await request.response()
        await until { weakHeld == nil }
        #expect(request.state == .completed)
    }

    @Test(
        "requests and chains go when nobody keeps them, started or not, over or not", .rule("Siesta S25"),
        arguments: [0, 1, 2])
    func chains(way: Int) async {
        weak var weakChain: (any Request)?
        weak var weakNext: (any Request)?
        do {
            let (one, two) = (ManualOperation(), ManualOperation())
            let next = Resource.prepareRequest(using: two)
            let chain = Resource.prepareRequest(using: one, callbacks: .immediate).chained { _ in .passTo(next) }
            (weakChain, weakNext) = (chain, next)
            if way > 0 {
                chain.start()
                one.answer("Ann")
                await two.wait(for: 1)
                if way == 1 { two.answer("Bob") } else { chain.cancel() }
            }
        }
        await until { weakChain == nil && weakNext == nil }
        #expect(weakChain == nil)
    }

    @Test(
        "content is bound by its number, what was used least lately goes first, what is used stays", .rule("Siesta S25")
    )
    func countLimit() {
        let bench = RESTBench()
        let kept = bench.resource("/kept")
        kept.show("kept")
        let watched = bench.resource("/watched")
        watched.show("watched")
        _ = bench.record(watched)
        for number in 0..<10 { bench.resource("/\(number)").show("\(number)") }
        _ = bench.resource("/0").latestData
        bench.service.cachedResourceCountLimit = 5
        #expect(bench.client.count == 5)
        #expect(kept.body == "kept")
        #expect(watched.body == "watched")
        #expect(["/0", "/8", "/9"].allSatisfy { bench.resource($0).latestData != nil })
        #expect(bench.resource("/1").latestData == nil)
    }

    @Test("making many resources keeps to the limit", .rule("Siesta S25"))
    func manyResources() {
        let bench = RESTBench()
        bench.service.cachedResourceCountLimit = 100
        for number in 0..<1000 { bench.resource("/\(number)").show("\(number)") }
        #expect(bench.client.count <= 120)
        bench.service.flushUnusedResources()
        #expect(bench.client.count == 0)
    }

    @Test("content counts toward the client's budget of bytes", .rule("Siesta S25"))
    func budget() {
        let bench = RESTBench(budget: 100_000)
        let text = String(repeating: "a", count: 10_000)
        for number in 0..<100 { bench.resource("/\(number)").show(text) }
        #expect(bench.client.count <= 10)
        #expect(bench.resource("/99").latestData != nil)
    }

    @Test("what observers whose owners are gone keep goes when unused resources are flushed", .rule("Siesta S25"))
    func deadObservers() {
        let bench = RESTBench()
        var owner: Owner? = Owner()
        weak var weakResource: Resource?
        do {
            let resource = bench.resource()
            weakResource = resource
            resource.show("Ann")
            _ = bench.record(resource, owner: owner)
        }
        owner = nil
        #expect(weakResource?.isObserved == false)
        bench.service.flushUnusedResources()
        #expect(weakResource == nil)
        #expect(bench.client.count == 0)
        _ = owner
    }

    @Test("a request that nobody wants to know the progress of sets no timer", .rule("Siesta S31"))
    func noTimer() {
        let bench = RESTBench()
        let before = bench.lab.clock.alarmCount
        let resource = bench.resource()
        _ = bench.record(resource)
        resource.load()
        #expect(bench.lab.clock.alarmCount == before)
        let request = resource.request(.post).onProgress { _ in }
        #expect(bench.lab.clock.alarmCount == before + 1)
        request.cancel()
        #expect(bench.lab.clock.alarmCount == before)
    }
}
