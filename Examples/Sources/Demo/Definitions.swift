import Pigeon

extension QueryDefinition where Value == User {
    /// A user: fresh for a minute, kept on disk, and asked for again with the tag that the server gave.
    static func user(_ id: Int, _ api: DemoAPI) -> Self {
        QueryDefinition("users", id) { try await api.get("/users/\(id)", $0) }
            .staleAfter(.seconds(60))
            .tagged("users")
            .persisted()
    }
}

extension QueryDefinition where Value == Post {
    /// A post, which changes of posts make stale.
    static func post(_ id: Int, _ api: DemoAPI) -> Self {
        QueryDefinition("posts", id) { try await api.get("/posts/\(id)", $0) }
            .staleAfter(.seconds(60))
            .tagged("posts")
    }
}

extension QueryDefinition where Value == [Post] {
    /// All posts of a user.
    static func posts(of user: Int, _ api: DemoAPI) -> Self {
        QueryDefinition("users", user, "posts") { try await api.get("/users/\(user)/posts", $0) }
            .staleAfter(.seconds(60))
            .tagged("posts")
    }
}

/// Gives a post another title.
struct RenamePost: Mutating {
    let id: Int
    let title: String
    let api: DemoAPI

    func run(_ context: MutationContext) async throws -> Post {
        try await api.patch("/posts/\(id)", ["title": title], key: context.idempotencyKey)
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.post(id, api)) { [title] in $0.title = title }
    }

    func invalidates(_ post: Post) -> [KeyFilter] { [.tag("posts")] }
}
