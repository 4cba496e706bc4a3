import Foundation
import PigeonREST
import Testing

/// An observer with the one function that it must have.
private final class Plain: ResourceObserver {
    var count = 0

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        count += 1
    }
}

/// An observer that is no object: each is another one.
private struct Counter: ResourceObserver {
    final class Count: @unchecked Sendable {  // used on the main actor alone
        var value = 0
    }

    let count = Count()

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        count.value += 1
    }
}

/// Observers that are one for Siesta if their names are.
private final class Named: ResourceObserver {
    let name: String
    var count = 0

    init(_ name: String) {
        self.name = name
    }

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        count += 1
    }

    // guide: `ResourceObserver.observerIdentity`
    nonisolated var observerIdentity: AnyHashable { name }
}

/// Tells the main queue from others: on Linux it need not run on the main thread.
private enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()

    static func mark() {
        DispatchQueue.main.setSpecific(key: key, value: true)
    }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

/// A program's class of no actor, which owns what observes for it.
private final class ViewModel: @unchecked Sendable {  // used on the main thread alone
    var observer: Recorder? = Recorder()
    var title = ""
    /// True if each of its closures was called on the main thread.
    var calls: [Bool] = []

    /// Siesta calls all these closures on the main thread, wherever they are written.
    func follow(_ resource: Resource) -> Request {
        resource.addObserver(owner: self) { [weak self] resource, event in
            self?.title = resource.text
            self?.calls.append(MainQueue.isCurrent)
        }
        resource.cancelLoadIfUnobserved(afterDelay: 0) { self.calls.append(MainQueue.isCurrent) }
        return resource.load()
            .onCompletion { _ in self.calls.append(MainQueue.isCurrent) }
            .onSuccess { _ in self.calls.append(MainQueue.isCurrent) }
            .onProgress { _ in self.calls.append(MainQueue.isCurrent) }
            .chained { _ in
                self.calls.append(MainQueue.isCurrent)
                return .useThisResponse
            }
    }
}

@MainActor
@Suite("Siesta: observers")
struct ObserverTests {
    let network = StubNetwork(["GET /motd": .text("Hello")])
    let resource: Resource

    init() {
        resource = Service(baseURL: "https://example.com", networking: network).resource("/motd")
    }

    @Test("addObserver(_:): the events of a load, in their order")
    func events() async {
        let observer = Recorder()
        resource.addObserver(observer)
        #expect(observer.events == [.observerAdded])
        resource.addObserver(observer)
        #expect(observer.events == [.observerAdded])
        resource.load()
        await observer.saw(.newData(.network))
        #expect(observer.events == [.observerAdded, .requested, .newData(.network)])
        #expect(observer.progress.last == 1)
    }

    @Test("the other events")
    func otherEvents() async {
        let observer = Recorder()
        resource.addObserver(observer)
        resource.overrideLocalContent(with: "local")
        #expect(observer.events.last == .newData(.localOverride))
        resource.wipe()
        #expect(observer.events.last == .newData(.wipe))
        network["GET /motd"] = .text("no", status: 500)
        resource.load()
        await observer.saw(.error)
        network["GET /motd"] = .text("Hello", headers: ["ETag": "1"])
        resource.load()
        await observer.saw(.newData(.network))
        network["GET /motd"] = .text("", status: 304)
        resource.load()
        await observer.saw(.notModified)
        network.hold()
        resource.load().cancel()
        await observer.saw(.requestCancelled)
    }

    @Test("chains of addObserver, as programs write them")
    func chaining() {
        let (one, two) = (Plain(), Plain())
        let owner = NSObject()
        let same: Resource = resource.addObserver(one).addObserver(two, owner: owner)
            .addObserver(owner: owner) { _, _ in }
        #expect(same === resource)
        #expect(one.count == 1 && two.count == 1)
        resource.loadIfNeeded()
    }

    @Test("addObserver(_:owner:): an observer that is no object, as long as its owner lives")
    func owners() {
        // guide: `addObserver(_:owner:)`
        var owner: NSObject? = NSObject()
        let counter = Counter()
        resource.addObserver(counter, owner: owner!)
        resource.overrideLocalContent(with: "1")
        #expect(counter.count.value == 2)
        owner = nil
        resource.overrideLocalContent(with: "2")
        #expect(counter.count.value == 2)
    }

    @Test("addObserver(owner:file:line:closure:): each argument left out and given")
    func closures() {
        let owner = NSObject()
        var seen: [ResourceEvent] = []
        resource.addObserver(owner: owner) { _, event in seen.append(event) }
        resource.addObserver(owner: owner, file: "File.swift", line: 7) { resource, event in seen.append(event) }
        #expect(seen == [.observerAdded, .observerAdded])
        // guide: `ResourceObserverClosure`
        let closure: ResourceObserverClosure = { _, event in seen.append(event) }
        resource.addObserver(owner: owner, closure: closure)
        #expect(seen.count == 3)
    }

    @Test("removeObservers(ownedBy:)")
    func removing() async {
        let observer = Recorder()
        resource.addObserver(observer)
        resource.removeObservers(ownedBy: nil)
        resource.overrideLocalContent(with: "1")
        #expect(observer.events.count == 2)
        resource.removeObservers(ownedBy: observer)
        resource.overrideLocalContent(with: "2")
        #expect(observer.events.count == 2)
        while observer.stopped == 0 { await Task.yield() }
        #expect(observer.stopped == 1)
    }

    @Test("an observer lives by its own owner, or by itself")
    func lifetime() async {
        weak var gone: Recorder?
        do {
            let observer = Recorder()
            gone = observer
            resource.addObserver(observer)
        }
        #expect(gone == nil)

        var model: ViewModel? = ViewModel()
        weak var owned: Recorder?
        if let observer = model?.observer, let model {
            owned = observer
            resource.addObserver(observer, owner: model)
            model.observer = nil
        }
        #expect(owned != nil)
        model = nil
        resource.overrideLocalContent(with: "1")
        // It is still to hear that it has stopped observing.
        while owned != nil { await Task.yield() }
    }

    @Test("observerIdentity tells observers apart")
    func identity() {
        let (one, same, other) = (Named("a"), Named("a"), Named("b"))
        for observer in [one, same, other] { resource.addObserver(observer) }
        let counts: [Int] = [one, same, other].map(\.count)
        #expect(counts == [1, 0, 1])
        let plain = Plain()
        #expect(plain.observerIdentity == plain.observerIdentity)
        #expect(plain.observerIdentity != Plain().observerIdentity)
        let counter = Counter()
        #expect(counter.observerIdentity != counter.observerIdentity)
    }

    @Test("the functions that an observer need not have do nothing")
    func defaults() {
        let observer: ResourceObserver = Plain()
        observer.resourceRequestProgress(for: resource, progress: 0.5)
        observer.stoppedObserving(resource: resource)
        observer.resourceChanged(resource, event: .requested)
        #expect((observer as? Plain)?.count == 1)
    }

    @Test("closures written in a class of no actor are called on the main thread")
    func mainThread() async {
        // guide: Where closures run
        MainQueue.mark()
        let model = ViewModel()
        await end(of: model.follow(resource))
        #expect(model.title == "Hello")
        #expect(model.calls.count >= 6)
        #expect(model.calls.allSatisfy { $0 })
    }

    @Test("events and sources of data as texts")
    func texts() {
        #expect("\(ResourceEvent.NewDataSource.localOverride)" == "localOverride")
        #expect(ResourceEvent.NewDataSource.cache.description == "cache")
        #expect(ResourceEvent.NewDataSource(rawValue: "wipe") == .wipe)
        #expect(ResourceEvent.NewDataSource.network.rawValue == "network")
    }

    @Test("a switch over all events, as old programs have it")
    func exhaustive() {
        func name(_ event: ResourceEvent) -> String {
            switch event {
            case .observerAdded: return "added"
            case .requested: return "requested"
            case .requestCancelled: return "cancelled"
            case .newData(.network), .newData(.cache): return "data"
            case .newData(.localOverride): return "override"
            case .newData(.wipe): return "wipe"
            case .notModified: return "same"
            case .error: return "error"
            }
        }
        #expect(name(.newData(.cache)) == "data")
    }
}
