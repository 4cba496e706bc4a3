import Foundation
import PigeonCore
import PigeonSQLite
import TestSupport
import Testing

/// What one client writes to a file, and another one of the same file shows.
@Suite("Clients that share a cache")
struct SharedCacheTests {
    private let file: TestFile
    private let key = QueryKey("users", 1)

    init() throws {
        file = try TestFile()
    }

    private func client() throws -> QueryClient { QueryClient(cache: try file.open()) }
    private var user: QueryDefinition<String> { .value(key).persisted() }

    @Test("a client shows what another instance has written, marked stale and removed", .rule("A66"))
    func shared() async throws {
        let (app, widget) = (try client(), try client())
        let shown = widget.observe(user)
        try app.set("Ann", for: user)
        await app.flush()
        await until { shown.value == "Ann" }
        app.update(user) { $0 = "Bea" }
        await app.flush()
        await until { shown.value == "Bea" }
        await app.invalidate(.path("users"))
        await app.flush()
        await until { shown.snapshot.isInvalidated }
        try await app.clear()
        await until { shown.value == nil }
    }

    @Test("both clients write, and each shows what the other has written last", .rule("A66"))
    func inTurn() async throws {
        let clients = try (0..<2).map { _ in try client() }
        let shown = clients.map { $0.observe(user) }
        for turn in 0..<6 {
            try clients[turn % 2].set("turn \(turn)", for: user)
            await clients[turn % 2].flush()
            await until { shown.allSatisfy { $0.value == "turn \(turn)" } }
        }
    }

    @Test("its own writes are no news for a client", .rule("A66"))
    func own() async throws {
        let news = Locked(0)
        let cache = try file.open()
        let subscription = cache.onChange { _ in news.withLock { $0 += 1 } }
        for round in 0..<5 {
            try cache.fill("own", round..<round + 1)
            try await Task.sleep(for: .milliseconds(60))
        }
        // The first write tells where to count from.
        #expect(news.withLock { $0 } <= 1)
        try file.open().fill("other", 0..<1)
        await until { news.withLock { $0 } == 2 }
        subscription?.cancel()
        try file.open().fill("other", 1..<2)
        try await Task.sleep(for: .milliseconds(100))
        #expect(news.withLock { $0 } == 2)
    }

    @Test("a file that was moved aside is followed at its old place, and takes nothing from memory", .rule("A66"))
    func replaced() async throws {
        let (app, widget) = (try client(), try client())
        try app.set("Ann", for: user)
        await app.flush()
        let shown = widget.observe(user)
        #expect(shown.value == "Ann")
        try file.moveAway()
        try app.set("Bea", for: user)
        await app.flush()
        await until { shown.value == "Bea" }
    }

    @Test("a client that is released follows nothing any more", .rule("A66"))
    func released() async throws {
        let other = try file.open()
        weak var released: QueryClient?
        do {
            let client = try client()
            _ = client.value(of: user)
            try client.set("Ann", for: user)
            await client.flush()
            released = client
        }
        try other.fill("users", 0..<3)
        await until { released == nil }
    }

    #if os(Linux)
        @Test("a process shows within a second what another process has written", .rule("A66"))
        func process() async throws {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-shared-\(getpid())")
            defer { try? FileManager.default.removeItem(at: place) }
            let cache = try SQLiteQueryCache(at: place.appendingPathComponent("a.sqlite"))
            let widget = QueryClient(cache: cache)
            let shown = widget.observe(user)
            await #expect(processExitsWith: .success) {
                endProcess(after: 50)
                let place = FileManager.default.temporaryDirectory
                    .appendingPathComponent("pigeon-shared-\(getppid())/a.sqlite")
                let app = QueryClient(cache: try SQLiteQueryCache(at: place))
                try app.set("Ann", for: QueryDefinition<String>.value(QueryKey("users", 1)).persisted())
                await app.flush()
            }
            let ended = ContinuousClock.now
            await until { shown.value == "Ann" }
            #expect(ContinuousClock.now - ended < .seconds(10))
        }
    #endif
}
