import DemoServer
import Foundation
import NIOConcurrencyHelpers
import Pigeon
import PigeonHTTP
import PigeonSQLite

/// One thing that the demo shows.
@MainActor
protocol Scene {
    static var title: String { get }
    /// What only the demo's own server can do; `nil` for a scene that any server will do for.
    static var need: String? { get }
    static func play(_ stage: Stage) async throws
}

extension Scene {
    static var need: String? { nil }
}

/// What scenes are played with: one client, one cache, one server, and the books.
@MainActor
final class Stage {
    let timeline: Timeline
    let api: NetworkDispatcher
    let traffic: Traffic
    let root: URL
    let client: QueryClient
    let cache: SQLiteQueryCache
    let file: URL
    /// The demo's own server; `nil` when it talks to another.
    let server: DemoServer?
    /// What is run for a second process. `nil` stays in this one.
    let program: URL?

    /// How long the demo's own server takes to answer.
    static let latency = Duration.milliseconds(40)

    private let given = NIOLockedValueBox(0)
    private(set) var claims: [(text: String, holds: Bool)] = []
    /// The requests of other processes, as far as the server does not count them itself.
    private var otherCounts = Traffic.Counts()
    private let events: QuerySubscription

    init(timeline: Timeline, url: URL, directory: URL, server: DemoServer?, program: URL?) throws {
        file = directory.appendingPathComponent("queries.sqlite")
        cache = try SQLiteQueryCache(at: file)
        client = QueryClient(cache: cache)
        traffic = Traffic(timeline)
        api = traffic.dispatcher(for: url)
        root = url
        self.timeline = timeline
        self.server = server
        self.program = program
        events = client.onEvent { timeline.say($0) }
    }

    /// All there is to count so far. Requests are counted by the server if it is the demo's own.
    var tally: Tally {
        let counts = traffic.counts
        return Tally(
            reads: reads, requests: server?.requests.count ?? counts.sent + otherCounts.sent,
            notModified: server?.requests.notModified ?? counts.notModified + otherCounts.notModified,
            failures: counts.failed + otherCounts.failed)
    }

    /// How many requests got an answer, as this end counts them.
    var answered: Int {
        let counts = traffic.counts
        return counts.sent - counts.lost + otherCounts.sent - otherCounts.lost
    }

    /// Says what the program does.
    func say(_ text: String) {
        timeline.say(.app, text)
    }

    /// How often a screen or a caller was given data.
    nonisolated var reads: Int { given.withLockedValue { $0 } }

    /// Says that a screen or a caller was given data, and counts it.
    nonisolated func read(_ text: String, times: Int = 1) {
        given.withLockedValue { $0 += times }
        timeline.say(.app, text)
    }

    /// Takes down what another process read and asked for.
    func add(reads more: Int, _ counts: Traffic.Counts) {
        given.withLockedValue { $0 += more }
        otherCounts = otherCounts + counts
    }

    /// Holds the demo to what it promises.
    func check(_ claim: String, _ holds: Bool) {
        claims.append((claim, holds))
        timeline.conclude(claim, holds)
    }

    /// Leaves out what the client and the HTTP layer say meanwhile.
    func quietly<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        timeline.mute(true)
        defer { timeline.mute(false) }
        return try await work()
    }

    /// Opens a screen, which shows each new value of a query until the task is cancelled.
    func screen<Value: Equatable & Sendable>(
        of query: Query<Void, Value>, _ show: @escaping (Value) -> Void
    ) -> Task<Void, Never> {
        Task {
            var shown: Value?
            for await snapshot in query.snapshots {
                guard let value = snapshot.value, value != shown else { continue }
                shown = value
                show(value)
            }
        }
    }

    /// Waits until something is so.
    func until(_ event: String, _ holds: () -> Bool) async throws {
        let limit = timeline.now.advanced(by: .seconds(10))
        while !holds() {
            guard timeline.now < limit else { throw DemoFailure.waitedTooLong(for: event) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
