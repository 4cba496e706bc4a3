import Pigeon
import Testing

private struct API: Sendable {
    func post(_ id: Int) async throws -> ItemSnippets.Post { .init(id: id, author: .init(id: 42, name: "")) }
}

private typealias Post = ItemSnippets.Post

extension QueryDefinition where Value == Post {
    fileprivate static func post(_ id: Post.ID) -> Self {
        QueryDefinition("posts", id) { context in try await context[API.self].post(id) }
            .contains(\.self)
            .contains(\.author)
    }
}

/// The examples of ``PigeonCore/QueryDefinition/contains(_:)`` and of what needs it.
@Suite("Examples of items")
struct ItemSnippets {
    struct User: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var name: String
    }

    struct Post: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var author: User
    }

    struct Team: Codable, Equatable, Sendable {
        var members: [User]
    }

    struct FeedPage: Codable, Equatable, Sendable {
        var posts: [Post]
    }

    indirect enum Tree: Equatable, Sendable {
        case leaf(User)
        case branch(Tree, Tree)

        mutating func visitOwners(_ visit: (inout User) -> Void) {
            switch self {
            case .leaf(var user):
                visit(&user)
                self = .leaf(user)
            case .branch(var left, var right):
                left.visitOwners(visit)
                right.visitOwners(visit)
                self = .branch(left, right)
            }
        }
    }

    @Test func `an item is edited wherever a definition says that it stands`() async throws {
        let client = QueryClient(dependencies: Dependencies(API()))
        let (user, post) = (User(id: 42, name: ""), Post(id: 1, author: User(id: 42, name: "")))
        let team = QueryDefinition<Team>.value("team").contains(each: User.self, in: \.members)
        let tree = QueryDefinition<Tree>.value("tree").contains(User.self) { tree, visit in tree.visitOwners(visit) }
        let users = QueryDefinition<[User]>.value("users").contains(each: User.self)
        let posts = QueryDefinition<[Post]>.value("posts").contains(each: Post.self).contains(each: \.author)
        let feed = QueryDefinition<Pages<FeedPage, Int>>.value("feed").contains(each: Post.self, in: \FeedPage.posts)
        try client.set(Team(members: [user]), for: team)
        try client.set(.branch(.leaf(user), .leaf(user)), for: tree)
        try client.set([user], for: users)
        try client.set([post], for: posts)
        try client.set(Pages([.init(id: 0, page: FeedPage(posts: [post]))], nextID: nil), for: feed)
        #expect(try await client.fetch(.post(1)) == post)
        client.update(User.self, 42) { $0.name = "Ann" }  // in the detail, the list, the pages of posts
        client.update(Post.self, 1) { $0.author.name = "Ann" }
        let ann = User(id: 42, name: "Ann")
        #expect(client.value(of: team)?.members == [ann] && client.value(of: users) == [ann])
        #expect(client.value(of: tree) == .branch(.leaf(ann), .leaf(ann)))
        #expect(client.value(of: posts)?[0].author == ann && client.value(of: feed)?[0].posts[0].author == ann)
        #expect(client.value(of: .post(1))?.author == ann)
        await client.invalidate(.containing(User.self, 42))
        let keys = client.entries(matching: .containing(User.self, 42)).map(\.key)
        #expect(keys.map(\.queryKeyValue) == ["posts", "posts/1", "team", "tree", "users"])
    }
}
