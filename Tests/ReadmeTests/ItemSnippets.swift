import Pigeon
import Testing

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
        let client = QueryClient()
        let user = User(id: 42, name: "")
        let first = Post(id: 1, author: user)
        let post = QueryDefinition<Post>.value("posts", 1).contains(\.self).contains(\.author)
        let team = QueryDefinition<Team>.value("team").contains(each: User.self, in: \.members)
        let tree = QueryDefinition<Tree>.value("tree").contains(User.self) { tree, visit in tree.visitOwners(visit) }
        let users = QueryDefinition<[User]>.value("users").contains(each: User.self)
        let posts = QueryDefinition<[Post]>.value("posts").contains(each: Post.self).contains(each: \.author)
        let feed = QueryDefinition<Pages<FeedPage, Int>>.value("feed").contains(each: Post.self, in: \FeedPage.posts)
        try client.set(Team(members: [user]), for: team)
        try client.set(.branch(.leaf(user), .leaf(user)), for: tree)
        try client.set([user], for: users)
        try client.set([first], for: posts)
        try client.set(Pages([.init(id: 0, page: FeedPage(posts: [first]))], nextID: nil), for: feed)
        try client.set(first, for: post)
        client.update(User.self, 42) { $0.name = "Ann" }  // wherever a definition says that it stands
        client.update(Post.self, 1) { $0.author.name = "Ann" }
        let ann = User(id: 42, name: "Ann")
        #expect(client.value(of: team)?.members == [ann] && client.value(of: users) == [ann])
        #expect(client.value(of: tree) == .branch(.leaf(ann), .leaf(ann)))
        #expect(client.value(of: posts)?[0].author == ann && client.value(of: feed)?[0].posts[0].author == ann)
        #expect(client.value(of: post)?.author == ann)
        await client.invalidate(.containing(User.self, 42))
        await client.invalidate(.path("feeds").and(.containing(User.self, 42)))
        let keys = client.entries(matching: .containing(User.self, 42)).map(\.key)
        #expect(keys.map(\.queryKeyValue) == ["posts", "posts/1", "team", "tree", "users"])
    }
}
