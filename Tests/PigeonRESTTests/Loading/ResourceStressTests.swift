import Foundation
import PigeonCore
@testable import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Resources under many threads")
struct ResourceStressTests {
    /// Follows a resource, and checks the events that it receives.
    private final class Check: Sendable {
        private struct State {
            var isRemoved = false
            var faults: [String] = []
            var last: (version: UInt64, body: String)?
        }

        private let state = Locked(State())
        var faults: [String] { state.withLock { $0.faults } }
        var last: String? { state.withLock { $0.last?.body } }

        func end() { state.withLock { $0.isRemoved = true } }

        func hear(_ eventRecord: EventRecord) {
            let body = eventRecord.entryState?.entity?.typedContent() as Data?
            state.withLock { state in
                let version = eventRecord.entryState?.version ?? 0
                if let last = state.last, last.version > version {
                    state.faults.append("\(eventRecord.event) comes late")
                }
                state.last = (version, body.map { String(decoding: $0, as: UTF8.self) } ?? "")
            }
        }

        func hear(_ event: ResourceEvent) {
            state.withLock { state in
                if state.isRemoved { state.faults.append("\(event) after removal") }
            }
        }
    }

    @Test("events come in the order of what happened, none after removal, and the last shows what is there")
    func invariants() async {
        let provider = AnsweringProvider()
        let service = Service(
            baseURL: "https://api.test", standardTransformers: [], networking: provider, client: QueryClient(),
            callbacks: .immediate)
        let resource = service.resource("/a")
        let check = Check()
        let observation = resource.follow { check.hear($0) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<60 {
                        switch (task + number) % 8 {
                        case 0: resource.load()
                        case 1: resource.loadIfNeeded()
                        case 2: resource.show("\(task) \(number)")
                        case 3: resource.wipe()
                        case 4: resource.invalidate()
                        case 5: service.invalidateConfiguration()
                        case 6: resource.load().cancel()
                        default: Self.comeAndGo(resource, check)
                        }
                        if number % 10 == 0 { await Task.yield() }
                    }
                }
            }
        }
        await until { !resource.isLoading && !resource.isRequesting }
        resource.show("end")
        await until { check.last == "end" }
        #expect(check.faults.isEmpty)
        #expect(resource.body == "end")
        #expect(resource.loadRequests.isEmpty)
        resource.remove(observation)
        #expect(!resource.isObserved)
    }

    @Test("An event of a load has the newest state that was recorded before it, or else the first one")
    func pictureOfEvent() {
        let service = Service(baseURL: "https://api.test", networking: ManualProvider(), client: QueryClient())
        let resource = service.resource("/a")
        let entryStates = ["a", "b", "c"].compactMap { text in
            resource.show(text)
            return resource.entryState
        }
        var hub = ObserverHub()
        _ = hub.add(Observation(.listener { _ in }), nil, retaining: nil)
        _ = hub.beginAttaching(nil)
        hub.post(.requested, hasOtherRequests: false)  // before the first state
        for (index, entryState) in [entryStates[1], entryStates[0], entryStates[2]].enumerated() {
            let replaced = hub.record(entryState, hasOtherRequests: false)
            #expect(replaced === (index == 2 ? entryStates[1] : nil), "the second one is outdated")
            hub.post(.requested, hasOtherRequests: false)
        }
        var told: [String] = []
        var step = hub.beginDelivering()
        while let next = step {
            told.append("\(next.eventRecord.event) \(next.eventRecord.entryState?.version ?? 0)")
            step = hub.next()
        }
        let (second, third) = (entryStates[1].version, entryStates[2].version)
        #expect(
            told == [
                "requested \(second)", "requested \(second)", "requested \(second)", "newData(localOverride) \(third)",
                "requested \(third)",
            ])
    }

    private static func comeAndGo(_ resource: Resource, _ check: Check) {
        let owner = Owner()
        let mine = Check()
        resource.addObserver(owner: owner) { _, event in mine.hear(event) }
        resource.removeObservers(ownedBy: owner)
    }

    @Test("loads that begin on many threads at once are one load, where each asks only if needed")
    func oneLoad() async {
        for _ in 0..<50 {
            let provider = ManualProvider()
            let service = Service(
                baseURL: "https://api.test", standardTransformers: [], networking: provider, client: QueryClient(),
                callbacks: .immediate)
            let resource = service.resource("/a")
            let requests = await withTaskGroup(of: (any Request)?.self) { group in
                for _ in 0..<8 { group.addTask { resource.loadIfNeeded() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(provider.exchanges.count == 1)
            #expect(Set(requests.map { $0.map { ObjectIdentifier($0) } }).count == 1)
            provider.last?.answer("Ann")
            await until { !resource.isLoading }
        }
    }

    @Test("requests that are answered and cancelled at once end once")
    func endOnce() async {
        for _ in 0..<200 {
            let operation = ManualOperation()
            let request = Resource.prepareRequest(using: operation, callbacks: .immediate)
            let ends = Recorder<Bool>()
            request.onCompletion { ends.append($0.response.isCancellation) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { request.start() }
                group.addTask { operation.answer("Ann") }
                group.addTask { request.cancel() }
            }
            await ends.wait(for: 1)
            #expect(ends.all.count == 1)
            #expect(request.state == .completed)
        }
    }
}

/// Answers each request at once, on another thread.
private final class AnsweringProvider: NetworkingProvider {
    func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        let exchange = ManualExchange(request, completion)
        Task { exchange.answer("answer") }
        return exchange
    }
}
