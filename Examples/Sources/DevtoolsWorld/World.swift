import DemoHTTP
import DemoServer
import Foundation
import PigeonCore
import PigeonOutbox
import PigeonHTTP
import PigeonSQLite

/// A client with a server of its own, and something that happens all the time.
final class World: Sendable {
    let client: QueryClient
    /// A second client, with results of searches.
    let search: QueryClient

    private let server: DemoServer
    private let folder: URL
    private let seed: UInt64
    private let staysOnline: Bool

    /// The time between two happenings.
    private static let beat = Duration.milliseconds(400)

    private init(_ server: DemoServer, in folder: URL, seed: UInt64, staysOnline: Bool) throws {
        (self.server, self.folder, self.seed, self.staysOnline) = (server, folder, seed, staysOnline)
        let api = NetworkDispatcher(baseURL: server.url)
        let store = try SQLiteMutationStore(at: folder.appendingPathComponent("outbox.sqlite"))
        client = QueryClient(
            cache: try SQLiteQueryCache(at: folder.appendingPathComponent("cache.sqlite")),
            outbox: Outbox.Setup(store: store, mutations: [RetitlePost.self]), dependencies: Dependencies(api),
            budget: 8 << 20)
        search = QueryClient(dependencies: Dependencies(api))
    }

    static func start(seed: UInt64, staysOnline: Bool) async throws -> World {
        let server = try await DemoServer.start(seed: seed)
        server.latency = .milliseconds(80)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "devtools-world-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try World(server, in: folder, seed: seed, staysOnline: staysOnline)
    }

    func stop() async throws {
        try await server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Adds values that nobody observes.
    func add(entries count: Int) throws {
        for number in 0..<count {
            let user = User(id: number, name: "User \(number)", email: "\(number)@example.com")
            try client.set(user, for: .value(QueryKey("archive", number / 100, number)))
        }
    }

    /// Writes values, so many a second, until the task is cancelled.
    func write(times rate: Int) async {
        let keys = (0..<1000).map { QueryKey("storm", $0) }
        var count = 0
        while rate > 0, !Task.isCancelled {
            for _ in 0..<max(1, rate / 100) {
                try? client.set(count, for: .value(keys[count % keys.count]))
                count += 1
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Lets something happen, again and again.
    ///
    /// - Parameter goesOn: Asked before each happening.
    func live(while goesOn: () -> Bool) async {
        var random = SeededRandom(seed: seed)
        try? client.set(Session(token: "not for others"), for: .session)
        var screens: [AnyObject] = [client.observe(.clock), client.observe(.feed)]
        for id in 1...4 { screens.append(client.observe(.user(id))) }
        for number in 0... where goesOn() {
            await happen(number, &screens, &random)
            try? await Task.sleep(for: Self.beat)
        }
    }

    private func happen(_ number: Int, _ screens: inout [AnyObject], _ random: inout SeededRandom) async {
        let (user, post) = (random.number(in: 1...10), random.number(in: 1...30))
        switch number % 12 {
        case 0, 6: screens.append(client.observe(.post(post)))
        case 1: start { await self.client.prefetch(.user(user)) }
        case 2: client.invalidateWithoutWaiting(number % 24 == 2 ? .tag("posts") : .query(.user(user)))
        case 3: start { try await self.client.mutate(RenamePost(id: post, title: "Renamed \(number)")) }
        case 4: _ = try? await client.enqueue(RetitlePost(id: post, title: "Retitled \(number)"))
        case 5: start { try await self.client.fetchNextPage(of: .feed) }
        case 7: server.faults = .failing(["/users/\(user)"], status: 503, times: 2)
        case 8: start { try await self.search.fetch(.user(user)) }
        case 9 where number % 36 == 9 && !staysOnline: await goOffline(post)
        case 10: if screens.count > 10 { screens.removeSubrange(6..<8) }
        case 11 where number % 48 == 11:
            // More than the server allows: it is refused for good, and set aside.
            _ = try? await client.enqueue(RetitlePost(id: post, title: String(repeating: "too long ", count: 20)))
        default: client.invalidateWithoutWaiting(.query(.user(user)))
        }
    }

    private func goOffline(_ post: Int) async {
        client.environment.connectivity.set(false)
        _ = try? await client.enqueue(RetitlePost(id: post, title: "Written offline"))
        try? await Task.sleep(for: .seconds(2))
        client.environment.connectivity.set(true)
    }

    private func start(_ work: @escaping @Sendable () async throws -> some Sendable) {
        Task { _ = try? await work() }
    }
}
