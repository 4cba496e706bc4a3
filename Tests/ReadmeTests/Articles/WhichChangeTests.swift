import Foundation
import Observation
import Pigeon
import PigeonHTTP
import PigeonSQLite
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Article: which call does a Save button make?")
struct WhichChangeTests {
    struct Note: Codable, Equatable, Identifiable, Sendable {
        var id: TemporaryID<Int>  // the server's {"id": 7} decodes as .assigned(7)
        var title: String
    }

    struct RenameNote: DurableMutation {
        var id: TemporaryID<Int>
        var title: String

        func run(_ context: MutationContext) async throws -> Note {
            try await context[NotesAPI.self].rename(id, to: title, idempotencyKey: context.idempotencyKey)
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.notes) { notes in
                for index in notes.indices where notes[index].id.matches(id) { notes[index].title = title }
            }
            edits.update(.note(id)) { $0.title = title }
        }

        func invalidates(_ note: Note) -> [KeyFilter] { [.path("notes")] }
    }

    struct CreateNote: DurableMutation {
        var id = TemporaryID<Int>.make()
        var title: String

        func run(_ context: MutationContext) async throws -> Note {
            try await context[NotesAPI.self].create(title, idempotencyKey: context.idempotencyKey)
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            let note = Note(id: id, title: title)
            edits.update(.notes) { $0.append(note) }
            edits.set(note, for: .note(id))  // for the note's own screen
        }

        func assigns(_ note: Note) -> [AssignedID] { [id.becomes(note.id)] }
    }

    struct CorrectNote: Mutating {
        var id: TemporaryID<Int>
        var title: String

        func run(_ context: MutationContext) async throws -> Note {
            try await context[NotesAPI.self].rename(id, to: title, idempotencyKey: context.idempotencyKey)
        }

        func succeeded(_ note: Note, _ writes: CacheWrites) { writes.set(note, for: .note(note.id)) }
        func invalidates(_ note: Note) -> [KeyFilter] { [.query(.notes)] }
    }

    @MainActor @Observable
    final class NoteModel {
        private(set) var message = ""
        private(set) var isSaving = false
        private let id: TemporaryID<Int>
        private let client: QueryClient

        init(_ id: TemporaryID<Int>, client: QueryClient) {
            (self.id, self.client) = (id, client)
        }

        func save(_ title: String) async {
            isSaving = true
            defer { isSaving = false }
            do {
                switch try await client.submit(RenameNote(id: id, title: title)) {
                case .completed: message = "Saved."
                case .queued: message = needsSignIn ? "Please sign in. Your change is kept." : "Will be sent later."
                }
            } catch {
                message = error.userMessage
            }
        }

        private var needsSignIn: Bool {
            client.outbox.snapshot.waiting.contains { $0.stage == .waiting(.authorization) }
        }
    }

    @MainActor @Observable
    final class RefusedChanges {
        private(set) var items: [OutboxItem] = []
        private let client: QueryClient

        init(client: QueryClient) { self.client = client }

        /// Called for as long as the list may be shown: `.task { await refused.follow() }`.
        func follow() async {
            for await outbox in client.outbox.updates { items = outbox.setAside }
        }

        func title(of item: OutboxItem) -> String { (item.mutation as? RenameNote)?.title ?? item.name }
        func reason(of item: OutboxItem) -> String { item.error?.userMessage ?? "The server refused this." }

        func retry(_ item: OutboxItem) async throws { try await client.outbox.retry(item.id) }
        func discard(_ item: OutboxItem) async throws { try await client.outbox.discard(item.id) }
        func rename(_ item: OutboxItem, to title: String) async throws {
            try await client.outbox.edit(item.id, as: RenameNote.self) { $0.title = title }
        }
    }

    private let api = NotesAPI()
    private let store = InMemoryMutationStore()
    private let tooLong = HTTPError.status(422, message: "The title is too long.")

    /// Creates a program that shows the notes.
    private func program(isOnline: Bool = true) throws -> (QueryLab, QueryObserver<[Note]>) {
        let lab = QueryLab(
            outbox: Outbox.Setup(store: store, mutations: [CreateNote.self, RenameNote.self]),
            dependencies: Dependencies(api))
        lab.setOnline(isOnline)
        let notes = lab.client.observe(.notes)
        lab.settle()
        try lab.client.set([Note(id: .assigned(1), title: "Bread")], for: .notes)
        return (lab, notes)
    }

    // MARK: The Save button

    @Test func `what the server has is saved, and nothing is left in the outbox`() async throws {
        let (lab, notes) = try program()
        let model = NoteModel(.assigned(1), client: lab.client)
        try await lab.run { await model.save("Milk") }
        await lab.settled()
        #expect(model.message == "Saved." && !model.isSaving)
        #expect(api.titles == ["Milk"])
        #expect(notes.value?.map(\.title) == ["Milk"])
        #expect(lab.client.outbox.snapshot.isEmpty)
    }

    @Test func `without a network, the change is queued and shown, and made later`() async throws {
        let (lab, notes) = try program(isOnline: false)
        let model = NoteModel(.assigned(1), client: lab.client)
        try await lab.run { await model.save("Milk") }
        #expect(model.message == "Will be sent later.")
        #expect(api.titles == ["Bread"])
        #expect(notes.value?.map(\.title) == ["Milk"] && notes.snapshot.isOptimistic)
        lab.setOnline(true)
        await lab.settled()
        #expect(api.titles == ["Milk"])
        #expect(!notes.snapshot.isOptimistic)
    }

    @Test(arguments: [(401, "Please sign in. Your change is kept."), (503, "Will be sent later.")])
    func `a change is queued if the session has expired, or if the server is down`(
        status: Int, message: String
    ) async throws {
        let (lab, _) = try program()
        let model = NoteModel(.assigned(1), client: lab.client)
        api.fail(with: HTTPError.status(status))
        try await lab.run { await model.save("Milk") }
        #expect(model.message == message)
        #expect(lab.client.outbox.snapshot.waiting.count == 1)
        #expect(api.titles == ["Bread"])
        lab.client.outbox.resume()
        lab.advance(by: .seconds(2))
        await lab.settled()
        #expect(api.titles == ["Milk"])
    }

    @Test func `a refusal is shown and rolled back, and leaves nothing behind`() async throws {
        let (lab, notes) = try program()
        let model = NoteModel(.assigned(1), client: lab.client)
        api.fail(with: tooLong)
        try await lab.run { await model.save("Milk") }
        await lab.settled()
        #expect(model.message == "The title is too long.")
        #expect(notes.value?.map(\.title) == ["Bread"])
        #expect(lab.client.outbox.snapshot.isEmpty)
    }

    @Test func `a queued change survives the process`() async throws {
        let (first, _) = try program(isOnline: false)
        let model = NoteModel(.assigned(1), client: first.client)
        try await first.run { await model.save("Milk") }
        let (second, notes) = try program(isOnline: false)
        #expect(notes.value?.map(\.title) == ["Milk"])
        second.setOnline(true)
        await second.settled()
        #expect(api.titles == ["Milk"])
    }

    @Test func `mutate waits in memory while offline, and throws a refusal`() throws {
        let (lab, notes) = try program(isOnline: false)
        let client = lab.client
        let call = lab.start { try await client.mutate(RenameNote(id: .assigned(1), title: "Milk")) }
        #expect(call.result == nil && client.outbox.snapshot.isEmpty)
        #expect(notes.value?.map(\.title) == ["Milk"])
        api.fail(with: tooLong)
        lab.setOnline(true)
        lab.settle()
        #expect(call.error?.userMessage == "The title is too long.")
        #expect(notes.value?.map(\.title) == ["Bread"])
    }

    @Test func `mutate retries a durable mutation while the server is down`() throws {
        let (lab, _) = try program()
        let client = lab.client
        api.fail(with: HTTPError.status(503))
        let call = lab.start { try await client.mutate(RenameNote(id: .assigned(1), title: "Milk")) }
        #expect(call.result == nil)
        lab.advance(by: .seconds(2))
        #expect(call.value?.title == "Milk")
        #expect(client.outbox.snapshot.isEmpty)
    }

    @Test func `a refusal of a submitted change is reported by the client, too`() throws {
        let (lab, _) = try program()
        let (client, failures) = (lab.client, Recorder<String>())
        let subscription = client.onFailure { error, _ in failures.append(error.userMessage) }
        api.fail(with: tooLong)
        let refused = lab.start { try await client.submit(RenameNote(id: .assigned(1), title: "Milk")).output }
        lab.settle()
        #expect(refused.error?.userMessage == "The title is too long.")
        #expect(failures.all == ["The title is too long."])
        #expect(client.outbox.snapshot.isEmpty)
        subscription.cancel()
    }

    @Test func `the server's answer is shown without a fetch, and what is invalidated is fetched again`() throws {
        let (lab, notes) = try program()
        let client = lab.client
        let screen = client.observe(.note(.assigned(1)))
        lab.settle()
        #expect(screen.value?.title == "Bread")
        let fetched = api.fetched.count
        let change = lab.start { try await client.mutate(CorrectNote(id: .assigned(1), title: " Milk ")) }
        lab.settle()
        #expect(change.value?.title == "Milk")
        #expect(screen.value?.title == "Milk")
        #expect(notes.value?.map(\.title) == ["Milk"])
        #expect(api.fetched.dropFirst(fetched) == ["notes"])
    }

    // MARK: What was refused later

    @Test func `a change that nobody waits for is set aside, and can be retried, edited and discarded`() async throws {
        let (lab, notes) = try program()
        let (client, failures) = (lab.client, Recorder<String>())
        let subscription = client.onFailure { error, _ in failures.append(error.userMessage) }
        let refused = RefusedChanges(client: client)
        let follow = Task { await refused.follow() }
        defer { follow.cancel() }

        api.fail(with: tooLong)
        _ = lab.start { try await client.enqueue(RenameNote(id: .assigned(1), title: "Milk and bread")) }
        lab.settle()
        await until { !refused.items.isEmpty }
        let item = try #require(refused.items.first)
        #expect(refused.title(of: item) == "Milk and bread")
        #expect(refused.reason(of: item) == "The title is too long.")
        #expect(failures.all == ["The title is too long."])
        #expect(notes.value?.map(\.title) == ["Bread"])

        api.fail(with: tooLong)
        try await lab.run { try await refused.retry(item) }
        await lab.settled()
        #expect(client.outbox.snapshot.setAside.map(\.id) == [item.id])

        try await lab.run { try await refused.rename(item, to: "Milk") }
        await lab.settled()
        #expect(api.titles == ["Milk"])
        await until { refused.items.isEmpty }

        api.fail(with: tooLong)
        _ = lab.start { try await client.enqueue(RenameNote(id: .assigned(1), title: "Milk and bread")) }
        lab.settle()
        await until { !refused.items.isEmpty }
        let other = try #require(refused.items.first)
        try await lab.run { try await refused.discard(other) }
        await lab.settled()
        #expect(client.outbox.snapshot.isEmpty)
        #expect(api.titles == ["Milk"])
        subscription.cancel()
    }

    // MARK: Creating

    @Test func `the server's number decodes as an assigned identifier`() throws {
        let note = try JSONDecoder().decode(Note.self, from: Data(#"{"id": 7, "title": "Milk"}"#.utf8))
        #expect(note.id == .assigned(7) && note.id.value == 7)
        #expect(CreateNote(title: "Milk").id.value == nil)
    }

    @Test func `a note that was created offline is renamed with the server's identifier`() async throws {
        let (lab, notes) = try program(isOnline: false)
        let (client, create) = (lab.client, CreateNote(title: "Oats"))
        try await lab.run { _ = try await client.submit(create) }
        let model = NoteModel(create.id, client: client)
        try await lab.run { await model.save("Milk") }
        #expect(model.message == "Will be sent later.")
        #expect(notes.value?.map(\.title) == ["Bread", "Milk"])
        lab.setOnline(true)
        await lab.settled()
        #expect(api.titles == ["Bread", "Milk"])
        #expect(api.renamed == [2])
    }

    @Test func `the screen of a note that was created offline goes on with the server's note`() async throws {
        let (lab, notes) = try program(isOnline: false)
        let (client, create) = (lab.client, CreateNote(title: "Oats"))
        try await lab.run { _ = try await client.submit(create) }
        let screen = client.observe(.note(create.id))
        lab.settle()
        #expect(screen.value?.title == "Oats" && screen.snapshot.isPaused)
        func shownRow(_ id: TemporaryID<Int>) -> Note? {
            let row = notes.value?.first { $0.id.matches(id) }
            return row
        }
        #expect(shownRow(create.id)?.title == "Oats")
        #expect(create.id.value == nil && api.fetched.isEmpty)

        lab.setOnline(true)
        await lab.settled()
        #expect(screen.key == "notes/2" && screen.value?.id.value == 2 && !screen.snapshot.isPaused)
        #expect(create.id.value == 2 && "\(create.id)" == "2" && create.id != .assigned(2))
        #expect(shownRow(create.id)?.title == "Oats" && shownRow(.assigned(2))?.title == "Oats")

        let model = NoteModel(create.id, client: client)
        try await lab.run { await model.save("Milk") }
        await lab.settled()
        #expect(model.message == "Saved." && api.renamed == [2])
        #expect(screen.value == Note(id: .assigned(2), title: "Milk"))
        #expect(api.fetched.contains("note 2"))

        // The identifier that was kept since the creation, in a change that no outbox decodes again.
        lab.setOnline(false)
        let change = lab.start { try await client.mutate(RenameNote(id: create.id, title: "Rye")) }
        #expect(notes.value?.map(\.title) == ["Bread", "Rye"])
        lab.setOnline(true)
        await lab.settled()
        #expect(change.value?.title == "Rye" && api.renamed == [2, 2])
    }

    @Test func `a client has an outbox in a file`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("which-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let api = api
        func start() throws -> QueryClient {
            let store = try SQLiteMutationStore(at: folder.appendingPathComponent("outbox.sqlite"))
            let client = QueryClient(
                outbox: Outbox.Setup(store: store, mutations: [CreateNote.self, RenameNote.self]),
                dependencies: Dependencies(api))
            return client
        }
        let client = try start()
        try await client.enqueue(RenameNote(id: .assigned(1), title: "Milk"))
        #expect(await client.outbox.drain(within: .seconds(60)) == 0)
        #expect(api.titles == ["Milk"])
    }

    /// A server of notes, which fails once as the test says.
    final class NotesAPI: Sendable {
        private struct State {
            var notes = [Note(id: .assigned(1), title: "Bread")]
            var renamed: [Int?] = []
            var fetched: [String] = []
            var failure: (any Error)?
        }

        private let state = Locked(State())

        var titles: [String] { state.withLock { $0.notes.map(\.title) } }
        /// The identifiers with which notes were renamed.
        var renamed: [Int?] { state.withLock { $0.renamed } }
        /// What was fetched, in order.
        var fetched: [String] { state.withLock { $0.fetched } }
        func fail(with error: any Error) { state.withLock { $0.failure = error } }

        func notes() async throws -> [Note] {
            state.withLock { state in
                state.fetched.append("notes")
                return state.notes
            }
        }

        func note(_ id: TemporaryID<Int>) async throws -> Note {
            try state.withLock { state in
                state.fetched.append("note \(id)")
                guard let note = state.notes.first(where: { $0.id.value == id.value }) else {
                    throw HTTPError.status(404)
                }
                return note
            }
        }

        func rename(_ id: TemporaryID<Int>, to title: String, idempotencyKey: String) async throws -> Note {
            try state.withLock { state in
                if let failure = state.failure.take() { throw failure }
                guard let index = state.notes.firstIndex(where: { $0.id.matches(id) }) else {
                    throw HTTPError.status(404)
                }
                state.renamed.append(id.value)
                state.notes[index].title = title.trimmingCharacters(in: .whitespaces)
                return state.notes[index]
            }
        }

        func create(_ title: String, idempotencyKey: String) async throws -> Note {
            try state.withLock { state in
                if let failure = state.failure.take() { throw failure }
                let note = Note(id: .assigned(state.notes.count + 1), title: title)
                state.notes.append(note)
                return note
            }
        }
    }
}

// The article's name. Another file of this module has an API of this name for itself.
private typealias NotesAPI = WhichChangeTests.NotesAPI

extension QueryDefinition where Value == WhichChangeTests.Note {
    static func note(_ id: TemporaryID<Int>) -> Self {
        QueryDefinition("notes", id) { context in try await context[NotesAPI.self].note(id) }
    }
}

extension QueryDefinition where Value == [WhichChangeTests.Note] {
    fileprivate static var notes: Self {
        QueryDefinition("notes") { context in try await context[WhichChangeTests.NotesAPI.self].notes() }
            .staleAfter(.never)
    }
}
