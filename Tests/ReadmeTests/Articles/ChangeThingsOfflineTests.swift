import Foundation
import PigeonCore
import PigeonOutbox
import PigeonSQLite
import PigeonTesting
import TestSupport
import Testing

@Suite("Article: change things offline")
struct ChangeThingsOfflineTests {
    struct Note: Codable, Equatable, Sendable {
        var id: TemporaryID<Int>  // the server's {"id": 7} decodes as .assigned(7)
        var title: String
    }

    struct RenameNote: DurableMutation {
        var id: TemporaryID<Int>
        var title: String
        var scope: String? { "notes/\(id)" }

        func run(_ context: MutationContext) async throws -> Note {
            try await context[NotesAPI.self].rename(id, to: title, idempotencyKey: context.idempotencyKey)
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.notes) { notes in
                for index in notes.indices where notes[index].id.matches(id) { notes[index].title = title }
            }
        }

        func invalidates(_ note: Note) -> [KeyFilter] { [.path("notes")] }
    }

    struct CreateNote: DurableMutation {
        var id = TemporaryID<Int>.make()
        var title: String
        var scope: String? { "notes/\(id)" }

        func run(_ context: MutationContext) async throws -> Note {
            try await context[NotesAPI.self].create(title, idempotencyKey: context.idempotencyKey)
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.notes) { $0.append(Note(id: id, title: title)) }
        }

        func assigns(_ note: Note) -> [AssignedID] { [id.becomes(note.id)] }
    }

    private let api = NotesAPI()

    private func program(_ store: any MutationStore, isOnline: Bool = true, session: String? = nil) -> QueryLab {
        let lab = QueryLab(
            outbox: Outbox.Setup(store: store, mutations: [CreateNote.self, RenameNote.self], session: session),
            dependencies: Dependencies(api))
        lab.setOnline(isOnline)
        return lab
    }

    @Test func `a change is recorded in a file, and made once`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("changes-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (api, note) = (api, Note(id: .assigned(1), title: "Bread"))
        func start() async throws -> QueryClient {
            let store = try SQLiteMutationStore(at: folder.appendingPathComponent("outbox.sqlite"))
            let client = QueryClient(
                cache: try SQLiteQueryCache(at: folder.appendingPathComponent("cache.sqlite")),
                outbox: Outbox.Setup(store: store, mutations: [CreateNote.self, RenameNote.self]),
                dependencies: Dependencies(api))
            try await client.enqueue(RenameNote(id: note.id, title: "Milk"))
            return client
        }
        let client = try await start()
        #expect(await client.outbox.drain(within: .seconds(60)) == 0)
        #expect(api.titles == ["Milk"])
        #expect(api.keys.count == 1)
    }

    @Test func `what waits is shown, also after a restart, and merges`() async throws {
        let store = InMemoryMutationStore()
        let first = program(store, isOnline: false)
        for title in ["Oats", "Milk"] {
            _ = first.start { try await first.client.enqueue(RenameNote(id: .assigned(1), title: title)) }
            first.settle()
        }
        let second = program(store, isOnline: false)
        let notes = second.client.observe(.notes)
        try second.client.set([Note(id: .assigned(1), title: "Bread")], for: .notes)
        #expect(notes.value?.map(\.title) == ["Milk"])
        #expect(notes.snapshot.isOptimistic)
        #expect(second.client.outbox.items(editing: .notes).count == 1)
        let shown = Recorder<Int>()
        @Sendable func show(_ waiting: Int, _ refused: [OutboxItem]) { shown.append(waiting) }
        let task = Task { [client = second.client] in
            for await outbox in client.outbox.updates {
                show(outbox.waiting.count, outbox.setAside)
            }
        }
        await until { shown.all == [1] }
        second.setOnline(true)
        second.settle()
        await until { shown.all.last == 0 }
        task.cancel()
        #expect(api.titles == ["Milk"])
        #expect(api.keys.count == 1)
    }

    @Test func `a change counts once it is stored, after its edit is shown, until the server has answered`() throws {
        let lab = program(InMemoryMutationStore(), isOnline: false)
        let (client, counts) = (lab.client, Recorder<Int>())
        try client.set([Note(id: .assigned(1), title: "Bread")], for: .notes)
        let notes = client.observe(.notes) { snapshot in
            if snapshot.isOptimistic { counts.append(client.outbox.snapshot.count) }
        }
        _ = lab.start { try await client.enqueue(RenameNote(id: .assigned(1), title: "Milk")) }
        lab.settle()
        #expect(counts.all.first == 0)
        #expect(client.outbox.snapshot.count == 1)
        lab.setOnline(true)
        lab.settle()
        #expect(client.outbox.snapshot.count == 0)
        #expect(notes.value?.map(\.title) == ["Milk"])
    }

    @Test func `after a process that was killed between attempts, the next one need not wait for the lease`() {
        let store = InMemoryMutationStore()
        let first = program(store)
        api.fail(with: 503)
        _ = first.start { try await first.client.enqueue(RenameNote(id: .assigned(1), title: "Milk")) }
        first.settle()
        #expect(first.client.outbox.snapshot.waiting.first?.attempts == 1)
        #expect(api.titles == ["Bread"])
        let second = program(store)
        second.advance(by: .seconds(2))  // the next attempt is due after at most a second
        #expect(api.titles == ["Milk"])
    }

    @Test func `a note decodes from what the server sends, and keeps a temporary identifier on disk`() throws {
        let note = try JSONDecoder().decode(Note.self, from: Data(#"{"id": 7, "title": "Milk"}"#.utf8))
        #expect(note == Note(id: .assigned(7), title: "Milk"))
        let new = Note(id: .make(), title: "Oats")
        #expect(new.id.value == nil)
        #expect(try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(new)) == new)
    }

    @Test func `a note that was created offline can be renamed before the server knows it`() throws {
        let lab = program(InMemoryMutationStore(), isOnline: false)
        let create = CreateNote(title: "Oats")
        _ = lab.start { try await lab.client.enqueue(create) }
        lab.settle()
        _ = lab.start { try await lab.client.enqueue(RenameNote(id: create.id, title: "Milk")) }
        lab.setOnline(true)
        lab.settle()
        #expect(api.titles == ["Bread", "Milk"])
        #expect(lab.client.outbox.snapshot.isEmpty)
    }

    @Test func `a conflict is resolved on top of what the server has`() {
        let lab = program(InMemoryMutationStore())
        api.fail(with: 412)
        _ = lab.start { try await lab.client.enqueue(RenameNote(id: .assigned(1), title: "Milk")) }
        lab.settle()
        #expect(api.titles == ["Bread, Milk"])
        #expect(api.keys.count == 2)
    }

    @Test func `what is refused is set aside, and can be edited`() {
        let lab = program(InMemoryMutationStore())
        api.fail(with: 422)
        let title = String(repeating: "Milk", count: 30)
        _ = lab.start { try await lab.client.enqueue(RenameNote(id: .assigned(1), title: title)) }
        lab.settle()
        #expect(lab.client.outbox.snapshot.setAside.count == 1)
        let edit = lab.start { [client = lab.client] in
            for item in client.outbox.snapshot.setAside {
                try await client.outbox.edit(item.id, as: RenameNote.self) { $0.title = String($0.title.prefix(80)) }
            }
        }
        lab.settle()
        #expect(edit.result != nil)
        #expect(api.titles == [String(title.prefix(80))])
    }

    struct MoveNote: DurableMutation {
        var title: String
        var scope: String? { "order" }
        var afterSetAside: AfterSetAside { .wait }

        func run(_ context: MutationContext) async throws {
            _ = try await context[NotesAPI.self].create(title, idempotencyKey: context.idempotencyKey)
        }
    }

    @Test(arguments: [401, 422])
    func `a failure is heard once, and the rest is made unless its type waits`(status: Int) {
        let lab = QueryLab(
            outbox: Outbox.Setup(
                store: InMemoryMutationStore(), mutations: [CreateNote.self, RenameNote.self, MoveNote.self]),
            dependencies: Dependencies(api))
        let (client, shown) = (lab.client, Recorder<String>())
        @Sendable func showLogin() { shown.append("login") }
        @Sendable func show(_ error: any Error) { shown.append("error") }
        let failures = client.onFailure { error, event in
            if event.failureReason == .unauthorized { showLogin() } else { show(error) }
        }
        api.fail(with: status)
        for title in ["first", "second"] {
            _ = lab.start { try await client.enqueue(MoveNote(title: title)) }
            _ = lab.start { try await client.enqueue(RenameNote(id: .assigned(1), title: title)) }
            lab.settle()
        }
        #expect(shown.all == [status == 401 ? "login" : "error"])
        #expect(api.titles == [status == 401 ? "Bread" : "second"])
        client.outbox.resume()
        lab.settle()
        #expect(api.titles == (status == 401 ? ["second", "first", "second"] : ["second"]))
        failures.cancel()
    }

    @Test func `what was created offline and refused holds back its renames, and they go with it`() throws {
        let lab = program(InMemoryMutationStore(), isOnline: false)
        let create = CreateNote(title: "Oats")
        _ = lab.start { try await lab.client.enqueue(create) }
        lab.settle()
        _ = lab.start { try await lab.client.enqueue(RenameNote(id: create.id, title: "Milk")) }
        _ = lab.start { try await lab.client.enqueue(RenameNote(id: .assigned(1), title: "Rye")) }
        api.fail(with: 422)
        lab.setOnline(true)
        lab.settle()
        #expect(api.titles == ["Rye"])
        #expect(lab.client.outbox.snapshot.waiting.count == 1)
        let refused = try #require(lab.client.outbox.snapshot.setAside.first?.id)
        _ = lab.start { try await lab.client.outbox.discard(refused) }
        lab.settle()
        #expect(
            lab.client.outbox.snapshot.setAside.map { $0.error as? OutboxError } == [.noCreation(name: "RenameNote")])
        #expect(api.titles == ["Rye"])
    }

    @Test func `changes belong to a session, and are made before the program is suspended`() {
        struct Person { var id: String }
        let store = InMemoryMutationStore()
        let (lab, person) = (program(store, isOnline: false, session: "bea"), Person(id: "ann"))
        let client = lab.client
        _ = lab.start { try await client.enqueue(CreateNote(title: "Bea's")) }
        lab.settle()
        client.outbox.setSession(person.id)
        _ = lab.start { try await client.enqueue(CreateNote(title: "Ann's")) }
        lab.settle()
        lab.setOnline(true)
        let drain = lab.start {
            let remaining = await client.outbox.drain(within: .seconds(20))
            return remaining
        }
        lab.settle()
        #expect(drain.value == 0)
        #expect(api.titles == ["Bread", "Ann's"])
        client.outbox.setSession("bea")
        lab.settle()
        #expect(api.titles == ["Bread", "Ann's", "Bea's"])
    }

    @Test func `signing out removes the changes of the session`() {
        let store = InMemoryMutationStore()
        let lab = program(store, isOnline: false)
        _ = lab.start { try await lab.client.enqueue(CreateNote(title: "Milk")) }
        lab.settle()
        _ = lab.start { try await lab.client.clear() }
        lab.settle()
        lab.setOnline(true)
        lab.settle()
        #expect(api.titles == ["Bread"])
        #expect(lab.client.outbox.snapshot.isEmpty)
    }
}

private typealias RenameNote = ChangeThingsOfflineTests.RenameNote

struct QuotaExceeded: Error {}

extension ChangeThingsOfflineTests.RenameNote {
    func classify(_ error: any Error) -> MutationFailure {
        error is QuotaExceeded ? .transient : MutationFailure(error, retry: retry)
    }
    func merging(_ earlier: any DurableMutation) -> MutationMerge {
        earlier is RenameNote ? .combined(self) : .separate
    }

    func resolve(_ conflict: MutationConflict) async throws -> ConflictResolution {
        let theirs = try await conflict.context[NotesAPI.self].note(id)
        return .retry(RenameNote(id: id, title: "\(theirs.title), \(title)"))
    }
}

extension QueryDefinition where Value == [ChangeThingsOfflineTests.Note] {
    fileprivate static var notes: Self {
        QueryDefinition("notes") { context in try await context[NotesAPI.self].notes() }
    }
}

/// The server of the notes. It makes each change once, and fails once as the test says.
private final class NotesAPI: Sendable {
    private struct State {
        var titles = ["Bread"]
        var answers: [String: ChangeThingsOfflineTests.Note] = [:]
        var keys: Set<String> = []
        var failure: Int?
    }

    private struct Failure: TransientErrorType {
        var statusCode: Int?
        var retryAfter: Duration? { nil }
    }

    private let state = Locked(State())

    var titles: [String] { state.withLock { $0.titles } }
    var keys: Set<String> { state.withLock { $0.keys } }
    func fail(with status: Int) { state.withLock { $0.failure = status } }

    func notes() async throws -> [ChangeThingsOfflineTests.Note] {
        titles.enumerated().map { .init(id: .assigned($0.offset + 1), title: $0.element) }
    }

    func note(_ id: TemporaryID<Int>) async throws -> ChangeThingsOfflineTests.Note {
        .init(id: id, title: titles[(id.value ?? 1) - 1])
    }

    func rename(
        _ id: TemporaryID<Int>, to title: String, idempotencyKey: String
    ) async throws -> ChangeThingsOfflineTests.Note {
        try once(idempotencyKey) { titles in
            titles[(id.value ?? 1) - 1] = title
            return .init(id: id, title: title)
        }
    }

    func create(_ title: String, idempotencyKey: String) async throws -> ChangeThingsOfflineTests.Note {
        try once(idempotencyKey) { titles in
            titles.append(title)
            return .init(id: .assigned(titles.count), title: title)
        }
    }

    private func once(
        _ key: String, _ make: (inout [String]) -> ChangeThingsOfflineTests.Note
    ) throws -> ChangeThingsOfflineTests.Note {
        try state.withLock { state in
            state.keys.insert(key)
            if let failure = state.failure.take() { throw Failure(statusCode: failure) }
            if let answer = state.answers[key] { return answer }
            let answer = make(&state.titles)
            state.answers[key] = answer
            return answer
        }
    }
}
