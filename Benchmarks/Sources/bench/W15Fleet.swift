internal import Foundation
internal import PigeonCore
internal import PigeonRedis

/// W15: a fleet over Redis: values that another process has fetched, and invalidations that reach others.
func measureFleet(_ recorder: Recorder) async throws {
    let server = try await RedisProcess()
    defer { server.kill() }
    let writer = try await server.client()
    let count = 10_000
    try await together(count) { id in _ = try await writer.fetch(stock(id)) }
    let probe = try RedisStore(server.address)
    // Values are saved behind the callers' backs.
    for id in 0..<count { while try await probe.value(for: stock(id).key) == nil { await Task.yield() } }
    try await measureHits(recorder, server)
    try await measureInvalidations(recorder, server, writer, count)
}

private func stock(_ id: Int) -> QueryDefinition<User> {
    QueryDefinition("w15", id) { _ in User(id) }.staleAfter(.seconds(3600)).tagged("w15").shared()
}

private func together(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<64 {
            group.addTask { for id in stride(from: lane, to: count, by: 64) { try await body(id) } }
        }
        try await group.waitForAll()
    }
}

private func measureHits(_ recorder: Recorder, _ server: RedisProcess) async throws {
    for (name, subject, width) in [("W15.hit", "a value that Redis has", 1), ("W15.hit64", "the same, 64 at once", 64)]
    {
        let floor = try server.microsecondsForGET(clients: width)
        let time = try await recorder.median {
            let client = try await server.client()
            let count = width == 1 ? 2000 : 10_000
            return try await nanoseconds {
                if width == 1 {
                    for id in 0..<count { _ = try await client.fetch(stock(id)) }
                } else {
                    try await together(count) { id in _ = try await client.fetch(stock(id)) }
                }
            } / Double(count) / 1000
        }
        recorder.record(
            name, "\(subject), fetched by a client that has it not; floor: GET by redis-benchmark", .microseconds, time,
            floor: floor, target: floor * 1.3)
    }
}

private func measureInvalidations(
    _ recorder: Recorder, _ server: RedisProcess, _ writer: QueryClient, _ count: Int
) async throws {
    var others: [QueryClient] = []
    for _ in 0..<3 {
        let client = try await server.client()
        try await together(count) { id in _ = try await client.fetch(stock(id)) }
        others.append(client)
    }
    for (name, subject, filter, target) in [
        ("W15.key", "one key", KeyFilter.query(stock(1)), 2.0), ("W15.tag", "10,000 keys by a tag", .tag("w15"), 50),
    ] {
        let time = try await recorder.median {
            for client in others { _ = try await client.fetch(stock(1)) }
            return try await nanoseconds {
                await writer.invalidate(filter)
                for client in others {
                    while !client.snapshot(of: stock(1)).isStale { await Task.yield() }
                }
            } / 1e6
        }
        recorder.record(
            name, "\(subject) invalidated, until three other clients know it", .milliseconds, time, floor: nil,
            target: target)
    }
}

/// A Redis server of the bench's own. It keeps nothing on disk.
private final class RedisProcess: @unchecked Sendable {  // used by one task at a time
    private let port = Int.random(in: 20_000..<30_000)
    private let process = Process()

    init() async throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    var address: String { "redis://127.0.0.1:\(port)" }

    func kill() {
        process.terminate()
        process.waitUntilExit()
    }

    /// A client that knows the log.
    func client() async throws -> QueryClient {
        let client = QueryClient(fleet: Fleet.Setup(store: try RedisStore(address)))
        while !(client.fleet?.isConnected ?? true) { try await Task.sleep(for: .milliseconds(1)) }
        return client
    }

    /// What redis-benchmark, which uses hiredis, takes for a GET.
    func microsecondsForGET(clients: Int) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "redis-benchmark", "-p", "\(port)", "-c", "\(clients)", "-n", "20000", "-d", "150", "-t", "get", "--csv",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // "GET","28000.00",…
        let fields = text.split(separator: "\n").last?.split(separator: ",") ?? []
        let rate = fields.count > 1 ? Double(fields[1].filter { $0 != "\"" }) : nil
        return 1e6 / (rate ?? .nan)
    }
}
