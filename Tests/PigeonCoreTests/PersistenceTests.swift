import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Persistence")
struct PersistenceTests {
    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private var client: QueryClient { lab.client }
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    init() {
        lab = QueryLab(cache: store)
    }

    private func user(_ id: Int) -> QueryDefinition<String> {
        QueryDefinition<String>.value(QueryKey("users", id)).staleAfter(.seconds(60)).persisted()
    }

    private func flush() {
        let task = lab.start { [client] in await client.flush() }
        #expect(task.result != nil)
    }

    /// Flushes, and returns what could not be written.
    private func unwritten() -> [String]? {
        let problems = lab.start { [client] in await client.flush() }.value
        return problems?.map { "\($0.key?.queryKeyValue ?? "-") \($0.description)" }
    }

    // MARK: Writing

    @Test("what changed is written within 100 ms, in one batch, and nothing else is", .rule("A28"))
    func batched() throws {
        let fetcher = lab.fetcher(returning: String.self)
        fetcher.answer { $0.key.queryKeyValue }
        for id in 1...3 {
            _ = lab.start { [client] in
                try await client.fetch(QueryDefinition("users", id, fetch: fetcher.fetch).persisted())
            }
        }
        try client.set("not persisted", for: "other")
        lab.advance(by: .milliseconds(99))
        #expect(store.batches.isEmpty)
        lab.advance(by: .milliseconds(1))
        #expect(store.saved == [["users/1", "users/2", "users/3"]])
        lab.advance(by: .seconds(10))
        try client.set("changed", for: user(2))
        lab.advance(by: .milliseconds(100))
        #expect(store.saved == [["users/1", "users/2", "users/3"], ["users/2"]])
        #expect(store.get(for: QueryKey("users", 2)) == "changed")
        lab.advance(by: .seconds(1000))
        #expect(store.batches.count == 2)
    }

    @Test("of several changes to one key the last is written", .rule("A28"))
    func lastOne() throws {
        for name in ["Ann", "Bea", "Cem"] { try client.set(name, for: user(1)) }
        lab.advance(by: .milliseconds(100))
        #expect(store.saved == [["users/1"]])
        #expect(store.get(for: QueryKey("users", 1)) == "Cem")
    }

    @Test("flushing writes at once", .rule("A28"))
    func flushes() throws {
        try client.set("Ann", for: user(1))
        flush()
        #expect(store.saved == [["users/1"]])
        flush()
        lab.advance(by: .seconds(1))
        #expect(store.batches.count == 1, "there was nothing more to write")
    }

    @Test("what the program writes and edits is stored, with its time, schema and tags", .rule("A29"))
    func manualWrites() throws {
        lab.advance(by: .seconds(7))
        try client.set("Ann", for: .value(QueryKey("users", 1).tagged("people")).persisted(schema: 3))
        lab.advance(by: .milliseconds(50))
        client.update(user(1)) { $0 += "!" }
        lab.advance(by: .milliseconds(50))
        let record = try #require(try store.record(for: QueryKey("users", 1)))
        #expect(store.get(for: QueryKey("users", 1)) == "Ann!")
        #expect(abs(record.savedAt.timeIntervalSince(start) - 7.05) < 0.001)
        #expect(record.schema == 3)
        #expect(record.tags == ["people"])
        #expect(!record.isStale)
        #expect(record.freshFor == nil)
    }

    @Test("an optimistic change is not stored before it is the server's", .rule("A29"))
    func optimistic() throws {
        let server = MutationServer(lab)
        try client.set("Ann", for: user(1))
        var mutation = ScriptedMutation(server)
        mutation.edits = { [definition = user(1)] in $0.update(definition) { $0 = "Bea" } }
        let task = lab.mutate(mutation)
        flush()
        #expect(store.get(for: QueryKey("users", 1)) == "Ann")
        server.succeed()
        flush()
        #expect(task.result != nil)
        #expect(store.get(for: QueryKey("users", 1)) == "Bea")
    }

    @Test("what the server said of freshness is stored, and counts after a restart", .rule("A5"))
    func freshness() throws {
        let definition = QueryDefinition<String>("users", 1) { context in
            context.isFresh(for: .seconds(30))
            return "Ann"
        }
        .persisted()
        _ = lab.start { [client] in try await client.fetch(definition) }
        flush()
        #expect(try store.record(for: QueryKey("users", 1))?.freshFor == 30)
        let other = QueryLab(cache: store)
        #expect(!other.client.observe(definition).snapshot.isFetched)
        let later = QueryLab(cache: store)
        later.shiftWallClock(by: .seconds(31))
        #expect(later.client.observe(definition).snapshot.isFetched)
    }

    // MARK: Failures

    @Test("a write that fails is reported, loses nothing, and is tried again by itself, ever less often", .rule("T121"))
    func failure() throws {
        store.refuse(2)
        try client.set("Ann", for: user(1))
        client.invalidate(.path("gone"), refetch: .none)
        func problems() -> Int {
            lab.log.filter { $0 == "client cache problem: not written, will be tried again: Refusal" }.count
        }
        lab.advance(by: .milliseconds(100))
        #expect(problems() == 1)
        try client.set("Bea", for: user(2))
        lab.advance(by: .milliseconds(100))
        #expect(problems() == 2, "a change is written in its time all the same")
        lab.advance(by: .milliseconds(399))
        #expect(store.batches.isEmpty)
        lab.advance(by: .milliseconds(1))
        #expect(store.saved == [["users/1", "users/2"]])
        #expect(store.batches.first?.first == .markStale(.path("gone")))
        lab.advance(by: .seconds(100))
        #expect(store.batches.count == 1)
    }

    @Test("what changed after a failed write is newer, and wins", .rule("T121"))
    func newerWins() throws {
        store.refuse(1)
        try client.set("old", for: user(1))
        try client.set("kept", for: user(2))
        flush()
        try client.set("new", for: user(1))
        flush()
        #expect(store.get(for: QueryKey("users", 1)) == "new")
        #expect(store.get(for: QueryKey("users", 2)) == "kept")
    }

    @Test("a store that refuses does not have the steps of another repeated", .rule("T121"))
    func twoStores() throws {
        let other = RecordStoreDouble()
        let mine = QueryDefinition<String>.value("mine").persisted(in: other)
        try client.set("Ann", for: user(1))
        try client.set("old", for: mine)
        flush()
        store.refuse(1)
        client.remove(.key("mine"))
        try client.set("new", for: mine)
        flush()
        #expect(other.get(for: "mine") == "new")
        flush()
        lab.advance(by: .seconds(10))
        #expect(other.get(for: "mine") == "new")
        #expect(other.batches.count == 2)
    }

    @Test("flush returns what could not be written, and nothing once it is", .rule("E13"))
    func flushReturns() throws {
        store.refuse(2)
        client.invalidate(.path("gone"), refetch: .none)
        #expect(unwritten() == ["- not written, will be tried again: Refusal"])
        for id in [2, 1] { try client.set("Ann", for: user(id)) }
        #expect(
            unwritten() == [
                "users/1 not written, will be tried again: Refusal",
                "users/2 not written, will be tried again: Refusal",
            ])
        #expect(unwritten() == [])
        #expect(store.saved == [["users/1", "users/2"]])
        try client.set(Double.nan, for: .value("nan").persisted())
        #expect(unwritten() == ["nan a value could not be encoded and was not kept"])
        #expect(unwritten() == [])
    }

    @Test("flush also returns what a cache that is written at once did not take", .rule("E13"))
    func flushReturnsRefusals() throws {
        let name = "pigeon.tests.\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        let cache = UserDefaultsQueryCache(defaults: defaults, clock: lab.clock)
        let score = QueryDefinition<Double>.value("score").persisted(in: cache)
        try client.set(Double.nan, for: score)
        try client.set(1, for: .value("other").persisted(in: cache))
        #expect(unwritten() == ["score a Double could not be encoded and was not kept"])
        #expect(unwritten() == [])
        try client.set(Double.nan, for: score)
        try client.set(2, for: score)
        #expect(unwritten() == [])
    }

    @Test("flush also returns what a store dropped before it, unless a later value was written", .rule("E13"))
    func flushReturnsDropped() throws {
        let score = QueryDefinition<Double>.value("score").persisted()
        try client.set(Double.nan, for: score)
        lab.advance(by: .milliseconds(100))
        try client.set("Ann", for: user(1))
        lab.advance(by: .milliseconds(100))
        #expect(unwritten() == ["score a value could not be encoded and was not kept"])
        #expect(unwritten() == [])
        try client.set(Double.nan, for: score)
        lab.advance(by: .milliseconds(100))
        try client.set(2, for: score)
        #expect(unwritten() == [])
    }

    @Test("a value below a key that was written since is returned all the same", .rule("E13"))
    func flushReturnsDroppedChild() throws {
        try client.set(Double.nan, for: .value(QueryKey("users", 1, "score")).persisted())
        lab.advance(by: .milliseconds(100))
        try client.set("Ann", for: user(1))
        lab.advance(by: .milliseconds(100))
        #expect(unwritten() == ["users/1/score a value could not be encoded and was not kept"])
    }

    @Test(
        "what a store dropped is nobody's any more after a removal or a sign-out", .rule("E13"),
        arguments: [true, false])
    func droppedIsForgotten(bySigningOut: Bool) throws {
        let score = QueryDefinition<Double>.value("score").persisted()
        try client.set(Double.nan, for: score)
        lab.advance(by: .milliseconds(100))
        if bySigningOut {
            _ = lab.start { [client] in try await client.clear() }
        } else {
            client.remove(.query(score))
        }
        lab.advance(by: .milliseconds(100))
        #expect(unwritten() == [])
    }

    @Test("what a write drops during a sign-out is forgotten too", .rule("E13"))
    func droppedDuringSignOut() throws {
        let isFirst = Locked(true)
        store.onApply { [lab, client] _ in
            let isSigningOut = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isSigningOut { _ = lab.start { try await client.clear() } }
        }
        try client.set(Double.nan, for: .value("score").persisted())
        try client.set("Ann", for: user(1))
        lab.advance(by: .seconds(1))
        #expect(!isFirst.withLock { $0 })
        #expect(unwritten() == [])
    }

    @Test("A value that cannot be encoded is reported, and the others are written")
    func unencodable() throws {
        try client.set(Double.nan, for: .value("nan").persisted())
        try client.set("Ann", for: user(1))
        flush()
        #expect(store.saved == [["users/1"]])
        #expect(lab.log.contains("nan cache problem: a value could not be encoded and was not kept"))
    }

    // MARK: Lifetime

    @Test("a client that is let go within the delay still writes what it received", .rule("A28"))
    func letGo() async throws {
        let (written, done) = AsyncStream.makeStream(of: Void.self)
        store.onApply { _ in done.yield() }
        do {
            let client = QueryClient(cache: store, environment: lab.environment)
            try client.set("Ann", for: user(1))
        }
        for await _ in written { break }
        let task = Task.detached { [store] in
            await until { !store.keys.isEmpty }
        }
        await task.value
        #expect(store.keys == ["users/1"])
    }

    @Test("What is collected from memory stays in the cache")
    func collected() throws {
        try client.set("Ann", for: user(1))
        flush()
        lab.advance(by: .seconds(300))
        #expect(client.count == 0)
        #expect(store.keys == ["users/1"])
        #expect(client.observe(user(1)).value == "Ann")
    }

    @Test("What is dropped from memory before it was written is not lost, and is read as it will be written")
    func droppedBeforeWritten() throws {
        try client.set("Ann", for: user(1))
        client.dropUnobserved()
        #expect(client.count == 0)
        let observer = client.observe(user(1))
        #expect(observer.value == "Ann")
        #expect(!observer.snapshot.isStale)
        flush()
        #expect(store.get(for: QueryKey("users", 1)) == "Ann")
    }

    // MARK: Lists

    @Test("A list whose page was edited by hand is stored with the edit")
    func editedList() throws {
        typealias List = Pages<String, Int>
        let definition = QueryDefinition<List>.value("list").persisted()
        try client.set(List([.init(id: 1, page: "a"), .init(id: 2, page: "b")], nextID: 3), for: definition)
        flush()
        client.update(definition) { $0 = List([.init(id: 1, page: "A"), $0.loaded(at: 1)], nextID: 3) }
        flush()
        let other = QueryLab(cache: store)
        #expect(other.client.observe(definition).value.map { Array($0) } == ["A", "b"])
    }

    @Test("A list that began with its initial value is stored whole")
    func initialList() throws {
        typealias List = Pages<String, Int>
        let initial = List([.init(id: 1, page: "a")], nextID: 2)
        let definition = QueryDefinition<List>.value("list").persisted().initial(initial)
        #expect(client.observe(definition).value == initial)
        client.update(definition) { $0 = List([$0.loaded(at: 0), .init(id: 2, page: "b")], nextID: 3) }
        flush()
        let other = QueryLab(cache: store)
        #expect(other.client.observe(definition).value.map { Array($0) } == ["a", "b"])
    }
}
