import Foundation
import Pigeon
import PigeonHTTP
import PigeonSQLite

/// A post of the journal that scene 8 edits. Until the server has seen it, its identifier is one that the program made up.
struct JournalPost: Codable, Sendable, Equatable {
    var id: TemporaryID<Int>
    var userId: Int
    var title: String
    var body: String
}

extension QueryDefinition where Value == [JournalPost] {
    /// The posts of user 2, kept on disk.
    static var journal: Self {
        QueryDefinition("journal") { context in
            try await context[NetworkDispatcher.self].value(from: .get("/users/2/posts"), for: context)
        }
        .tagged("journal")
        .persisted()
    }
}

/// A change of the journal. All of them are sent in order.
protocol JournalChange: DurableMutation where Output == JournalPost {}

extension JournalChange {
    var scope: String? { "journal" }
    func invalidates(_ post: JournalPost) -> [KeyFilter] { [.tag("journal")] }
    /// Sooner than a program would, because somebody watches the demo.
    var retry: RetryPolicy { RetryPolicy(limit: .max, delay: { .milliseconds(40 << min($0, 8)) }, hasJitter: false) }
}

/// Adds a post.
struct WritePost: JournalChange {
    var id = TemporaryID<Int>.make()
    var title: String
    var body: String

    func run(_ context: MutationContext) async throws -> JournalPost {
        let headers = ["Idempotency-Key": context.idempotencyKey]
        let fields = Fields(userId: 2, title: title, body: body)
        return try await context[NetworkDispatcher.self].value(from: .post("/posts", json: fields, headers: headers))
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        let post = JournalPost(id: id, userId: 2, title: title, body: body)
        edits.update(.journal) { $0.append(post) }
    }

    func assigns(_ post: JournalPost) -> [AssignedID] { [id.becomes(post.id)] }

    private struct Fields: Encodable, Sendable {
        let userId: Int
        let title, body: String
    }
}

/// Gives a post another title, unless the server has a newer version than the one with the tag.
struct RetitlePost: JournalChange {
    let id: TemporaryID<Int>
    let title: String
    var tag: String?

    func run(_ context: MutationContext) async throws -> JournalPost {
        var headers = ["Idempotency-Key": context.idempotencyKey]
        headers["If-Match"] = tag
        let request = BasicRequest.patch("/posts/\(id)", json: ["title": title], headers: headers)
        return try await context[NetworkDispatcher.self].value(from: request)
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.journal) { [id, title] posts in
            for index in posts.indices where posts[index].id.matches(id) { posts[index].title = title }
        }
    }

    /// Somebody else has changed the post. The title is still wanted, on top of what they did.
    func resolve(_ conflict: MutationConflict) async throws -> ConflictResolution {
        let api = try conflict.context[NetworkDispatcher.self]
        return .retry(RetitlePost(id: id, title: title, tag: try await Self.tag(of: id, api)))
    }

    /// The tag of the version of a post that the server has.
    static func tag(of id: TemporaryID<Int>, _ api: NetworkDispatcher) async throws -> String? {
        try await api.response(from: .get("/posts/\(id)")).headers["ETag"]
    }
}

/// A run of the program that edits the journal: its client, with what it leaves on disk.
struct JournalProgram {
    let client: QueryClient
    private let events: QuerySubscription

    /// Starts the program with the files that its last run has left.
    init(in folder: URL, _ api: NetworkDispatcher, isOnline: Bool, _ timeline: Timeline) throws {
        let store = try SQLiteMutationStore(at: folder.appendingPathComponent("outbox.sqlite"))
        client = QueryClient(
            cache: try SQLiteQueryCache(at: folder.appendingPathComponent("journal.sqlite")),
            outbox: Outbox.Setup(store: store, mutations: [WritePost.self, RetitlePost.self]),
            dependencies: Dependencies(api),
            environment: QueryEnvironment(connectivity: EnvironmentSignal(isOnline)))
        events = client.onEvent { timeline.say($0) }
    }

    /// The titles in the journal that are on screen, without waiting for anything.
    var titles: [String] { client.value(of: .journal)?.map(\.title) ?? [] }

    func setOnline(_ isOnline: Bool) { client.environment.connectivity.set(isOnline) }
}
