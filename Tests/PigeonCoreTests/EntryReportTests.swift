import Foundation
import PigeonBase
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Reports about entries, and faults of fetches, for developer tools")
struct EntryReportTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private let key = QueryKey("users", 42)

    private func user(_ fetcher: ScriptedFetcher<String>) -> QueryDefinition<String> {
        QueryDefinition(key.tagged("team"), fetch: fetcher.fetch).staleAfter(.seconds(30)).retry(.standard)
    }

    private func report() throws -> EntryReport { try #require(client.report(of: key)) }

    @Test("a report has the value, what will happen and why a fetch runs", .rule("A67"))
    func content() throws {
        let fetcher = lab.fetcher(returning: String.self)
        #expect(client.report(of: key) == nil)
        let observer = client.observe(user(fetcher))
        #expect(try report().cause == .observed)
        #expect(try report().value == nil)
        fetcher.succeed(with: "Ann")
        lab.advance(by: .seconds(10))
        let report = try report()
        #expect(report.value as? String == "Ann")
        #expect(report.typeName == "String")
        #expect(report.info.observerCount == 1)
        #expect(report.key.tags == ["team"])
        #expect(report.observers.map(\.options.staleAfter) == [.seconds(30)])
        #expect(report.deadlines.map(\.kind) == [.stale])
        #expect(report.deadlines.first?.time == lab.clock.now().advanced(by: .seconds(20)))
        #expect(!report.isStale(at: lab.clock.now()))
        #expect(report.isStale(at: lab.clock.now().advanced(by: .seconds(21))))
        #expect(report.cause == nil)
        withExtendedLifetime(observer) {}
    }

    @Test("a report names the lines that observe, and the cache that stores the value", .rule("A71"))
    func places() throws {
        let client = QueryClient(cache: InMemoryQueryCache())
        let definition = QueryDefinition<String>.value(key)
        let line = #line + 1
        let observers = [client.observe(definition), client.observe(definition) { _ in }]
        let both = client.observe(all: [definition])
        let report = try #require(client.report(of: key))
        let places = [line, line, line + 1].map { "\(#fileID):\($0)" }
        #expect(report.observers.map(\.place) == places)
        #expect(report.cache == nil)
        let stored = client.observe(QueryDefinition("stored") { _ in "" }.persisted())
        #expect(client.report(of: "stored")?.cache is InMemoryQueryCache)
        #expect(client.caches.count == 1)
        withExtendedLifetime((observers, both, stored)) {}
    }

    @Test("a report tells attempts, the error, and when the next one begins", .rule("A67"))
    func attempts() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        fetcher.fail(with: FetchFault.Failure())
        #expect(try report().failedAttempts == 1)
        #expect(try report().deadlines.map(\.kind) == [.retry])
        lab.advance(by: .seconds(60))
        fetcher.fail(with: CocoaError(.fileNoSuchFile))
        #expect(try report().error is CocoaError)
        #expect(try report().failureCount == 1)
        withExtendedLifetime(observer) {}
    }

    @Test("a report shows the server's value beside optimistic changes", .rule("A67"))
    func changes() throws {
        try client.set("Ann", for: .value(key))
        lab.setOnline(false)
        for mark in ["!", "?"] {
            _ = lab.start { [client, key] in
                try await client.mutate(
                    optimistic: { $0.update(.key(key), as: String.self) { $0 += mark } }, { _ in })
            }
        }
        let report = try report()
        #expect(report.value as? String == "Ann!?")
        #expect(report.base as? String == "Ann")
        #expect(report.changes.map { $0.value as? String } == ["Ann!", "Ann!?"])
        #expect(report.changes.allSatisfy { !$0.isConfirmed })
    }

    @Test("the client counts callers whom it answered from memory", .rule("A67"))
    func hits() {
        let fetcher = lab.fetcher(returning: String.self)
        _ = lab.start { [client] in try await client.fetch(user(fetcher)) }
        fetcher.succeed(with: "Ann")
        #expect(client.hitCount == 0)
        for _ in 0..<3 { _ = lab.start { [client] in try await client.fetch(user(fetcher)) } }
        #expect(client.hitCount == 3)
    }

    @Test("reports of several keys are in their order, without those that have no entry", .rule("A67"))
    func several() throws {
        for number in 0..<5 { try client.set(number, for: .value(QueryKey("n", number))) }
        let keys = [3, 9, 1].map { QueryKey("n", $0) }
        #expect(client.reports(of: keys).map { $0.value as? Int } == [3, 1])
        #expect(Set(client.keys) == Set((0..<5).map { QueryKey("n", $0) }))
    }

    @Test("a fetch with a fault fails without its fetcher, and is retried like any other", .rule("A68"))
    func failure() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        fetcher.succeed(with: "Ann")
        client.setFault(.failure, for: .key(key))
        #expect(try report().fault == .failure)
        client.invalidate(.key(key))
        #expect(try report().failedAttempts == 1)
        lab.advance(by: .seconds(120))
        #expect(observer.snapshot.error is FetchFault.Failure)
        #expect(fetcher.calls.count == 1)
        client.setFault(nil, for: .key(key))
        client.invalidate(.key(key))
        fetcher.succeed(with: "Bea")
        #expect(observer.snapshot.value == "Bea")
    }

    @Test("a fetch that hangs ends when it is cancelled, and one that is slow begins late", .rule("A68"))
    func hangAndDelay() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        fetcher.succeed(with: "Ann")
        client.setFault(.hang, for: .path("users"))
        client.invalidate(.key(key))
        lab.advance(by: .seconds(1000))
        #expect(observer.snapshot.isFetching)
        client.cancel(.key(key))
        #expect(!observer.snapshot.isFetching)
        client.setFault(.delay(.seconds(3)), for: .path("users"))
        client.invalidate(.key(key))
        lab.advance(by: .seconds(2))
        #expect(fetcher.calls.count == 1)
        lab.advance(by: .seconds(1))
        #expect(fetcher.calls.count == 2)
        fetcher.succeed(with: "Bea")
        #expect(observer.snapshot.value == "Bea")
        client.removeFaults()
        #expect(try report().fault == nil)
    }

    @Test("page loads have faults too", .rule("A68"))
    func pages() throws {
        let server = PageServer(lab)
        let list = server.list()
        _ = lab.start { [client] in try await client.fetchNextPage(of: list) }
        server.answer("a")
        client.setFault(.failure, for: .query(list))
        let load = lab.start { [client] in try await client.fetchNextPage(of: list) }
        lab.advance(by: .seconds(120))
        #expect(load.error is FetchFault.Failure)
        #expect(server.asked.count == 1)
    }

    @Test("a client that hangs in a fault is freed", .rule("A68"))
    func freed() throws {
        weak var freed: QueryClient?
        do {
            let lab = QueryLab()
            freed = lab.client
            let definition = QueryDefinition<String>("a") { _ in "a" }
            try lab.client.set("b", for: definition)
            lab.client.setFault(.hang, for: .all)
            let observer = lab.client.observe(definition)
            #expect(observer.snapshot.isFetching)
        }
        #expect(freed == nil)
    }
}
