import Foundation
import Pigeon
import PigeonHTTP

extension QueryDefinition where Value == User {
    /// A user: fresh for a minute, kept on disk, and asked for again with the tag that the server gave.
    static func user(_ id: Int, _ api: NetworkDispatcher) -> Self {
        QueryDefinition("users", id) { try await api.value(from: .get("/users/\(id)"), for: $0) }
            .staleAfter(.seconds(60))
            .tagged("users")
            .persisted()
    }
}

extension QueryDefinition where Value == [User] {
    /// All users: fresh for a minute, and kept on disk.
    static func users(_ api: NetworkDispatcher) -> Self {
        QueryDefinition("users") { try await api.value(from: .get("/users"), for: $0) }
            .staleAfter(.seconds(60))
            .persisted(schema: 1)
    }
}

extension QueryDefinition where Value == Post {
    /// A post, which changes of posts make stale.
    static func post(_ id: Int, _ api: NetworkDispatcher) -> Self {
        QueryDefinition("posts", id) { try await api.value(from: .get("/posts/\(id)"), for: $0) }
            .staleAfter(.seconds(60))
            .tagged("posts")
    }
}

extension QueryDefinition where Value == [Post] {
    /// All posts of a user.
    static func posts(of user: Int, _ api: NetworkDispatcher) -> Self {
        QueryDefinition("users", user, "posts") { try await api.value(from: .get("/users/\(user)/posts"), for: $0) }
            .staleAfter(.seconds(60))
            .tagged("posts")
    }
}

extension QueryDefinition where Value == Pages<[Post], Int> {
    /// All posts, page by page. The list ends with a page that is not full.
    static func feed(_ api: NetworkDispatcher) -> Self {
        .pages("feed", first: 1) { page, context in
            let range = [
                URLQueryItem(name: "_page", value: "\(page)"),
                URLQueryItem(name: "_limit", value: "\(Paging.pageSize)"),
            ]
            return try await api.value(from: .get("/posts", queryItems: range), for: context)
        } next: { posts, page in
            posts.count < Paging.pageSize ? nil : page + 1
        }
        .staleAfter(.seconds(60))
        .persisted(schema: 1)
    }
}

/// Gives a post another title.
struct RenamePost: Mutating {
    let id: Int
    let title: String
    let api: NetworkDispatcher

    func run(_ context: MutationContext) async throws -> Post {
        let headers = ["Idempotency-Key": context.idempotencyKey]
        return try await api.value(from: .patch("/posts/\(id)", json: ["title": title], headers: headers))
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.post(id, api)) { [title] in $0.title = title }
    }

    func invalidates(_ post: Post) -> [KeyFilter] { [.tag("posts")] }
}
