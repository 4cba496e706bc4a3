import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("The owners of an observer")
struct ObserverOwnersTests {
    let bench = RESTBench()

    @Test("K32: an observer that lives on stops when the owner that it had besides itself is released")
    func livesOn() async {
        let observer = Watcher()
        var owner: Owner? = Owner()
        weak var weakResource: Resource?
        do {
            let resource = bench.resource()
            weakResource = resource
            resource.show("Ann")
            resource.addObserver(observer)
            if let owner { resource.addObserver(observer, owner: owner) }
            resource.removeObservers(ownedBy: observer)
        }
        #expect(weakResource?.isObserved == true)
        owner = nil
        #expect(weakResource?.isObserved == false)
        bench.client.environment.memoryPressure.set(true)
        await turn()
        #expect(observer.heard.last == "stopped")
        #expect(weakResource == nil)
        _ = owner
    }

    enum Step: CaseIterable {
        case addSelf, addX, addY, removeSelf, removeX, removeY, releaseX, releaseY, load, flush
    }

    @Test("K32: whatever the order")
    func all() async {
        func run(_ steps: [Step]) async {
            let observer = Watcher()
            var (x, y): (Owner?, Owner?) = (Owner(), Owner())
            var owners: Set<String> = []
            weak var weakResource: Resource?
            var strong: Resource? = bench.resource("/\(steps)")
            weakResource = strong
            for step in steps {
                guard let resource = strong else { return }
                switch step {
                case .addSelf: resource.addObserver(observer); owners.insert("self")
                case .addX: if let x { resource.addObserver(observer, owner: x); owners.insert("x") }
                case .addY: if let y { resource.addObserver(observer, owner: y); owners.insert("y") }
                case .removeSelf: resource.removeObservers(ownedBy: observer); owners.remove("self")
                case .removeX: resource.removeObservers(ownedBy: x); owners.remove("x")
                case .removeY: resource.removeObservers(ownedBy: y); owners.remove("y")
                case .releaseX: x = nil; owners.remove("x")
                case .releaseY: y = nil; owners.remove("y")
                case .load: resource.load()
                case .flush: bench.service.flushUnusedResources()
                }
                #expect(resource.isObserved == !owners.isEmpty, "\(steps)")
            }
            for exchange in bench.asked { exchange.answer("Ann") }
            bench.lab.settle()
            strong = nil
            bench.client.environment.memoryPressure.set(true)
            bench.client.environment.memoryPressure.set(false)
            await turn()
            #expect((weakResource != nil) == !owners.isEmpty, "\(steps) \(observer.heard)")
            weakResource?.removeObservers(ownedBy: observer)
            weakResource?.removeObservers(ownedBy: x)
            weakResource?.removeObservers(ownedBy: y)
        }
        for a in Step.allCases { for b in Step.allCases { for c in Step.allCases { for d in Step.allCases {
            await run([a, b, c, d])
        } } } }
    }
}
