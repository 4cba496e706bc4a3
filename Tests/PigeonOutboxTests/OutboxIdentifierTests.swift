import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

private struct Draft: Codable, Equatable, Sendable {
    var id: TemporaryID<Int>
    var title: String

    var text: String { "\(id.value.map { "\($0)" } ?? "new") \(title)" }
}

private final class DraftServer: Sendable {
    let drafts: ScriptedFetcher<Draft>
    let lists: ScriptedFetcher<[Draft]>

    init(_ lab: QueryLab) {
        drafts = lab.fetcher(returning: Draft.self)
        lists = lab.fetcher(returning: [Draft].self)
    }
}

extension QueryDefinition where Value == [Draft] {
    fileprivate static var drafts: Self {
        QueryDefinition("drafts") { context in try await context[DraftServer.self].lists.call("list") }
    }
}

extension QueryDefinition where Value == Draft {
    fileprivate static func draft(_ id: TemporaryID<Int>) -> Self {
        QueryDefinition("drafts", id) { context in try await context[DraftServer.self].drafts.call("get \(id)") }
            .staleAfter(.seconds(60)).persisted()
    }
}

private struct CreateDraft: DurableMutation {
    var id = TemporaryID<Int>.make()
    var title: String

    func run(_ context: MutationContext) async throws -> Draft {
        try await context[DraftServer.self].drafts.call("create")
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.drafts) { $0.append(Draft(id: id, title: title)) }
        edits.set(Draft(id: id, title: title), for: .draft(id))
    }
    func assigns(_ draft: Draft) -> [AssignedID] { [id.becomes(draft.id)] }
}

private struct RenameDraft: DurableMutation {
    var id: TemporaryID<Int>
    var title: String

    func run(_ context: MutationContext) async throws -> Draft {
        try await context[DraftServer.self].drafts.call("rename")
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.drafts) { drafts in
            for index in drafts.indices where drafts[index].id.matches(id) { drafts[index].title = title }
        }
        edits.update(.draft(id)) { $0.title = title }
    }
}

@Suite("The server's identifier takes the place of a temporary one")
struct OutboxIdentifierTests {
    private let lab = QueryLab()
    private let server: DraftServer
    private let client: QueryClient

    init() {
        server = DraftServer(lab)
        client = QueryClient(
            outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [CreateDraft.self, RenameDraft.self]),
            dependencies: Dependencies(server), environment: lab.environment)
    }

    /// The calls that the server has not answered.
    private var waiting: [String] { server.drafts.pending.flatMap(\.arguments) }

    private func submit<M: DurableMutation>(_ mutation: M) -> LabTask<Submission<M.Output>> {
        let task = lab.start { [client] in try await client.submit(mutation) }
        lab.settle()
        return task
    }

    @Test(
        "observers see the creation and what waits for it with the identifier at once, and never an older title",
        .rule("O11"))
    func oneChange() {
        let shown = Recorder<String>()
        let observer = client.observe(.drafts) { snapshot in
            let text = (snapshot.value ?? []).map(\.text).joined(separator: ", ")
            if shown.all.last != text { shown.append(text) }
        }
        server.lists.succeed(with: [Draft(id: .assigned(1), title: "A")])
        let new = CreateDraft(title: "First")
        let creation = submit(new)
        let renaming = submit(RenameDraft(id: new.id, title: "Second"))
        shown.clear()
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        #expect(creation.result != nil)
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "Second"))
        lab.settle()
        #expect(renaming.result != nil)
        #expect(shown.all == ["1 A, 9 Second"])
        #expect(observer.snapshot.value?.map(\.text) == ["1 A", "9 Second"])
    }

    @Test("edits that get the server's identifier are not said to be rolled back", .rule("O11"))
    func notRolledBack() {
        let observer = client.observe(.drafts)
        server.lists.succeed(with: [])
        let new = CreateDraft(title: "First")
        let creation = submit(new)
        _ = submit(RenameDraft(id: new.id, title: "Second"))
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        #expect(creation.result != nil && waiting == ["rename"])
        #expect(!lab.log.contains { $0.contains("rolled back") })
        server.drafts.fail(with: NotesServer.Failure(statusCode: 422))
        lab.settle()
        #expect(lab.log.contains { $0.contains("rolled back") }, "a refusal is")
        withExtendedLifetime(observer) {}
    }

    @Test(
        "who observes a temporary identifier sees the entry of the assigned one, with all later edits and fetches",
        .rule("O12"))
    func moves() {
        lab.setOnline(false)
        let new = CreateDraft(title: "First")
        let definition = QueryDefinition.draft(new.id)
        _ = submit(new)
        let shown = Recorder<String>()
        let observer = client.observe(definition) { snapshot in
            let text = snapshot.value?.text ?? "nothing"
            if shown.all.last != text { shown.append(text) }
        }
        _ = submit(RenameDraft(id: new.id, title: "Second"))
        lab.setOnline(true)
        lab.settle()
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        #expect(observer.key == "drafts/9")
        #expect(client.entries(matching: .path("drafts")).map(\.key) == ["drafts/9"])
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "Second"))
        lab.settle()
        _ = submit(RenameDraft(id: .assigned(9), title: "Third"))
        #expect(shown.all == ["new Second", "9 Second", "9 Third"])
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "Third"))
        lab.settle()
        // The definition that was made with the temporary identifier fetches with the assigned one.
        client.invalidate(definition)
        lab.settle()
        #expect(waiting == ["get 9"])
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "Fourth"))
        lab.settle()
        #expect(shown.all.last == "9 Fourth")
        client.update(definition) { $0.title = "Fifth" }
        #expect(client.value(of: .draft(.assigned(9)))?.title == "Fifth")
        #expect(client.count == 1)
    }

    @Test(
        "a definition that was made with a temporary identifier makes the entry of the assigned one, if there is none",
        .rule("O12"))
    func makesEntry() throws {
        let new = CreateDraft(title: "First")
        let definition = QueryDefinition<String>.value(QueryKey("notes", new.id))
        _ = submit(new)
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        try client.set("milk", for: definition)
        #expect(client.value(of: QueryDefinition<String>.value("notes/9")) == "milk")
    }

    @Test("the fetches of a temporary identifier wait for the assigned one", .rule("O12"))
    func fetchesWait() throws {
        lab.setOnline(false)
        let new = CreateDraft(title: "First")
        _ = submit(new)
        let observer = client.observe(.draft(new.id))
        lab.setOnline(true)
        lab.settle()
        let fetch = lab.start { [client] in try await client.fetch(.draft(new.id)) }
        let refetch = lab.start { try await observer.refetch() }
        lab.settle()
        #expect(observer.snapshot.activity == .paused)
        #expect(observer.snapshot.value?.title == "First")
        #expect(waiting == ["create"])
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        #expect(waiting == ["get 9"])
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "Fetched"))
        lab.settle()
        // The created value is fresh.
        #expect(try fetch.result?.get().title == "First")
        #expect(try refetch.result?.get().title == "Fetched")
        #expect(observer.snapshot.activity == .idle)
    }

    @Test("who waits for an identifier whose creation is discarded hears of it", .rule("O12"))
    func discarded() async throws {
        lab.setOnline(false)
        let new = CreateDraft(title: "First")
        _ = submit(new)
        let observer = client.observe(.draft(new.id))
        let fetch = lab.start { [client] in try await client.fetch(.draft(new.id)) }
        lab.settle()
        #expect(fetch.result == nil)
        let item = try #require(client.outbox.snapshot.waiting.first)
        _ = lab.start { [client] in try await client.outbox.discard(item.id) }
        lab.settle()
        #expect(throws: CancellationError.self) { try fetch.result?.get() }
        #expect(observer.snapshot.activity == .idle)
        lab.setOnline(true)
        lab.settle()
        #expect(waiting.isEmpty)
    }

    @Test("no cache has a temporary identifier, and the one of the assigned identifier is read", .rule("O12"))
    func persisted() async throws {
        let cache = InMemoryQueryCache()
        let client = QueryClient(
            cache: cache, outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [CreateDraft.self]),
            dependencies: Dependencies(server), environment: lab.environment)
        lab.setOnline(false)
        let new = CreateDraft(title: "First")
        let definition = QueryDefinition.draft(new.id)
        _ = lab.start { try await client.submit(new) }
        lab.settle()
        let observer = client.observe(definition)
        try client.set(Draft(id: new.id, title: "Own"), for: definition)
        lab.advance(by: .seconds(1))
        #expect(cache.count == 0)
        lab.setOnline(true)
        lab.settle()
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        lab.advance(by: .seconds(1))
        #expect(observer.key == "drafts/9")
        #expect(cache.count == 1)
        #expect(cache.savedAt(for: "drafts/9") != nil)
    }

    @Test("another client of the store shows the assigned identifier, and no hole in between", .rule("O12"))
    func otherClients() {
        let store = InMemoryMutationStore()
        func makeClient() -> QueryClient {
            QueryClient(
                outbox: Outbox.Setup(store: store, mutations: [CreateDraft.self, RenameDraft.self]),
                dependencies: Dependencies(server), environment: lab.environment)
        }
        let (first, second) = (makeClient(), makeClient())
        let new = CreateDraft(title: "First")
        _ = lab.start { try await first.enqueue(new) }
        lab.settle()
        let shown = Recorder<String>()
        let observer = second.observe(.draft(new.id)) { snapshot in
            let text = "\(snapshot.key == "drafts/9" ? "9" : "new") \(snapshot.value?.title ?? "nothing")"
            if shown.all.last != text { shown.append(text) }
        }
        lab.settle()
        #expect(observer.value?.title == "First")
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        #expect(observer.key == "drafts/9")
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "Server"))
        lab.settle()
        #expect(shown.all.filter { $0.contains("nothing") } == [])
        #expect(shown.all.last == "9 Server")
    }

    @Test("a temporary identifier has the value, the text and the encoding of the assigned one", .rule("O12"))
    func texts() throws {
        let new = CreateDraft(title: "First")
        guard case .temporary(let token) = new.id else { return }
        #expect("\(new.id)" == "~\(token.uuidString)")
        _ = submit(new)
        server.drafts.succeed(with: Draft(id: .assigned(9), title: "First"))
        lab.settle()
        #expect(new.id.value == 9)
        #expect("\(new.id)" == "9")
        #expect(QueryKey("drafts", new.id, "lines") == "drafts/9/lines")
        #expect(String(decoding: try JSONEncoder().encode([new.id]), as: UTF8.self) == "[9]")
        let stored = Data(#"[{"temporary":"\#(token.uuidString)"}]"#.utf8)
        #expect(try JSONDecoder().decode([TemporaryID<Int>].self, from: stored) == [.assigned(9)])
    }
}
