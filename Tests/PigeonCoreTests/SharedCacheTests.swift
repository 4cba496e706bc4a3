import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("A cache that others change")
struct SharedCacheTests {
    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private var client: QueryClient { lab.client }
    private let start = Date(timeIntervalSinceReferenceDate: 0)
    private let key = QueryKey("users", 1)

    init() {
        lab = QueryLab(cache: store)
    }

    private func user(_ fetcher: ScriptedFetcher<String>) -> QueryDefinition<String> {
        QueryDefinition(key, fetch: fetcher.fetch).staleAfter(.seconds(60)).persisted()
    }

    private func record(
        _ value: String, at seconds: Double, isStale: Bool = false, schema: Int = 0
    ) throws -> QueryRecord {
        QueryRecord(
            data: try JSONEncoder().encode([value]), savedAt: start.addingTimeInterval(seconds), schema: schema,
            isStale: isStale)
    }

    @Test("a newer record is shown, with its own age, and is neither fetched nor written again", .rule("A66"))
    func newer() throws {
        try store.put("Ann", for: key, savedAt: start)
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        lab.advance(by: .seconds(40))
        store.changeFromOutside(.save(try record("Bea", at: 30), for: key))
        #expect(observer.value == "Bea")
        #expect(observer.snapshot.age == .seconds(10))
        #expect(lab.log == ["users/1 hydrated", "users/1 hydrated (another process)"])
        lab.advance(by: .seconds(49))
        #expect(!observer.snapshot.isStale)
        lab.advance(by: .seconds(1))
        #expect(observer.snapshot.isStale)
        lab.flush()
        #expect(fetcher.calls.isEmpty && store.batches.isEmpty)
    }

    @Test("an entry that is not observed takes the record too, so that its next reader sees it", .rule("A66"))
    func unobserved() throws {
        try store.put("Ann", for: key, savedAt: start)
        let definition = QueryDefinition<String>.value(key).persisted()
        #expect(client.value(of: definition) == "Ann")
        store.changeFromOutside(.save(try record("Bea", at: 0.001), for: key))
        #expect(client.value(of: definition) == "Bea")
    }

    @Test("a record that appears is shown by an entry that had none", .rule("A66"))
    func first() throws {
        let observer = client.observe(QueryDefinition<String>.value(key).persisted())
        #expect(observer.value == nil)
        store.changeFromOutside(.save(try record("Ann", at: -5), for: key))
        #expect(observer.value == "Ann")
    }

    @Test("what this client wrote itself is not read as the change of another", .rule("A66"))
    func own() throws {
        let definition = QueryDefinition<String>.value(key).persisted()
        let observer = client.observe(definition)
        lab.advance(by: .seconds(5))
        try client.set("Ann", for: definition)
        lab.flush()
        let version = observer.snapshot.valueCount
        store.changeFromOutside()
        lab.shiftWallClock(by: .seconds(-100))
        store.changeFromOutside()
        #expect(observer.value == "Ann")
        #expect(observer.snapshot.valueCount == version)
    }

    @Test(
        "what another wrote last counts, also if it was received earlier, as a change on top of an older value",
        .rule("A66"))
    func older() throws {
        try store.put("Ann", for: key, savedAt: start.addingTimeInterval(-1))
        let observer = client.observe(QueryDefinition<String>.value(key).staleAfter(.seconds(5)).persisted())
        store.changeFromOutside(.save(try record("Bea", at: -4), for: key))
        #expect(observer.value == "Bea")
        lab.advance(by: .seconds(1))
        #expect(observer.snapshot.isStale)
    }

    @Test("a value that waits to be written stays, and is written over the record of another", .rule("A66"))
    func pending() throws {
        let definition = QueryDefinition<String>.value(key).persisted()
        let observer = client.observe(definition)
        try client.set("Ann", for: definition)
        store.changeFromOutside(.save(try record("Bea", at: 0.05), for: key))
        #expect(observer.value == "Ann")
        lab.flush()
        #expect(store.get(for: key) == "Ann")
    }

    @Test("what another marks stale is invalidated, and fetched if it is observed", .rule("A66"))
    func markedStale() throws {
        try store.put("Ann", for: key, savedAt: start)
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        store.changeFromOutside(.markStale(.path("users")))
        #expect(observer.snapshot.isStale && observer.snapshot.isRefetching)
        #expect(fetcher.calls.map(\.cause) == [.invalidated(by: .otherProcess)])
        store.changeFromOutside()
        #expect(fetcher.calls.count == 1)
        fetcher.succeed(with: "Bea")
        #expect(observer.value == "Bea" && !observer.snapshot.isStale)
    }

    @Test("a newer record that is stale already is shown as stale", .rule("A66"))
    func newerButStale() throws {
        try store.put("Ann", for: key, savedAt: start)
        let observer = client.observe(QueryDefinition<String>.value(key).staleAfter(.seconds(60)).persisted())
        store.changeFromOutside(.save(try record("Bea", at: 0.5, isStale: true), for: key))
        #expect(observer.value == "Bea" && observer.snapshot.isStale)
    }

    @Test("what another removes is gone here too, and a fetch in flight does not bring it back", .rule("A66"))
    func removed() throws {
        try store.put("Ann", for: key, savedAt: start)
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        let refetch = lab.start { [client] in await client.refetch(.key(key)) }
        store.changeFromOutside(.removeAll)
        #expect(observer.value == nil)
        fetcher.succeed(with: "Ann")
        #expect(observer.value == nil)
        #expect(refetch.result != nil)
        lab.flush()
        #expect(store.keys.isEmpty)
    }

    @Test("a storage that was lost takes nothing from memory", .rule("A66"))
    func lost() throws {
        try store.put("Ann", for: key, savedAt: start)
        let observer = client.observe(QueryDefinition<String>.value(key).persisted())
        store.changeFromOutside(.removeAll, news: .replaced)
        store.changeFromOutside()
        #expect(observer.value == "Ann")
    }

    @Test("what this client removed itself does not count as removed by another", .rule("A66"))
    func ownRemoval() throws {
        try store.put("Ann", for: key, savedAt: start)
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(user(fetcher))
        client.remove(.key(key))
        let refetch = lab.start { [client] in await client.refetch(.key(key)) }
        lab.flush()
        store.changeFromOutside()
        fetcher.succeed(with: "Bea")
        #expect(observer.value == "Bea")
        #expect(refetch.result != nil)
    }

    @Test("an optimistic change stays on top of a newer record", .rule("A66"))
    func layer() throws {
        try store.put("Ann", for: key, savedAt: start)
        let definition = QueryDefinition<String>.value(key).persisted()
        let observer = client.observe(definition)
        let server = MutationServer(lab)
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.update(definition) { $0 += "!" } }
        let run = lab.mutate(mutation)
        #expect(observer.value == "Ann!")
        store.changeFromOutside(.save(try record("Bea", at: 0.5), for: key))
        #expect(observer.value == "Bea!")
        server.fail(with: URLError(.badURL))
        #expect(observer.value == "Bea")
        #expect(run.result != nil)
    }

    @Test("a record that this program cannot read stays, and so does the value", .rule("A66"))
    func unreadable() throws {
        try store.put("Ann", for: key, savedAt: start)
        let observer = client.observe(QueryDefinition<String>.value(key).persisted())
        store.changeFromOutside(.save(try record("Bea", at: 1, schema: 2), for: key))
        #expect(observer.value == "Ann")
        #expect(store.keys == ["users/1"])
        store.failReads(true)
        store.changeFromOutside()
        #expect(observer.value == "Ann")
        #expect(lab.log.last?.contains("cache problem") == true)
    }

    @Test("a list takes the pages that another wrote, goes on from them, and keeps them in the cache", .rule("A66"))
    func pages() throws {
        typealias Program = (lab: QueryLab, server: PageServer, list: QueryDefinition<PageServer.List>)
        func program() -> Program {
            let lab = QueryLab(cache: store)
            let server = PageServer(lab)
            return (lab, server, server.list().persisted())
        }
        func load(_ page: String, in program: Program) {
            let client = program.lab.client
            _ = program.lab.start { try await client.fetchNextPage(of: program.list) }
            program.server.answer(page)
            _ = program.lab.start { await client.flush() }
        }
        func items(in program: Program) -> [String]? {
            program.lab.client.value(of: program.list).map { $0.flatMap { $0 } }
        }
        let here = program()
        load("a", in: here)
        let there = program()
        let short = try #require(there.lab.client.value(of: there.list))
        there.lab.advance(by: .seconds(1))
        load("b", in: there)
        store.changeFromOutside()
        #expect(items(in: here) == ["a", "b"])
        here.lab.advance(by: .seconds(2))
        load("c", in: here)
        #expect(here.server.asked.last == 12)
        store.changeFromOutside()
        #expect(items(in: there) == ["a", "b", "c"])
        #expect(items(in: program()) == ["a", "b", "c"])
        // A list that becomes again what it was before the change of another is written whole.
        func write(_ list: PageServer.List, in program: Program) throws {
            program.lab.advance(by: .seconds(5))
            try program.lab.client.set(list, for: program.list)
            program.lab.flush()
            store.changeFromOutside()
        }
        let long = try #require(here.lab.client.value(of: here.list))
        try write(short, in: there)
        #expect(items(in: here) == ["a"])
        try write(long, in: here)
        #expect(items(in: program()) == ["a", "b", "c"])
    }
}
