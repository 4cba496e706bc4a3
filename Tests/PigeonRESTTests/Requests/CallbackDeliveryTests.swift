import Foundation
import PigeonBase
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

/// The closures here belong to no actor. They are written in nonisolated functions, as in the model classes of old
/// programs.
@Suite("Where the program's closures are called")
struct CallbackDeliveryTests {
    private let heard = Recorder<String>()

    private func note(_ what: String) {
        heard.append("\(what) \(MainActor.isCurrent ? "on main" : "elsewhere")")
    }

    private func isAsExpected(_ callbacks: CallbackDelivery) -> Bool {
        heard.all.allSatisfy { $0.hasSuffix(callbacks == .main ? "on main" : "elsewhere") }
    }

    @Test(
        "observers hear events on the main actor, and where they happen if the service says so", .rule("U4"),
        arguments: [CallbackDelivery.main, .immediate])
    func observers(_ callbacks: CallbackDelivery) async {
        let bench = RESTBench(callbacks: callbacks)
        let resource = bench.resource()
        resource.addObserver(owner: bench.owner) { _, event in note("\(event)") }
        resource.load()
        bench.answer("Ann")
        await heard.wait(for: 3)
        #expect(heard.all.map { $0.prefix { $0 != " " } } == ["observerAdded", "requested", "newData(network)"])
        #expect(isAsExpected(callbacks))
    }

    @Test(
        "hooks are called on the main actor, those that decorators attach as well", .rule("U4"),
        arguments: [CallbackDelivery.main, .immediate])
    func hooks(_ callbacks: CallbackDelivery) async {
        let bench = RESTBench(callbacks: callbacks)
        bench.service.configure("**") {
            $0.decorateRequests { _, request in request.onFailure { _ in note("decorator") } }
        }
        let request = bench.resource().load()
        request.onCompletion { _ in note("completion") }
        request.onFailure { _ in note("failure") }
        request.onProgress { if $0 == 1 { note("progress") } }
        bench.fail()
        await heard.wait(for: 4)
        #expect(isAsExpected(callbacks))
        let good = bench.resource("/good").load()
        good.onSuccess { _ in note("success") }
        good.onNewData { _ in note("new data") }
        bench.answer("Ann", headers: ["ETag": "\"1\""])
        await heard.wait(for: 6)
        let same = bench.resource("/good").load()
        same.onNotModified { note("not modified") }
        bench.answer(status: 304)
        await heard.wait(for: 7)
        #expect(isAsExpected(callbacks))
    }

    @Test("a chain's closure is called where hooks are", .rule("U4"), arguments: [CallbackDelivery.main, .immediate])
    func chains(_ callbacks: CallbackDelivery) async {
        let bench = RESTBench(callbacks: callbacks)
        let chain = bench.resource().load().chained { _ in
            note("chained")
            return .useThisResponse
        }
        bench.answer("Ann")
        _ = await chain.response()
        #expect(heard.all.count == 1)
        #expect(isAsExpected(callbacks))
    }

    @Test(
        "what follows a load that was let be is called there too", .rule("U4"),
        arguments: [CallbackDelivery.main, .immediate])
    func afterDelay(_ callbacks: CallbackDelivery) async {
        let bench = RESTBench(callbacks: callbacks)
        bench.resource().cancelLoadIfUnobserved(afterDelay: 1) { note("let be") }
        bench.lab.advance(by: .seconds(1))
        await heard.wait(for: 1)
        #expect(isAsExpected(callbacks))
    }

    @Test("publishers deliver where the service's callbacks are, unless they are told otherwise", .rule("U4"))
    func publishers() async {
        let bench = RESTBench(callbacks: .immediate)
        let states: AnyPublisher<ResourceState<Data>, Never> = bench.resource().statePublisher()
        let subscription = states.sink { _ in note("state") }
        #expect(!heard.all.isEmpty)
        #expect(isAsExpected(.immediate))
        subscription.cancel()
    }

    @Test("a closure that is written on an actor is called on that, whatever the service says", .rule("U4"))
    func ownActor() async {
        let bench = RESTBench(callbacks: .main)
        let worker = Worker()
        await worker.follow(bench.resource(), for: bench.owner)
        bench.resource().load()
        bench.answer("Ann")
        await until { await worker.heard >= 3 }
    }

    private actor Worker {
        var heard = 0

        func follow(_ resource: Resource, for owner: Owner) {
            resource.addObserver(owner: owner) { _, _ in
                self.preconditionIsolated()
                self.heard += 1
            }
        }
    }

    @Test("on the main actor a closure hears what a call does within that call", .rule("U4")) @MainActor
    func withinCall() {
        let bench = RESTBench(callbacks: .main)
        let resource = bench.resource()
        let listener = Listener()
        listener.follow(resource, heard)
        #expect(heard.all == ["observerAdded"])
        resource.load()
        #expect(heard.all == ["observerAdded", "requested"])
        resource.show("mine")
        #expect(heard.all == ["observerAdded", "requested", "newData(localOverride)"])
    }

    /// Not isolated to an actor.
    private final class Listener: Sendable {
        func follow(_ resource: Resource, _ heard: Recorder<String>) {
            resource.addObserver(owner: self) { _, event in heard.append("\(event)") }
        }
    }
}
