import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Mutations of faces, which find what they change through the client")
struct FaceMutationTests {
    private let lab: QueryLab
    private var client: QueryClient { lab.client }

    init() {
        lab = QueryLab(outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [Appending.self]))
    }

    private func createList(at key: QueryKey) {
        client.attachments.withLock { $0["list"] = key }
        client.outbox.becameReady { $0 is Appending }
    }

    /// A server that answers when it is told to.
    private func attachServer() -> ScriptedFetcher<String> {
        let server = lab.fetcher(returning: String.self)
        client.attachments.withLock { $0["server"] = server }
        return server
    }

    private func texts(at key: QueryKey) -> String? { client.value(of: key, as: String.self) }

    @Test(
        "edits that the program could not place are shown once it can, and move when it places them anew", .rule("O5"))
    func placedLater() throws {
        lab.setOnline(false)
        _ = lab.start { [client] in try await client.enqueue(Appending(text: "!")) }
        try client.set("a", for: .value("first"))
        try client.set("b", for: .value("second"))
        #expect(texts(at: "first") == "a")
        createList(at: "first")
        #expect(texts(at: "first") == "a!")
        createList(at: "second")
        #expect(texts(at: "first") == "a")
        #expect(texts(at: "second") == "b!")
        #expect(client.outbox.items(editing: QueryDefinition<String>.value("second")).count == 1)
    }

    @Test("edits move while an attempt runs, and are kept where they are when it succeeds", .rule("O5"))
    func placedDuringAnAttempt() throws {
        let server = attachServer()
        try client.set("a", for: .value("first"))
        try client.set("b", for: .value("second"))
        createList(at: "first")
        _ = lab.start { [client] in try await client.enqueue(Appending(text: "!")) }
        #expect(server.calls.count == 1)
        #expect(texts(at: "first") == "a!")
        createList(at: "second")
        #expect(texts(at: "first") == "a")
        #expect(texts(at: "second") == "b!")
        server.succeed(with: "")
        lab.settle()
        #expect(client.outbox.snapshot.isEmpty)
        #expect(texts(at: "second") == "b!")
        #expect(server.calls.count == 1)
        try client.set("c", for: .value("second"))
        #expect(texts(at: "second") == "c")
    }

    @Test("an attempt that began before the program was ready shows its edits once it is, and is repeated", .rule("O5"))
    func readyDuringAnAttempt() throws {
        let server = attachServer()
        try client.set("a", for: .value("list"))
        _ = lab.start { [client] in try await client.enqueue(Appending(text: "!")) }
        #expect(server.calls.count == 1)
        #expect(texts(at: "list") == "a")
        createList(at: "list")
        #expect(texts(at: "list") == "a!")
        server.succeed(with: "")
        lab.settle()
        #expect(server.calls.count == 2)
        #expect(texts(at: "list") == "a!")
        server.succeed(with: "")
        lab.settle()
        #expect(client.outbox.snapshot.isEmpty)
        #expect(texts(at: "list") == "a!")
    }

    @Test("what such a mutation makes stale is fetched once, after its edits are confirmed", .rule("O5"))
    func fetchedOnce() {
        createList(at: "list")
        let fetcher = lab.fetcher(returning: String.self)
        let observer = client.observe(QueryDefinition<String>("list", fetch: fetcher.fetch).staleAfter(.seconds(60)))
        fetcher.succeed(with: "a")
        lab.setOnline(false)
        _ = lab.start { [client] in try await client.enqueue(Appending(text: "!")) }
        lab.setOnline(true)
        lab.settle()
        #expect(observer.snapshot.value == "a!")
        #expect(fetcher.calls.count == 2)
        fetcher.succeed(with: "a!")
        #expect(observer.snapshot.value == "a!")
        #expect(fetcher.calls.count == 2)
    }
}

/// Appends a text to the list that the program has created last.
private struct Appending: DurableMutation {
    let text: String

    func run(_ context: MutationContext) async throws {
        let key = key(in: context.client)
        let server = context.client.attachments.withLock { $0["server"] as? ScriptedFetcher<String> }
        _ = try await server?.call(text)
        guard key != nil else { throw MutationNotReady() }
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        guard let key = key(in: edits.client) else { return }
        edits.update(.key(key), as: String.self) { $0 += text }
    }

    func succeeded(_ output: Void, _ writes: CacheWrites) {
        if let key = key(in: writes.client) { writes.invalidate(.key(key)) }
    }

    private func key(in client: QueryClient) -> QueryKey? {
        client.attachments.withLock { $0["list"] as? QueryKey }
    }
}
