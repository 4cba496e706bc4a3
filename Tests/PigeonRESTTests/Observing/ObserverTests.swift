import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

/// Records the events that it receives.
@MainActor
final class Watcher: ResourceObserver {
    var heard: [String] = []
    var react: (Resource, ResourceEvent) -> Void = { _, _ in }

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        heard.append("\(event)")
        react(resource, event)
    }

    func resourceRequestProgress(for resource: Resource, progress: Double) {
        heard.append("progress \(progress == 1 ? "1" : "…")")
    }

    func stoppedObserving(resource: Resource) {
        heard.append("stopped")
    }
}

/// An observer that is a struct, and records its events in another object.
struct ValueWatcher: ResourceObserver, Sendable {
    let heard: Recorder<String>
    var name: String?

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        heard.append("\(event)")
    }

    func stoppedObserving(resource: Resource) {
        heard.append("stopped")
    }

    nonisolated var observerIdentity: AnyHashable {
        name.map { AnyHashable($0) } ?? AnyHashable(UUID())
    }
}

@MainActor
@Suite("Observers on the main actor")
struct ObserverTests {
    let bench = RESTBench()

    @Test("an observer hears at once that it was added, and nobody else does", .rule("Siesta 26"))
    func added() {
        let resource = bench.resource()
        let (one, two) = (Watcher(), Watcher())
        resource.addObserver(one).addObserver(two)
        #expect(one.heard == ["observerAdded"])
        #expect(two.heard == ["observerAdded"])
    }

    @Test("an object that is added again is not told again, and hears each event once", .rule("Siesta 26"))
    func addedAgain() {
        let resource = bench.resource()
        let one = Watcher()
        resource.addObserver(one).addObserver(one).addObserver(one, owner: bench.owner)
        resource.load()
        #expect(one.heard == ["observerAdded", "requested"])
    }

    @Test("values of one identity are one observer, others and closures never are", .rule("Siesta 26"))
    func values() {
        let resource = bench.resource()
        let heard = Recorder<String>()
        resource.addObserver(ValueWatcher(heard: heard, name: "a"), owner: bench.owner)
        resource.addObserver(ValueWatcher(heard: heard, name: "a"), owner: bench.owner)
        #expect(heard.all.count == 1)
        resource.addObserver(ValueWatcher(heard: heard), owner: bench.owner)
        resource.addObserver(ValueWatcher(heard: heard), owner: bench.owner)
        #expect(heard.all.count == 3)
    }

    @Test("an object with the identity of one that is gone can observe in its place", .rule("Siesta 27"))
    func sameIdentity() {
        let resource = bench.resource()
        var old: Screen? = Screen()
        let new = Screen()
        if let old { resource.addObserver(old).addObserver(new) }
        #expect(new.heard.isEmpty)
        old = nil
        #expect(!resource.isObserved)
        resource.addObserver(new)
        resource.load()
        #expect(new.heard == ["observerAdded", "requested"])
    }

    /// Every one of them has the same identity.
    private final class Screen: ResourceObserver {
        var heard: [String] = []

        func resourceChanged(_ resource: Resource, event: ResourceEvent) {
            heard.append("\(event)")
        }

        nonisolated var observerIdentity: AnyHashable { "screen" }
    }

    @Test("one that owns itself is not kept, and is not called when it is gone", .rule("Siesta 27"))
    func selfOwned() {
        let resource = bench.resource()
        var one: Watcher? = Watcher()
        weak let weakOne = one
        if let one { resource.addObserver(one) }
        one = nil
        #expect(weakOne == nil)
        #expect(!resource.isObserved)
        resource.load()
    }

    @Test("one that names itself as its owner is not kept either", .rule("Siesta 27"))
    func ownOwner() {
        let resource = bench.resource()
        var one: Watcher? = Watcher()
        weak let weakOne = one
        if let one { resource.addObserver(one, owner: one) }
        one = nil
        #expect(weakOne == nil)
        #expect(!resource.isObserved)
    }

    @Test("with others as owners it is kept until the last of them is gone", .rule("Siesta 27"))
    func owned() async {
        let resource = bench.resource()
        let heard = Recorder<String>()
        var (ann, bob): (Owner?, Owner?) = (Owner(), Owner())
        for case let owner? in [ann, bob] { resource.addObserver(ValueWatcher(heard: heard, name: "a"), owner: owner) }
        ann = nil
        resource.load()
        #expect(heard.all == ["observerAdded", "requested"])
        bob = nil
        #expect(!resource.isObserved)
        resource.load()
        #expect(heard.all == ["observerAdded", "requested"])
        await turn()
        #expect(heard.all == ["observerAdded", "requested", "stopped"])
        _ = (ann, bob)
    }

    @Test("an owner that has taken the memory of one that is gone is another owner", .rule("Siesta 27"))
    func reusedMemory() throws {
        let resource = bench.resource()
        let observer = ValueWatcher(heard: Recorder<String>(), name: "a")
        var (ann, bob): (Owner?, Owner?) = (Owner(), Owner())
        for case let owner? in [ann, bob] { resource.addObserver(observer, owner: owner) }
        let place = try #require(ann.map { ObjectIdentifier($0) })
        ann = nil
        // Nothing is to be tested where the system does not give the memory out again.
        guard let eve = owner(at: place) else { return }
        resource.addObserver(observer, owner: eve)
        bob = nil
        resource.load()
        #expect(observer.heard.all == ["observerAdded", "requested"])
        withExtendedLifetime(eve) {}
        _ = (ann, bob)
    }

    /// Creates owners until one has the given identity.
    private func owner(at place: ObjectIdentifier) -> Owner? {
        var others: [Owner] = []
        for _ in 0..<1000 {
            let owner = Owner()
            if ObjectIdentifier(owner) == place { return owner }
            others.append(owner)
        }
        return nil
    }

    @Test("an object that owns itself is kept while another owns it too, and no longer", .rule("Siesta 27"))
    func ownedAndSelfOwned() {
        let resource = bench.resource()
        var one: Watcher? = Watcher()
        var owner: Owner? = Owner()
        weak let weakOne = one
        if let one, let owner { resource.addObserver(one).addObserver(one, owner: owner) }
        one = nil
        resource.load()
        #expect(weakOne?.heard == ["observerAdded", "requested"])
        owner = nil
        resource.load()
        #expect(weakOne == nil)
        #expect(!resource.isObserved)
        _ = owner
    }

    @Test("it stays while one owner is left, and removing nobody's observers does nothing", .rule("Siesta 27"))
    func removal() async {
        let resource = bench.resource()
        let (one, ann, bob) = (Watcher(), Owner(), Owner())
        resource.addObserver(one, owner: ann).addObserver(one, owner: bob)
        resource.removeObservers(ownedBy: nil)
        resource.removeObservers(ownedBy: ann)
        resource.load()
        resource.removeObservers(ownedBy: bob)
        resource.load()
        await turn()
        #expect(one.heard == ["observerAdded", "requested", "stopped"])
    }

    @Test("one that was removed hears no event after, and that it stopped", .rule("Siesta 27"))
    func removedInCallback() async {
        let resource = bench.resource()
        let (one, two) = (Watcher(), Watcher())
        one.react = { resource, event in
            if event == .requested { resource.removeObservers(ownedBy: two) }
        }
        resource.addObserver(one).addObserver(two)
        resource.load()
        #expect(one.heard == ["observerAdded", "requested"])
        #expect(two.heard == ["observerAdded"])
        await turn()
        #expect(two.heard == ["observerAdded", "stopped"])
    }

    @Test("all hear each event, in the order in which they were added", .rule("Siesta 28"))
    func order() {
        let resource = bench.resource()
        let heard = Recorder<Int>()
        let watchers = (0..<20).map { number in
            let watcher = Watcher()
            watcher.react = { _, _ in heard.append(number) }
            return watcher
        }
        for watcher in watchers { resource.addObserver(watcher) }
        resource.load()
        #expect(heard.all == Array(0..<20) + Array(0..<20))
    }

    @Test("all hear an event before any hears what one of them does about it", .rule("Siesta S20"))
    func reentrantOrder() {
        let resource = bench.resource()
        let (one, two) = (Watcher(), Watcher())
        one.react = { resource, event in
            if event == .requested { resource.show("mine") }
        }
        resource.addObserver(one).addObserver(two)
        resource.load()
        #expect(one.heard == ["observerAdded", "requested", "newData(localOverride)"])
        #expect(two.heard == one.heard)
    }

    @Test("an observer hears of what others do from other threads, in order, on the main actor")
    func otherThreads() async {
        let resource = bench.resource()
        let one = Watcher()
        resource.addObserver(one)
        await Task.detached {
            for number in 0..<50 { resource.show("\(number)") }
        }.value
        await until { one.heard.count >= 51 }
        #expect(one.heard == ["observerAdded"] + Array(repeating: "newData(localOverride)", count: 50))
    }

    @Test("an event on the main actor is heard within its call, after waiting ones of other threads")
    func notBehindOtherThreads() async {
        let resource = bench.resource()
        let (one, isShown) = (Watcher(), DispatchSemaphore(value: 0))
        resource.addObserver(one)
        // The main actor is blocked until its turn for the other thread's event is scheduled.
        Thread.detachNewThread {
            resource.show("Ann")
            isShown.signal()
        }
        blocking { isShown.wait() }
        #expect(one.heard == ["observerAdded"])
        resource.load()
        let all = ["observerAdded", "newData(localOverride)", "requested"]
        #expect(one.heard == all)
        await turn()
        #expect(one.heard == all, "the scheduled turn finds nothing left")
    }

    @Test("progress is told until the observer is removed, and ends with 1 before the answer", .rule("Siesta S21"))
    func progress() async {
        let resource = bench.resource()
        let (one, two, late) = (Watcher(), Watcher(), Watcher())
        resource.addObserver(one).addObserver(two)
        resource.load()
        bench.lab.advance(by: .milliseconds(60))
        resource.removeObservers(ownedBy: two)
        resource.addObserver(late)
        bench.lab.advance(by: .milliseconds(50))
        bench.answer("Ann")
        #expect(
            one.heard == ["observerAdded", "requested", "progress …", "progress …", "progress 1", "newData(network)"])
        await turn()
        #expect(two.heard == ["observerAdded", "requested", "progress …", "stopped"])
        #expect(late.heard == ["observerAdded", "progress …", "progress 1", "newData(network)"])
    }

    @Test("progress is told to one who is added when the load is under way", .rule("Siesta 28"))
    func lateProgress() {
        let resource = bench.resource()
        resource.load()
        let late = Watcher()
        resource.addObserver(late)
        bench.lab.advance(by: .milliseconds(60))
        bench.answer("Ann")
        #expect(late.heard == ["observerAdded", "progress …", "progress 1", "newData(network)"])
    }
}
