import Foundation
import Pigeon
import PigeonTesting
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

    private struct Message: Identifiable, Sendable, Equatable {
        let id: Int
        var text = ""
    }

    private struct Note: Identifiable, Sendable, Equatable {
        let id: Int
    }

    private struct RenameUser: Mutating {
        let id: Int
        let name: String
        let answer: @Sendable () async throws -> Void
        func run(_ context: MutationContext) async throws { try await answer() }
        func optimistic(_ edits: inout OptimisticEdits) { edits.update(User.self, id) { $0.name = name } }
    }

    private struct AddNote: Mutating {
        let note: Note
        let answer: @Sendable () async throws -> Void
        func run(_ context: MutationContext) async throws { try await answer() }
        func optimistic(_ edits: inout OptimisticEdits) { edits.insert(note, into: .path("notes")) }
    }

    @Test func `items are added to lists, and removed from all, also while a mutation runs`() throws {
        let lab = QueryLab()
        let client = lab.client
        let rooms = QueryDefinition<[Message]>.value("rooms", 3).contains(each: Message.self)
        let posts = QueryDefinition<[Post]>.value("posts").contains(each: Post.self).contains(each: \.author)
        let notes = QueryDefinition<[Note]>.value("notes").contains(each: Note.self)
        try client.set([Message(id: 1)], for: rooms)
        try client.set([Post(id: 7, author: User(id: 42, name: "Bea"))], for: posts)
        try client.set([Note(id: 1)], for: notes)
        let server = lab.fetcher(returning: Void.self)
        let rename = lab.start { try await client.mutate(RenameUser(id: 42, name: "Ann") { try await server.call() }) }
        let add = lab.start { try await client.mutate(AddNote(note: Note(id: 2)) { try await server.call() }) }
        #expect(client.value(of: posts)?[0].author.name == "Ann" && client.value(of: notes)?.map(\.id) == [2, 1])
        server.fail(with: URLError(.timedOut))
        server.fail(with: URLError(.timedOut))
        #expect(rename.error != nil && add.error != nil)
        #expect(client.value(of: posts)?[0].author.name == "Bea" && client.value(of: notes)?.map(\.id) == [1])
        let message = Message(id: 2)
        client.insert(message, at: .end, into: .path("rooms", 3))
        client.remove(Post.self, 7)  // deleted elsewhere
        #expect(client.value(of: rooms)?.map(\.id) == [1, 2] && client.value(of: posts) == [])
    }

    @Test func `one page of a list is loaded again`() async throws {
        let client = QueryClient()
        let posts = QueryDefinition<Pages<[Note], Int>>.pages("posts", first: 1) { page, _ in
            [Note(id: page)]
        } next: { _, page in
            page + 1
        }
        await client.prefetch(posts, pages: 3)
        try await client.refetch(posts, page: 3)
        #expect(client.value(of: posts)?.ids == [1, 2, 3])
    }
}
