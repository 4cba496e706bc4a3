import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("How observers on the main actor stop observing")
struct ObserverEndTests {
    let bench = RESTBench()

    // MARK: Releasing an observer

    @Test(
        "an observer that owns itself is freed when its other owners are gone, in whatever order it got them",
        .rule("U5"),
        arguments: [true, false])
    func freed(isOwnedByOtherFirst: Bool) async {
        let resource = bench.resource()
        var observer: Watcher? = Watcher()
        var owner: Owner? = Owner()
        weak let weakObserver = observer
        if let observer, let owner {
            if isOwnedByOtherFirst {
                resource.addObserver(observer, owner: owner).addObserver(observer)
            } else {
                resource.addObserver(observer).addObserver(observer, owner: owner)
            }
        }
        observer = nil
        bench.service.flushUnusedResources()
        #expect(weakObserver != nil, "its other owner keeps it")
        owner = nil
        bench.service.flushUnusedResources()
        #expect(weakObserver == nil)
        #expect(!resource.isObserved)
        _ = owner
    }

    @Test("once it is freed, nothing keeps its resource and its service", .rule("U5"))
    func nothingKept() async {
        weak var weakService: Service?
        do {
            let service = Service(baseURL: "https://api.test", networking: ManualProvider(), client: bench.client)
            weakService = service
            var owner: Owner? = Owner()
            let observer = Watcher()
            if let owner { service.resource("/a").addObserver(observer, owner: owner).addObserver(observer) }
            owner = nil
            service.flushUnusedResources()
            _ = owner
        }
        bench.client.environment.memoryPressure.set(true)
        bench.lab.settle()
        await turn()
        #expect(weakService == nil)
    }

    @Test("an observer that got an owner again is kept by it", .rule("U5"))
    func ownedAgain() {
        let resource = bench.resource()
        var observer: Watcher? = Watcher()
        let owner = Owner()
        weak let weakObserver = observer
        if let observer {
            resource.addObserver(observer, owner: owner).addObserver(observer)
            resource.removeObservers(ownedBy: owner)
            resource.addObserver(observer, owner: owner)
        }
        observer = nil
        bench.service.flushUnusedResources()
        #expect(weakObserver?.heard == ["observerAdded"])
    }

    // MARK: Notification of the end

    @Test("an observer hears in a later turn that it stopped, and no event after it was removed", .rule("U10"))
    func laterTurn() async {
        let resource = bench.resource()
        let observer = Watcher()
        resource.addObserver(observer)
        resource.removeObservers(ownedBy: observer)
        resource.load()
        #expect(observer.heard == ["observerAdded"])
        await turn()
        #expect(observer.heard == ["observerAdded", "stopped"])
        await turn()
        #expect(observer.heard == ["observerAdded", "stopped"])
    }

    @Test("an observer that is added again hears first that it stopped, and once", .rule("U10"))
    func addedAgain() async {
        let resource = bench.resource()
        let (observer, other) = (Watcher(), Watcher())
        resource.addObserver(observer).addObserver(other)
        resource.removeObservers(ownedBy: observer)
        resource.removeObservers(ownedBy: other)
        resource.addObserver(observer)
        #expect(observer.heard == ["observerAdded", "stopped", "observerAdded"])
        #expect(other.heard == ["observerAdded"])
        await turn()
        #expect(observer.heard == ["observerAdded", "stopped", "observerAdded"])
        #expect(other.heard == ["observerAdded", "stopped"])
    }

    @Test("an observer may add another one again while it hears that it stopped", .rule("U10"))
    func reentrant() async {
        let resource = bench.resource()
        let other = Watcher()
        let observer = Stopper { resource.addObserver(other) }
        resource.addObserver(observer).addObserver(other)
        resource.removeObservers(ownedBy: observer)
        resource.removeObservers(ownedBy: other)
        await turn()
        #expect(other.heard == ["observerAdded", "stopped", "observerAdded"])
        #expect(resource.isObserved)
    }

    @Test("the resource stays until its last observer has heard of it", .rule("U10"))
    func resourceStays() async {
        weak var weakResource: Resource?
        let observer = Watcher()
        do {
            let resource = bench.resource()
            weakResource = resource
            resource.addObserver(observer)
        }
        weakResource?.removeObservers(ownedBy: observer)
        #expect(weakResource != nil)
        weakResource?.addObserver(observer)
        #expect(observer.heard == ["observerAdded", "stopped", "observerAdded"])
        weakResource?.removeObservers(ownedBy: observer)
        await turn()
        #expect(weakResource == nil)
    }

    @Test("an observer that is gone hears nothing", .rule("U10"))
    func gone() async {
        let resource = bench.resource()
        var observer: Watcher? = Watcher()
        weak let weakObserver = observer
        if let observer { resource.addObserver(observer) }
        observer.map { resource.removeObservers(ownedBy: $0) }
        observer = nil
        #expect(weakObserver == nil)
        await turn()
        #expect(!resource.isObserved)
    }

    @Test(
        "an observer that is added again finds its end without a look at the others that wait", .rule("F12"),
        arguments: [30, 3000])
    func comparisons(count: Int) async {
        let resource = bench.resource()
        let owners = (0..<count).map { _ in Owner() }
        let (heard, compared) = (Recorder<String>(), Recorder<Int>())
        let observers = (0..<count).map { NumberedWatcher(number: $0, heard: heard, compared: compared) }
        func addAll() {
            for (observer, owner) in zip(observers, owners) { resource.addObserver(observer, owner: owner) }
        }
        addAll()
        for owner in owners { resource.removeObservers(ownedBy: owner) }
        heard.clear()
        compared.clear()
        addAll()
        #expect(heard.all == (0..<count).flatMap { ["\($0) stopped", "\($0) observerAdded"] })
        #expect(compared.all == Array(0..<count), "each observer is compared with itself, once")
        await turn()
        #expect(heard.all.count == 2 * count)
    }

    // MARK: Closures

    @Test("a closure of the type that observers have is an observer", .rule("U10"))
    func closure() {
        let resource = bench.resource()
        var heard: [String] = []
        let observe: ResourceObserverClosure = { resource, event in heard.append("\(resource.url.path) \(event)") }
        resource.addObserver(owner: bench.owner, closure: observe)
        resource.load()
        #expect(heard == ["/v1/users/1 observerAdded", "/v1/users/1 requested"])
    }
}

/// Performs an action when it stops observing.
@MainActor
private final class Stopper: ResourceObserver {
    private let action: () -> Void

    init(action: @escaping () -> Void) {
        self.action = action
    }

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {}

    func stoppedObserving(resource: Resource) {
        action()
    }
}

/// An observer that is a struct, and records the comparisons of its identity.
private struct NumberedWatcher: ResourceObserver, Sendable {
    struct Identity: Hashable, Sendable {
        let number: Int
        let compared: Recorder<Int>

        static func == (one: Self, other: Self) -> Bool {
            one.compared.append(one.number)
            return one.number == other.number
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(number)
        }
    }

    let number: Int
    let heard: Recorder<String>
    let compared: Recorder<Int>

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        heard.append("\(number) \(event)")
    }

    func stoppedObserving(resource: Resource) {
        heard.append("\(number) stopped")
    }

    nonisolated var observerIdentity: AnyHashable { AnyHashable(Identity(number: number, compared: compared)) }
}
