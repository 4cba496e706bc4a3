import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("What is dropped when memory is short")
struct MemoryPressureTests {
    let bench = RESTBench()

    private func shortOfMemory() {
        bench.client.environment.memoryPressure.set(true)
        bench.client.environment.memoryPressure.set(false)
    }

    @Test(
        "content that nobody uses stays until memory is short, and what is observed stays then too", .rule("Siesta 30"))
    func unused() {
        bench.resource("/unused").show("unused")
        let watched = bench.resource("/watched")
        watched.show("watched")
        _ = bench.record(watched)
        bench.lab.clock.advance(by: .seconds(86_400))
        #expect(bench.resource("/unused").body == "unused")
        shortOfMemory()
        #expect(bench.resource("/unused").latestData == nil)
        #expect(watched.body == "watched")
    }

    @Test("the content of a resource that the program holds stays, however it is asked to go", .rule("U6"))
    func held() {
        let held = bench.resource("/held")
        held.show("held")
        shortOfMemory()
        bench.service.flushUnusedResources()
        bench.client.dropUnobserved()
        #expect(held.body == "held")
    }

    @Test("a resource that is held no longer goes", .rule("U6"))
    func heldNoLonger() {
        var held: Resource? = bench.resource("/held")
        held?.show("held")
        shortOfMemory()
        #expect(bench.client.count == 1)
        held = nil
        shortOfMemory()
        #expect(bench.client.count == 0)
        #expect(bench.resource("/held").latestData == nil)
        _ = held
    }

    @Test("what the program holds stays within a budget too", .rule("U6"))
    func budget() {
        let bench = RESTBench(budget: 10_000)
        let held = bench.resource("/held")
        held.show(String(repeating: "a", count: 5_000))
        for number in 0..<10 { bench.resource("/\(number)").show(String(repeating: "b", count: 3_000)) }
        #expect(held.latestData != nil)
        #expect(bench.client.count < 5)
    }

    @MainActor
    @Test("resources of observers whose owners are gone are released", .rule("U6"))
    func deadOwners() async {
        let observer = Watcher()
        var owner: Owner? = Owner()
        weak var weakResource: Resource?
        do {
            let resource = bench.resource()
            weakResource = resource
            resource.show("Ann")
            if let owner { resource.addObserver(observer, owner: owner) }
        }
        shortOfMemory()
        #expect(weakResource?.body == "Ann")
        owner = nil
        shortOfMemory()
        await turn()  // the observer is notified before this task runs
        #expect(observer.heard.last == "stopped")
        #expect(weakResource == nil)
        shortOfMemory()
        #expect(bench.client.count == 0)
        _ = owner
    }

    @Test("a service that is gone hears of nothing", .rule("U6"))
    func serviceGone() {
        weak var weakService: Service?
        do {
            let service = Service(baseURL: "https://api.test", networking: ManualProvider(), client: bench.client)
            weakService = service
            shortOfMemory()
        }
        #expect(weakService == nil)
        shortOfMemory()
    }
}
