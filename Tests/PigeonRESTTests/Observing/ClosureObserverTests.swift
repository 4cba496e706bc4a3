import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Closures as observers")
struct ClosureObserverTests {
    let bench = RESTBench()

    @Test("a closure hears at once that it was added", .rule("Siesta 26"))
    func added() {
        #expect(bench.record(bench.resource()).all == ["observerAdded idle "])
    }

    @Test("a closure hears nothing once its owner is gone, not even the next event", .rule("Siesta 27"))
    func ownerGone() {
        let resource = bench.resource()
        var owner: Owner? = Owner()
        let heard = bench.record(resource, owner: owner)
        owner = nil
        resource.load()
        #expect(heard.all.isEmpty == false)
        #expect(heard.all == ["observerAdded idle "])
        _ = owner
    }

    @Test("a closure is let go with its owner, once anything happens", .rule("Siesta 27"))
    func closureGone() {
        let resource = bench.resource()
        var (owner, captured): (Owner?, Owner?) = (Owner(), Owner())
        weak let weakCaptured = captured
        if let owner, let captured {
            resource.addObserver(owner: owner) { _, _ in withExtendedLifetime(captured) {} }
        }
        captured = nil
        #expect(weakCaptured != nil)
        owner = nil
        resource.load()
        #expect(weakCaptured == nil)
        _ = owner
    }

    @Test("while it is observed, a resource stays, and is the one of its address", .rule("Siesta 29"))
    func staysWhileObserved() {
        weak var weakResource: Resource?
        do {
            let resource = bench.resource()
            weakResource = resource
            _ = bench.record(resource)
        }
        #expect(weakResource != nil)
        #expect(bench.resource() === weakResource)
        weakResource?.removeObservers(ownedBy: bench.owner)
        #expect(weakResource == nil)
    }

    @Test("a closure written on an actor is called on it")
    func actors() async {
        let listener = Listener()
        let resource = bench.resource()
        await listener.observe(resource)
        resource.show("Ann")
        await listener.heard.wait(for: 2)
        #expect(listener.heard.all == ["observerAdded", "newData(localOverride)"])
    }

    @Test("a closure written on the main actor is called there within the change, when that is made there")
    @MainActor
    func mainActor() {
        let resource = bench.resource()
        var heard: [String] = []
        resource.addObserver(owner: bench.owner) { _, event in heard.append("\(event)") }
        resource.load()
        #expect(heard == ["observerAdded", "requested"])
    }

    @Test("a closure written on the main actor hears in order of what is done elsewhere")
    @MainActor
    func elsewhere() async {
        let resource = bench.resource()
        var heard: [String] = []
        resource.addObserver(owner: bench.owner) { resource, event in
            MainActor.assertIsolated()
            heard.append("\(event)")
        }
        await Task.detached {
            resource.show("1")
            resource.wipe()
            resource.show("2")
        }.value
        await until { heard.count >= 4 }
        #expect(heard == ["observerAdded", "newData(localOverride)", "newData(wipe)", "newData(localOverride)"])
    }

    /// Observes a resource on its own actor.
    private actor Listener {
        let heard = Recorder<String>()
        private let owner = Owner()

        func observe(_ resource: Resource) {
            resource.addObserver(owner: owner) { _, event in
                self.assertIsolated()
                self.heard.append("\(event)")
            }
        }
    }
}

@Suite("Re-entering a resource from its observers")
struct ObserverReentrancyTests {
    enum Action: CaseIterable {
        case load, loadIfNeeded, override, wipe, wipeAll, invalidate, cancel, add, remove, configure, flush
    }

    @Test(
        "whatever an observer does about an event, it hears of that after, and nothing hangs",
        arguments: Action.allCases)
    func reenter(action: Action) {
        let bench = RESTBench()
        let resource = bench.resource()
        let other = Recorder<String>()
        let heard = Recorder<String>()
        let isDone = Locked(false)
        resource.addObserver(owner: bench.owner) { resource, event in
            heard.append("\(event)")
            let isFirst = isDone.withLock { isDone in
                guard event == .newData(.network), !isDone else { return false }
                isDone = true
                return true
            }
            guard isFirst else { return }
            switch action {
            case .load: resource.load()
            case .loadIfNeeded: resource.loadIfNeeded()
            case .override: resource.show("mine")
            case .wipe: resource.wipe()
            case .wipeAll: resource.service.wipeResources()
            case .invalidate: resource.invalidate()
            case .cancel: resource.load().cancel()
            case .add: resource.addObserver(owner: bench.owner) { _, event in other.append("\(event)") }
            case .remove: resource.removeObservers(ownedBy: bench.owner)
            case .configure: resource.service.configure("**") { $0.expirationTime = 1 }
            case .flush: resource.service.flushUnusedResources()
            }
            heard.append("done")
        }
        resource.load()
        bench.answer("Ann")
        let before = ["observerAdded", "requested", "newData(network)", "done"]
        let after: [String] =
            switch action {
            case .load: ["requested"]
            case .override: ["newData(localOverride)"]
            case .wipe, .wipeAll: ["newData(wipe)"]
            case .cancel: ["requested", "requestCancelled"]
            case .loadIfNeeded, .invalidate, .add, .remove, .configure, .flush: []
            }
        #expect(heard.all == before + after)
        #expect(other.all == (action == .add ? ["observerAdded"] : []))
    }

    @Test("a configuration that asks for others and makes all anew while it is made")
    func configurers() {
        let bench = RESTBench()
        let calls = Locked(0)
        bench.service.configure("**") { [unowned bench] configuration in
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            guard isFirst else { return }
            bench.service.invalidateConfiguration()
            bench.service.configure("/other") { $0.expirationTime = 7 }
            configuration.headers["X"] = "\(bench.resource("/other").configuration.expirationTime)"
        }
        #expect(bench.resource().configuration.headers["X"] == "7.0")
    }
}
