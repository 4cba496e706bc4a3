import Foundation
import Pigeon
import PigeonREST
import PigeonSQLite
import PigeonStore

/// The examples in the documentation comments of the outbox.
private enum OutboxSnippets {
    struct Note: Codable, Sendable {
        typealias ID = Int
        var id: ID
        var title: String
    }

    struct NotesAPI: Sendable {
        func rename(_ id: Int, to title: String, idempotencyKey: String) async throws -> Note {
            Note(id: id, title: title)
        }
    }

    struct RenameNote: DurableMutation {
        var id: Note.ID
        var title: String
        var scope: String? { "notes/\(id)" }

        func run(_ context: MutationContext) async throws -> Note {
            try await context[NotesAPI.self].rename(id, to: title, idempotencyKey: context.idempotencyKey)
        }
        func optimistic(_ edits: inout OptimisticEdits) { edits.update(.note(id)) { $0.title = title } }
        func invalidates(_ note: Note) -> [KeyFilter] { [.tag("notes")] }
    }

    static func setUp(_ cache: SQLiteQueryCache, _ url: URL) async throws {
        let client = QueryClient(
            cache: cache, outbox: Outbox.Setup(store: try SQLiteMutationStore(at: url), mutations: [RenameNote.self]))
        try await client.enqueue(RenameNote(id: 7, title: "Milk"))  // returns once it is on disk
        for await outbox in client.outbox.updates { badge(outbox.waiting.count, outbox.setAside) }
    }

    static func enqueue(_ client: QueryClient, _ item: OutboxItem) async throws {
        try await client.enqueue(RenameNote(id: 7, title: "Milk"))
        try await client.outbox.edit(item.id, as: RenameNote.self) { $0.title = "Bread" }
    }

    static func store() throws {
        let folder = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        let store = try SQLiteMutationStore(at: folder.appendingPathComponent("outbox.sqlite"))
        let client = QueryClient(outbox: Outbox.Setup(store: store, mutations: [RenameNote.self]))
        _ = client
    }

    static func coding(_ vault: Vault) {
        let coding = MutationCoding(seal: { try vault.encrypt($0) }, open: { try vault.decrypt($0) })
        _ = coding
    }

    @MainActor
    static func mutation(_ client: QueryClient) {
        let rename = Mutation(durably: { title in RenameNote(id: 7, title: title) }, client: client)
        rename.execute(with: "Milk")
    }

    @MainActor
    static func submission(_ client: QueryClient) {
        let rename = Mutation(submitting: { title in RenameNote(id: 7, title: title) }, client: client)
        rename.execute(with: "Milk") { note, _ in show(note.output?.title ?? "Will be sent.") }
    }

    static func submit(_ client: QueryClient) async throws {
        switch try await client.submit(RenameNote(id: 7, title: "Milk")) {
        case .completed(let note): close(note)  // the server has it
        case .queued: show("Will be sent.")  // it is on disk, and is sent as soon as possible
        }  // refused: thrown, rolled back, and nothing is left behind
    }

    static func close(_ note: Note) {}
    static func show(_ text: String) {}
    static func badge(_ count: Int, _ setAside: [OutboxItem]) {}

    struct Vault: Sendable {
        func encrypt(_ data: Data) throws -> Data { data }
        func decrypt(_ data: Data) throws -> Data { data }
    }
}

extension QueryDefinition where Value == OutboxSnippets.Note {
    fileprivate static func note(_ id: Int) -> Self {
        QueryDefinition("notes", id) { _ in OutboxSnippets.Note(id: id, title: "") }
    }
}

private enum TemporaryIDSnippets {
    struct Note: Codable, Sendable {
        var id: TemporaryID<Int>
        var title: String
    }
    struct NotesAPI: Sendable {
        func create(_ title: String) async throws -> Note { Note(id: .assigned(1), title: title) }
    }
    struct CreateNote: DurableMutation {
        var id = TemporaryID<Int>.make()
        var title: String
        var scope: String? { "notes/\(id)" }

        func run(_ context: MutationContext) async throws -> Note { try await context[NotesAPI.self].create(title) }
        func optimistic(_ edits: inout OptimisticEdits) {
            let note = Note(id: id, title: title)
            edits.update(.notes) { $0.append(note) }
        }
        func assigns(_ note: Note) -> [AssignedID] { [id.becomes(note.id)] }
    }
}

extension QueryDefinition where Value == [TemporaryIDSnippets.Note] {
    fileprivate static var notes: Self { QueryDefinition("notes") { _ in [] } }
}

private enum StoreSnippets {
    struct Settings: Codable, Sendable { var isLoud = false }
    struct SendSettings: DurableMutation {
        var settings: Settings
        init(_ settings: Settings) { self.settings = settings }
        func run(_ context: MutationContext) async throws {}
    }

    static func update(_ settings: AnyStoreFlowable<UnitHash, Settings>, _ new: Settings) async throws {
        try await settings.update(newData: new, enqueuing: SendSettings(new))
    }
}

private enum RecordedRequestSnippets {
    static func enqueue(_ store: SQLiteMutationStore) async throws {
        let client = QueryClient(outbox: Outbox.Setup(store: store, mutations: [RecordedRequest.self]))
        let api = Service(baseURL: "https://api.example.com", client: client)
        try await api.resource("/notes/7").enqueue(.patch, json: ["title": "Milk"])
    }

    struct Repository: Sendable { var stars = 0 }

    static func star(_ service: Service) async throws {
        service.configure("/repos/*/*") {
            $0.optimistic { (repository: inout Repository, request) in
                repository.stars += request.method == .put ? 1 : -1
            }
        }
        let repository = service.resource("/repos/ann/atlas")
        try await service.resource("/user/starred/ann/atlas").enqueue(.put, reloading: [repository])
    }

    static func signIn(_ client: QueryClient, _ token: String) {
        client.outbox.setSession(DataIsolation.perUser(identifiedBy: token).session)
    }
}
