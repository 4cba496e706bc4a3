internal import ArgumentParser
internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import PigeonREST
internal import PigeonSQLite

/// Does the same for a long time, and looks at what the process holds.
struct Soak: Rig {
    static let configuration = CommandConfiguration(
        abstract: "Steady load, with observers coming and going: memory and open descriptors do not grow.")

    @OptionGroup var options: RigOptions

    /// How much more memory the process may hold in the end than when it was warm, in MB. The allocator's own is not steady.
    private static let mostGrowth = 24
    /// The memory that `URLSession` on Linux leaks for each request, in bytes: at least 165 without this library.
    private static let keptBySession = 256

    @concurrent
    static func attack(_ trial: Trial) async throws {
        for figure in ["turns", "answers"] { trial.count(figure, 0) }
        let load = try await SoakLoad(trial)
        // Three tenths of the time are for the caches, pools and arenas to fill.
        try await load.run(until: .milliseconds(trial.seconds * 300))
        let (memory, descriptors) = (ProcessFigures.memory, ProcessFigures.descriptors)
        let warmTurns = trial.figure("turns")
        var kept: [[UInt8]] = []
        while !trial.isOver {
            try await load.run(until: trial.elapsed + .seconds(1))
            if isSabotaged { kept.append(Array(repeating: 1, count: 20_000_000)) }
        }
        await load.settle()
        let growth = (ProcessFigures.memory - memory) >> 20
        trial.count("MB when warm", memory >> 20)
        trial.count("MB of growth", growth)
        trial.count("descriptors more", ProcessFigures.descriptors - descriptors)
        // Every other turn asks over URLSession.
        let known = (trial.figure("turns") - warmTurns) / 2 * keptBySession >> 20
        if growth > mostGrowth + known { trial.violate("the process holds \(growth) MB more than when it was warm") }
        if ProcessFigures.descriptors > descriptors + 8 {
            trial.violate("\(ProcessFigures.descriptors) descriptors are open, and were \(descriptors)")
        }
        if load.entryCount > SoakLoad.mostEntries {
            trial.violate("\(load.entryCount) entries are kept though nobody observes them")
        }
        await load.stop()
        withExtendedLifetime(kept) {}
    }
}

/// A program with queries, resources and streams, against a server on loopback.
final class SoakLoad: Sendable {
    static let mostEntries = 50

    private let trial: Trial
    private let folder: Folder
    private let server: RawServer
    private let client: QueryClient
    private let dispatchers: [NetworkDispatcher]
    private let service: Service

    init(_ trial: Trial) async throws {
        self.trial = trial
        folder = try Folder()
        server = try await RawServer(keepsHeads: false) { request, wire in
            let body = String(repeating: request.path, count: 20)
            try await wire.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        guard let url = URL(string: "http://127.0.0.1:\(server.port)") else { throw URLError(.badURL) }
        client = QueryClient(cache: try SQLiteQueryCache(at: folder.file("soak.sqlite")))
        dispatchers = TransportKind.allCases.map { NetworkDispatcher(baseURL: url, transport: $0.make()) }
        service = Service(baseURL: url, networking: HTTPTransportProvider(AsyncHTTPClientTransport()), client: client)
    }

    /// How many entries the client keeps.
    var entryCount: Int { client.count }

    func run(until end: Duration) async throws {
        var random = SeededRandom(trial.seed, trial.figure("turns"))
        while trial.elapsed < end {
            let numbers = (0..<16).map { _ in random.number(0..<300) }
            try await withThrowingTaskGroup { group in
                for number in numbers { group.addTask { try await self.turn(number) } }
                try await group.waitForAll()
            }
            trial.count("turns", numbers.count)
        }
    }

    /// Observes, fetches, writes and lets go.
    private func turn(_ number: Int) async throws {
        let dispatcher = dispatchers[number % dispatchers.count]
        let definition = QueryDefinition<String>(QueryKey("soak", number)) { _ in
            try await dispatcher.string(from: .get("/soak/\(number)"))
        }.persisted().keepFor(.milliseconds(50)).tagged("soak")
        let observer = client.observe(definition)
        _ = try await observer.refetch()
        trial.count("answers")
        for await snapshot in observer where snapshot.value != nil { break }
        client.update(definition) { $0 += "!" }
        switch number % 10 {
        case 0: await client.invalidate(.tag("soak"), refetch: .none)
        case 1: _ = service.resource("/things/\(number)").load()
        case 2:
            let task = Task { try await dispatcher.string(from: .get("/cancelled/\(number)")) }
            task.cancel()
            _ = await task.result
        case 3:
            let answer = try await dispatcher.stream(from: .get("/streamed/\(number)"))
            for try await _ in answer.data { break }
        case 4: try await dispatcher.download(from: .get("/file/\(number)"), to: folder.file("file-\(number)"))
        default: break
        }
    }

    /// Waits until what nobody observes has gone.
    func settle() async {
        _ = await client.flush()
        try? await Task.sleep(for: .milliseconds(300))
        client.dropUnobserved()
    }

    func stop() async { await server.stop() }
}
