import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("The owners of an observer")
struct ObserverOwnersTests {
    @Test("an observer that lives on stops when the owner that it had besides itself is released", .rule("K32"))
    func livesOn() async {
        let bench = RESTBench()
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
        case addSelf, addX, addY, removeSelf, removeX, removeY, releaseX, releaseY, releaseSelf, load, flush
    }

    /// Steps that can follow each other in any order. With all of `Step`, four of them would take a minute.
    private nonisolated static let core: [Step] = [
        .addSelf, .addX, .addY, .removeSelf, .removeX, .releaseX, .releaseSelf,
    ]

    @Test("whatever the order", .rule("K32"), arguments: core)
    func all(first: Step) async {
        for a in Self.core {
            for b in Self.core {
                for c in Self.core { await run([first, a, b, c]) }
            }
        }
    }

    @Test("whatever else is between", .rule("K32"), arguments: Step.allCases)
    func others(first: Step) async {
        for a in Step.allCases {
            for b in Step.allCases { await run([first, a, b]) }
        }
    }

    private func run(_ steps: [Step]) async {
        let bench = RESTBench()
        var observer: Watcher? = Watcher()
        weak let weakObserver = observer
        var (x, y): (Owner?, Owner?) = (Owner(), Owner())
        var owners: Set<Step> = []
        // An observer that is added again after its owner was released has two observations. The ended one retains it until
        // a sweep, so the other one ends with the sweep after that.
        var (wasAdded, hasTwo) = (false, false)
        let held = Holder(bench.resource())
        weak let weakResource = held.resource
        for step in steps {
            guard let resource = held.resource else { break }
            if [.addSelf, .addX, .addY].contains(step), observer != nil {
                if wasAdded, owners.isEmpty { hasTwo = true }
                wasAdded = true
            }
            switch step {
            case .addSelf:
                guard let observer else { continue }
                resource.addObserver(observer)
                owners.insert(.releaseSelf)
            case .addX:
                guard let x, let observer else { continue }
                resource.addObserver(observer, owner: x)
                owners.insert(.releaseX)
            case .addY:
                guard let y, let observer else { continue }
                resource.addObserver(observer, owner: y)
                owners.insert(.releaseY)
            case .removeSelf:
                resource.removeObservers(ownedBy: weakObserver)
                owners.remove(.releaseSelf)
            case .removeX:
                resource.removeObservers(ownedBy: x)
                owners.remove(.releaseX)
            case .removeY:
                resource.removeObservers(ownedBy: y)
                owners.remove(.releaseY)
            case .releaseX:
                x = nil
                owners.remove(.releaseX)
            case .releaseY:
                y = nil
                owners.remove(.releaseY)
            case .releaseSelf: observer = nil
            case .load: resource.load()
            case .flush: bench.service.flushUnusedResources()
            }
            if observer == nil, owners == [.releaseSelf] { owners = [] }
            // An observer that is retained for another owner is found to be alone by the next sweep.
            if observer != nil { #expect(resource.isObserved == !owners.isEmpty, "\(steps)") }
        }
        for number in 0..<bench.asked.count { bench.answer("Ann", to: number) }
        held.resource = nil
        for _ in 0..<(hasTwo ? 2 : 1) {
            bench.client.environment.memoryPressure.set(true)
            await turn()
            bench.client.environment.memoryPressure.set(false)
        }
        #expect((weakResource != nil) == !owners.isEmpty, "\(steps)")
        if observer == nil { #expect((weakObserver != nil) == !owners.isEmpty, "\(steps)") }
        for owner in [weakObserver, x, y] as [AnyObject?] { weakResource?.removeObservers(ownedBy: owner) }
        withExtendedLifetime((x, y)) {}
    }

    private final class Holder {
        var resource: Resource?
        init(_ resource: Resource) { self.resource = resource }
    }
}
