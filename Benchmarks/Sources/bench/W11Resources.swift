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

private final class Told: Sendable {
    let count = Atomic(0)
}

/// All observe one resource, each with an owner of its own. What each costs does not depend on how many there are.
private func measureObservers(_ recorder: Recorder) {
    var times: [Int: Double] = [:]
    for count in [100, 1000, 3000, 10_000] {
        let service = service()
        let resource = service.resource("/users/1")
        let rounds = 10_000 / count
        let time = recorder.median {
            let owners = (0..<count).map { _ in Owner() }
            return nanoseconds {
                for _ in 0..<rounds {
                    for owner in owners { resource.addObserver(owner: owner) { _, _ in } }
                    for owner in owners { resource.removeObservers(ownedBy: owner) }
                }
            } / Double(count * rounds) / 1000
        }
        times[count] = time
        recorder.record(
            "W11.observe\(count)", "add and remove an observer, \(count) at one resource", .microseconds, time,
            target: count == 3000 ? 4 : nil)
    }
    guard let few = times[100], let many = times[10_000] else { return }
    recorder.record("W11.growth", "10,000 observers beside 100", .times, many / few, floor: 1)
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
    let definition = QueryDefinition<Int>.value("w11")
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
    let session = URLSessionTransport(configuration: .ephemeral)
    try await measureLoads(recorder, server.url, over: session, "W11.load", "URLSession", count: 300)
    let client = AsyncHTTPClientTransport()
    try await measureLoads(recorder, server.url, over: client, "W11.load.ahc", "AsyncHTTPClient", count: 1000)
    try await server.stop()
    try await measureMockedLoads(recorder)
}

/// The loads and the same requests without resources, in turn, so that what else the machine does meets both.
private func measureLoads(
    _ recorder: Recorder, _ root: URL, over transport: any HTTPTransport, _ name: String, _ client: String, count: Int
) async throws {
    let service = Service(
        baseURL: root.absoluteString, standardTransformers: [], networking: HTTPTransportProvider(transport),
        client: QueryClient())
    let dispatcher = NetworkDispatcher(baseURL: root, transport: transport)
    let resource = service.resource("/articles/1")
    let request = BasicRequest(method: .get, path: "/articles/1")
    var (loads, bare): ([Double], [Double]) = ([], [])
    for round in 0...recorder.repetitions {
        let floor =
            try await nanoseconds {
                for _ in 0..<count { use(try await dispatcher.response(from: request)) }
            } / Double(count) / 1000
        let load =
            try await nanoseconds {
                for _ in 0..<count { use(try await resource.loaded()) }
            } / Double(count) / 1000
        guard round > 0 else { continue }
        bare.append(floor)
        loads.append(load)
    }
    recorder.record(
        name, "load a resource over \(client), beside PigeonHTTP alone", .microseconds, loads.middle,
        floor: bare.middle)
    recorder.record(
        "\(name).cost", "the same, time beside PigeonHTTP alone", .times, zip(loads, bare).map { $0 / $1 }.middle,
        floor: 1, target: 1.1)
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
