internal import Foundation
internal import PigeonHTTP
internal import PigeonREST
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// W11: resources of a service.
func measureResources(_ recorder: Recorder) async throws {
    measureLookups(recorder)
    measureObservers(recorder)
    try measureEvents(recorder)
    try await measureLoads(recorder)
}

private func service() -> Service {
    Service(
        baseURL: "https://api.example.com/v1", networking: HTTPTransportProvider(MockTransport()),
        client: QueryClient())
}

// MARK: Look-ups

private func measureLookups(_ recorder: Recorder) {
    let count = 20_000
    let service = service()
    let paths = (0..<count).map { "/users/\($0)/repositories" }
    let resources = paths.map { service.resource($0) }
    let urls = resources.map(\.url)
    let order = scattered(count)
    let table = Dictionary(uniqueKeysWithValues: zip(paths, resources))
    let floor = recorder.median {
        nanoseconds { for index in order { use(table[paths[index]]) } } / Double(count) / 1000
    }
    let byPath = recorder.median {
        nanoseconds { for index in order { use(service.resource(paths[index])) } } / Double(count) / 1000
    }
    let byURL = recorder.median {
        nanoseconds { for index in order { use(service.resource(absoluteURL: urls[index])) } } / Double(count) / 1000
    }
    let fresh = fresh(recorder)
    recorder.record("W11.path", "look up a resource by path", .microseconds, byPath, floor: floor, target: 1)
    recorder.record("W11.url", "look up a resource by URL", .microseconds, byURL, floor: floor, target: nil)
    recorder.record("W11.fresh", "loadIfNeeded of fresh data", .nanoseconds, fresh, floor: nil, target: 300)
    withExtendedLifetime(resources) {}
}

private func fresh(_ recorder: Recorder) -> Double {
    let (count, rounds) = (1000, 20)
    let service = service()
    let resources = (0..<count).map { service.resource("/users/\($0)") }
    for resource in resources { resource.overrideLocalContent(with: "content") }
    let order = scattered(count)
    return recorder.median {
        nanoseconds {
            for _ in 0..<rounds { for index in order { use(resources[index].loadIfNeeded()) } }
        } / Double(count * rounds)
    }
}

// MARK: Observers

private final class Owner: Sendable {}

private final class Told: Sendable {
    let count = Atomic(0)
}

private func measureObservers(_ recorder: Recorder) {
    let (batch, rounds) = (100, 100)
    let service = service()
    let resource = service.resource("/users/1")
    let time = recorder.median {
        let owners = (0..<batch).map { _ in Owner() }
        return nanoseconds {
            for _ in 0..<rounds {
                for owner in owners { resource.addObserver(owner: owner) { _, _ in } }
                for owner in owners { resource.removeObservers(ownedBy: owner) }
            }
        } / Double(batch * rounds) / 1000
    }
    recorder.record(
        "W11.observe", "add and remove an observer, 100 at a time", .microseconds, time, floor: nil, target: nil)
}

private func measureEvents(_ recorder: Recorder) throws {
    let (observers, events) = (1000, 200)
    let notifications = Double(observers * events)
    let service = service()
    let resource = service.resource("/users/1")
    let counter = Counter()
    let owner = Owner()
    let told = Told()
    for _ in 0..<observers {
        resource.addObserver(owner: owner) { _, _ in told.count.add(1, ordering: .relaxed) }
    }
    // They are told on the main thread, which is another one than this.
    let measured = recorder.median {
        let end = told.count.load(ordering: .relaxed) + observers * events
        return nanoseconds {
            for number in 0..<events { resource.overrideLocalContent(with: number) }
            while told.count.load(ordering: .relaxed) < end { usleep(50) }
        }
    }
    let client = QueryClient()
    let definition = QueryDefinition<Int>.value(at: "w11")
    let held = (0..<observers).map { _ in client.observe(definition) { _ in counter.add() } }
    let query = try recorder.median {
        try nanoseconds { for number in 0..<events { try client.set(number, for: definition) } }
    }
    recorder.record(
        "W11.notify", "events, 1,000 observers × 200", .millionsPerSecond, notifications / measured * 1000,
        floor: notifications / query * 1000, target: nil)
    withExtendedLifetime((held, owner)) {}
}

// MARK: Loads

private func measureLoads(_ recorder: Recorder) async throws {
    let server = try await Loopback.start()
    let transport = URLSessionTransport(configuration: .ephemeral)
    let service = Service(
        baseURL: server.url.absoluteString, standardTransformers: [], networking: HTTPTransportProvider(transport),
        client: QueryClient())
    let dispatcher = NetworkDispatcher(baseURL: server.url, transport: transport)
    let resource = service.resource("/articles/1")
    let request = BasicRequest(method: .get, path: "/articles/1")
    let count = 300
    var (loads, bare): ([Double], [Double]) = ([], [])
    for _ in 0..<5 {
        bare.append(
            try await nanoseconds {
                for _ in 0..<count { use(try await dispatcher.response(from: request)) }
            } / Double(count) / 1000)
        loads.append(
            try await nanoseconds {
                for _ in 0..<count { use(try await resource.loaded()) }
            } / Double(count) / 1000)
    }
    let (load, floor) = (loads.sorted()[2], bare.sorted()[2])
    recorder.record(
        "W11.load", "load a resource, beside PigeonHTTP alone", .microseconds, load, floor: floor, target: nil)
    try await server.stop()
    try await measureMockedLoads(recorder)
}

/// Without a network: what a load costs by itself.
private func measureMockedLoads(_ recorder: Recorder) async throws {
    let transport = MockTransport()
    transport.answer(.get, "/articles/:id", with: .text("an article"))
    let service = Service(
        baseURL: "https://api.test", standardTransformers: [], networking: transport, client: QueryClient())
    let resource = service.resource("/articles/1")
    let server = FixedServer(URL(string: "https://api.test"))
    let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
    let request = BasicRequest(method: .get, path: "/articles/1")
    let count = 2000
    let floor = try await recorder.median {
        try await nanoseconds {
            for _ in 0..<count { use(try await dispatcher.response(from: request)) }
        } / Double(count) / 1000
    }
    let time = try await recorder.median {
        try await nanoseconds { for _ in 0..<count { use(try await resource.loaded()) } } / Double(count) / 1000
    }
    recorder.record("W11.load.own", "the same without a network", .microseconds, time, floor: floor, target: nil)
}
