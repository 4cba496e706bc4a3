import PigeonStore
import PigeonTesting
import Testing

/// Renames a user on a server that returns nothing.
private struct Rename: Mutating {
    let server: Server
    let name: String
    var fails = false

    func run(_ context: MutationContext) async throws {
        if fails { throw Broken("refused") }
        server.name = name
    }

    func invalidates(_ output: Void) -> [KeyFilter] { [.path("texts")] }
}

private final class Server: Sendable {
    private let state = Locked("ann")
    var name: String {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

@Suite("Stores beside other faces of a client")
struct OtherFacesTests {
    let desk = TextDesk()
    private var lab: QueryLab { desk.lab }

    @Test("a mutation refreshes the stores that it makes stale, and a failed one does not")
    func mutation() async throws {
        let server = Server()
        desk.origin.set { [server] _ in server.name }
        let log = StoreLog(desk.store())
        try await lab.client.mutate(Rename(server: server, name: "bea"))
        lab.settle()
        #expect(log.words == ["…", "ann", "ann…", "bea"])
        #expect(lab.log.contains("texts/1 fetching (invalidated by mutation Rename)"))
        await #expect(throws: Broken("refused")) {
            try await lab.client.mutate(Rename(server: server, name: "cleo", fails: true))
        }
        #expect(log.words.count == 4)
    }

    @Test("a query that only watches sees a store's data, whoever came first")
    func watching() async {
        let key = desk.store().queryKey
        let early = lab.client.observe(QueryDefinition<String>.value(key))
        #expect(early.value == nil)
        let log = desk.follow(having: "a")
        let late = lab.client.observe(QueryDefinition<String>.value(key))
        #expect(early.value == "a")
        #expect(late.value == "a")
        await desk.store().update(newData: "b")
        #expect(early.value == "b")
        #expect(late.value == "b")
        _ = lab.start { await desk.store().refresh() }
        #expect(late.snapshot.activity == .fetching)
        desk.origin.fail()
        #expect(late.snapshot.error as? Broken == Broken("origin"))
        #expect(late.value == "b")
        await desk.store().clear()
        #expect(early.value == nil)
        log.cancel()
    }

    @Test("a query that watches a store as another type is told so")
    func watchingWrongly() async {
        let log = desk.follow(having: "a")
        let wrong = lab.client.observe(QueryDefinition<Int>.value(desk.store().queryKey))
        #expect(wrong.value == nil)
        #expect(wrong.snapshot.error is QueryError)
        await desk.store().update(newData: "b")
        #expect(log.words == ["b"])
    }

    @Test("a list is watched without its keys")
    func watchingList() async {
        let desk = StoreLab()
        let list = desk.list()
        let log = StoreLog(list)
        let watcher = desk.lab.client.observe(QueryDefinition<[Int]>.value(list.queryKey))
        desk.origin.answer(Page(1, next: "n"))
        _ = desk.lab.start { await list.requestNextData() }
        desk.origin.answer(Page(2))
        #expect(log.last == "[1, 2]")
        #expect(watcher.value == [1, 2])
    }

    @Test("defaults of a client and of a path hold for stores, and a store's own options come after them")
    func defaults() {
        let always = RetryPolicy(limit: 1, delay: { _ in .zero }, hasJitter: false, shouldRetry: { _ in true })
        lab.client.setDefaults(for: "texts") { $0.retry = always }
        let log = StoreLog(desk.store(1))
        desk.origin.fail()
        lab.advance(by: .milliseconds(1))
        desk.origin.fail()
        #expect(log.words == ["…", "!origin"])
        #expect(desk.origin.asked == ["1", "1"])
        let own = StoreLog(desk.store(2).options { $0.retry = .never })
        desk.origin.fail()
        #expect(own.words == ["…", "!origin"])
        #expect(desk.origin.asked == ["1", "1", "2"])
    }
}
