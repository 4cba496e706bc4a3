import Foundation
import PigeonCore
import PigeonOutbox
import PigeonHTTP

struct User: Codable, Sendable, Equatable {
    var id: Int
    var name: String
    var email: String
}

struct Post: Codable, Sendable, Equatable, Identifiable {
    var id: Int
    var userId: Int
    var title: String
    var body: String
}

struct Clock: Codable, Sendable, Equatable {
    var tick: Int
}

/// A secret: its key is hidden from the devtools.
struct Session: Codable, Sendable, Equatable {
    var token: String
}

extension QueryDefinition where Value == User {
    static func user(_ id: Int) -> Self {
        QueryDefinition("users", id) { try await $0[NetworkDispatcher.self].value(from: .get("/users/\(id)"), for: $0) }
            .staleAfter(.seconds(20)).tagged("users").retry(.standard).persisted()
    }
}

extension QueryDefinition where Value == Post {
    static func post(_ id: Int) -> Self {
        QueryDefinition("posts", id) { try await $0[NetworkDispatcher.self].value(from: .get("/posts/\(id)"), for: $0) }
            .staleAfter(.seconds(30)).tagged("posts").retry(.standard).persisted().contains(\.self)
    }
}

extension QueryDefinition where Value == Clock {
    static var clock: Self {
        QueryDefinition("clock") { try await $0[NetworkDispatcher.self].value(from: .get("/clock")) }
            .options { $0.pollEvery = .seconds(2) }
    }
}

extension QueryDefinition where Value == Session {
    static var session: Self { .value("session") }
}

extension QueryDefinition where Value == Pages<[Post], Int> {
    /// All posts, page by page.
    static var feed: Self {
        QueryDefinition.pages("feed", first: 1) { page, context in
            let query = ["_page": page, "_limit": 20].map { URLQueryItem(name: $0, value: "\($1)") }
            return try await context[NetworkDispatcher.self].value(from: .get("/posts", queryItems: query))
        } next: { page, id in
            page.count < 20 ? nil : id + 1
        }
        .tagged("posts").contains(each: Post.self)
    }
}

/// A change of a post's title.
protocol TitleChange: Mutating where Output == Post {
    var id: Int { get }
    var title: String { get }
}

extension TitleChange {
    func run(_ context: MutationContext) async throws -> Post {
        let headers = ["Idempotency-Key": context.idempotencyKey]
        let request = BasicRequest.patch("/posts/\(id)", json: ["title": title], headers: headers)
        return try await context[NetworkDispatcher.self].value(from: request)
    }

    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.post(id)) { $0.title = title } }
    func invalidates(_ post: Post) -> [KeyFilter] { [.query(.post(id))] }
}

/// Is sent at once, if there is a network.
struct RenamePost: TitleChange {
    let id: Int
    let title: String
}

/// Is sent whatever happens to the program or the network.
struct RetitlePost: TitleChange, DurableMutation {
    let id: Int
    let title: String
    var scope: String? { "posts/\(id)" }
}
