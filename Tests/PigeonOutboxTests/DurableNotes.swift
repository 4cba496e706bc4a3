import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import Testing

/// A server of notes that recognizes idempotency keys, and fails as the test says.
final class NotesServer: Sendable {
    struct Request: Equatable {
        var key: String
        var change: String
        var attempt: Int
    }

    struct Failure: TransientErrorType, Equatable {
        var statusCode: Int?
        var retryAfter: Duration?
    }

    struct Visit {
        var isRestored: Bool
        var enqueuedAt: Date?
    }

    private struct State {
        var requests: [Request] = []
        var made: [String] = []
        var known: Set<String> = []
        var failures: [(change: String, error: any Error)] = []
        var isHolding = false
        var held: [CheckedContinuation<Void, Never>] = []
        var loses = 0
        var visits: [Visit] = []
    }

    private let state = Locked(State())

    /// All requests, including repeated ones.
    var requests: [Request] { state.withLock { $0.requests } }
    /// The changes that were made, each once.
    var made: [String] { state.withLock { $0.made } }
    /// What the contexts of the requests said. The contexts themselves would retain their clients.
    var contexts: [Visit] { state.withLock { $0.visits } }
    var heldCount: Int { state.withLock { $0.held.count } }

    /// Fails the next request for a change.
    func fail(_ change: String, with error: any Error) { state.withLock { $0.failures.append((change, error)) } }
    func fail(_ change: String, status: Int) { fail(change, with: Failure(statusCode: status)) }

    /// Makes the next changes, and loses the answers.
    func loseAnswers(_ count: Int) { state.withLock { $0.loses = count } }

    func hold() { state.withLock { $0.isHolding = true } }

    func release() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func make(_ change: String, _ context: MutationContext) async throws -> String {
        let isHolding = state.withLock { state in
            state.requests.append(Request(key: context.idempotencyKey, change: change, attempt: context.attempt))
            state.visits.append(Visit(isRestored: context.isRestored, enqueuedAt: context.enqueuedAt))
            return state.isHolding
        }
        if isHolding {
            await withCheckedContinuation { continuation in state.withLock { $0.held.append(continuation) } }
            try Task.checkCancellation()
        }
        return try state.withLock { state in
            if let index = state.failures.firstIndex(where: { $0.change == change }) {
                throw state.failures.remove(at: index).error
            }
            if state.known.insert(context.idempotencyKey).inserted { state.made.append(change) }
            if state.loses > 0 {
                state.loses -= 1
                throw Failure(statusCode: 503)
            }
            return change
        }
    }
}

extension QueryDefinition where Value == [String] {
    static var notes: Self { QueryDefinition("notes") { _ in ["server"] } }
}

/// Adds a note to the list.
struct AddNote: DurableMutation {
    var text: String
    var scope: String? = "notes"
    var limit: Int?
    var age: Duration?
    var after = AfterSetAside.wait

    init(_ text: String, scope: String? = "notes") {
        self.text = text
        self.scope = scope
    }

    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make(text, context)
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        let text = text
        edits.update(.notes) { $0.append(text) }
    }
    var maximumAge: Duration? { age }
    var afterSetAside: AfterSetAside { after }
    var retry: RetryPolicy { limit.map { RetryPolicy(limit: $0, hasJitter: false) } ?? .persistent }

    private enum CodingKeys: String, CodingKey { case text, scope, limit, age, after }
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        text = try values.decode(String.self, forKey: .text)
        scope = try values.decodeIfPresent(String.self, forKey: .scope)
        limit = try values.decodeIfPresent(Int.self, forKey: .limit)
        age = try values.decodeIfPresent(Double.self, forKey: .age).map { .seconds($0) }
        after = [.wait, .proceed, .setAside][try values.decode(Int.self, forKey: .after)]
    }
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(text, forKey: .text)
        try values.encodeIfPresent(scope, forKey: .scope)
        try values.encodeIfPresent(limit, forKey: .limit)
        try values.encodeIfPresent(age.map { Double($0.components.seconds) }, forKey: .age)
        try values.encode([.wait, .proceed, .setAside].firstIndex(of: after) ?? 0, forKey: .after)
    }
}

/// Renames one note. Later renames of the same note take the place of earlier ones, and resolve conflicts as the test says.
struct RenameNote: DurableMutation {
    enum Policy: String, Codable { case mine, theirs, aside }
    var id: Int
    var title: String
    var policy = Policy.aside
    var scope: String? { "notes" }

    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make("\(id)=\(title)", context)
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        let title = title
        edits.update(QueryDefinition<String>("note", id) { _ in "server" }) { $0 = title }
    }
    func merging(_ earlier: any DurableMutation) -> MutationMerge {
        guard let earlier = earlier as? RenameNote else { return .separate }
        return earlier.id == id ? .combined(self) : .unrelated
    }
    func resolve(_ conflict: MutationConflict) async throws -> ConflictResolution {
        switch policy {
        case .aside: return .setAside
        case .theirs: return .discard
        case .mine:
            var merged = self
            merged.title += "+theirs"
            return .retry(merged)
        }
    }
}

/// Deletes one note, which makes waiting changes of it pointless.
struct DeleteNote: DurableMutation {
    var id: Int
    var scope: String? { "notes" }
    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make("-\(id)", context)
    }
    func merging(_ earlier: any DurableMutation) -> MutationMerge {
        switch earlier {
        case let rename as RenameNote where rename.id == id: .replacing
        case let create as CreateNote where create.id == id: .cancelling
        default: .unrelated
        }
    }
}

/// Creates one note.
struct CreateNote: DurableMutation {
    var id: Int
    var scope: String? { "notes" }
    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make("+\(id)", context)
    }
}

/// A program with an outbox, which can be started again with the same store and server.
struct NotesProgram {
    let store: any MutationStore
    let server: NotesServer
    let lab: QueryLab
    var client: QueryClient { lab.client }
    var outbox: OutboxSnapshot { lab.client.outbox.snapshot }

    init(
        _ store: any MutationStore = InMemoryMutationStore(), _ server: NotesServer = NotesServer(),
        session: String? = nil, isOnline: Bool = true, seed: UInt64 = 1, cache: (any QueryCacheType)? = nil,
        mutations: [any DurableMutation.Type] = [
            AddNote.self, RenameNote.self, DeleteNote.self, CreateNote.self,
        ], coding: MutationCoding? = nil, startingAfter seconds: TimeInterval = 0
    ) {
        self.store = store
        self.server = server
        lab = QueryLab(
            startingAfter: seconds, seed: seed, cache: cache,
            outbox: Outbox.Setup(store: store, mutations: mutations, session: session, coding: coding),
            dependencies: Dependencies(server))
        if !isOnline { lab.setOnline(false) }
    }

    /// Starts the program again, after a crash. What the old one had begun goes on without effect in the store, because
    /// its lease has ended.
    func restarted(isOnline: Bool = true, session: String? = nil) -> NotesProgram {
        NotesProgram(store, server, session: session, isOnline: isOnline, seed: lab.random.next())
    }

    @discardableResult
    func enqueue<M: DurableMutation>(_ mutation: M) -> LabTask<EnqueuedMutation<M.Output>> {
        let task = lab.start { [client] in try await client.enqueue(mutation) }
        lab.settle()
        return task
    }

    @discardableResult
    func start<Value: Sendable>(_ body: @escaping @Sendable (Outbox) async throws -> Value) -> LabTask<Value> {
        let task = lab.start { [client] in try await body(client.outbox) }
        lab.settle()
        return task
    }

    /// The optimistic list of notes.
    var notes: [String]? { client.value(of: .notes) }
}
