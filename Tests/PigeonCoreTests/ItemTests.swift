import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Items in many entries")
struct ItemTests {
    typealias User = ItemUser

    struct Post: Identifiable, Codable, Equatable, Sendable {
        let id: UUID
        var author: User
        var editor: User?
    }

    struct Team: Codable, Equatable, Sendable {
        var members: [User]
    }

    struct Visit: Identifiable, Equatable, Sendable {
        enum Code: String, QueryKeyComponent, Hashable { case day, night }
        let id: Code
        var note: String
    }

    enum Side: Equatable, Sendable { case left(User), right }

    private let lab = QueryLab()
    private var client: QueryClient { lab.client }

    private static func user(_ id: Int) -> QueryDefinition<User> { .value("users", id).contains(\.self) }
    private static let users = QueryDefinition<[User]>.value("users").contains(each: User.self)
    private static let posts = QueryDefinition<[Post]>.value("posts")
        .contains(each: Post.self).contains(each: \.author)
    private static func post(_ id: UUID) -> QueryDefinition<Post> {
        .value("posts", id).contains(\.self).contains(\.author).contains(\.editor)
    }
    private static let team = QueryDefinition<Team>.value("team").contains(each: User.self, in: \.members)
    private static let side = QueryDefinition<Side>.value("side").contains(User.self) { side, visit in
        guard case .left(var user) = side else { return }
        visit(&user)
        side = .left(user)
    }

    private let ann = User(id: 1, name: "Ann")
    private let cid = User(id: 2, name: "Cid")

    private func keys(_ id: Int) -> [String] {
        client.entries(matching: .containing(User.self, id)).map(\.key.queryKeyValue)
    }

    @Test("an edit by item reaches it in each part that a definition names, and nothing else", .rule("A97"))
    func reaches() throws {
        let post = Post(id: UUID(), author: ann, editor: cid)
        try client.set(ann, for: Self.user(1))
        try client.set(cid, for: Self.user(2))
        try client.set([ann, cid], for: Self.users)
        try client.set([post, Post(id: UUID(), author: cid)], for: Self.posts)
        try client.set(post, for: Self.post(post.id))
        try client.set(Team(members: [cid, ann, ann]), for: Self.team)
        try client.set(.left(ann), for: Self.side)
        try client.set([ann], for: .value("undeclared"))

        #expect(client.update(User.self, 1) { $0.name = "Bea" } == 6)

        let bea = User(id: 1, name: "Bea")
        #expect(client.value(of: Self.user(1)) == bea)
        #expect(client.value(of: Self.user(2)) == cid)
        #expect(client.value(of: Self.users) == [bea, cid])
        #expect(client.value(of: Self.posts)?.map(\.author) == [bea, cid])
        #expect(client.value(of: Self.post(post.id)) == Post(id: post.id, author: bea, editor: cid))
        #expect(client.value(of: Self.team) == Team(members: [cid, bea, bea]))
        #expect(client.value(of: Self.side) == .left(bea))
        #expect(client.value(of: "undeclared", as: [User].self) == [ann])
        #expect(client.update(User.self, 2) { $0.name = "Dan" } == 5)
        #expect(client.value(of: Self.post(post.id))?.editor?.name == "Dan")
        #expect(client.update(Post.self, post.id) { $0.editor = nil } == 2)
        #expect(client.update(User.self, 3) { $0.name = "Eve" } == 0)
        try client.set(Post(id: post.id, author: cid, editor: cid), for: Self.post(post.id))
        client.update(User.self, 2) { $0.name = "Fay" }
        #expect(client.value(of: Self.post(post.id))?.author.name == "Fay")
        #expect(client.value(of: Self.post(post.id))?.editor?.name == "Fay")
        try client.set(.right, for: Self.side)
        // The list of posts has the newer post, which has another author.
        #expect(client.update(User.self, 1) { $0.name = "Ann" } == 3)
        #expect(client.value(of: Self.side) == .right)
    }

    @Test("items of one identifier and two types are two, also if their identifiers have the same text", .rule("A97"))
    func types() throws {
        let visits = QueryDefinition<[Visit]>.value("visits").contains(each: Visit.self)
        try client.set([Visit(id: .day, note: ""), Visit(id: .night, note: "")], for: visits)
        try client.set([ann], for: Self.users)
        #expect(client.update(Visit.self, .night) { $0.note = "late" } == 1)
        #expect(client.value(of: visits)?.map(\.note) == ["", "late"])
        #expect(keys(1) == ["users"])
    }

    @Test("an edit by item rewrites the pages that have it, and keeps the others", .rule("A97"))
    func pages() throws {
        struct Page: Equatable, Sendable {
            var users: [User]
            var next: Int?
        }
        let list = QueryDefinition<Pages<[User], Int>>.value("pages").contains(each: User.self)
        let feed = QueryDefinition<Pages<Page, Int>>.value("feed").contains(each: User.self, in: \Page.users)
        let post = Post(id: UUID(), author: ann)
        let written = QueryDefinition<Pages<[Post], Int>>.value("written").contains(each: \.author)
        let pages: [Pages<[User], Int>.Loaded] = [.init(id: 0, page: [cid]), .init(id: 1, page: [ann, cid])]
        try client.set(Pages(pages, nextID: 2), for: list)
        try client.set(Pages([.init(id: 0, page: Page(users: [ann], next: 1))], nextID: 1), for: feed)
        try client.set(Pages([.init(id: 0, page: [post])], nextID: nil), for: written)
        let before = try #require(client.value(of: list))

        #expect(client.update(User.self, 1) { $0.name = "Bea" } == 3)

        let after = try #require(client.value(of: list))
        #expect(after.items.map(\.name) == ["Cid", "Bea", "Cid"] && after.nextID == 2)
        #expect(after.loaded(at: 0).stamp == before.loaded(at: 0).stamp)
        #expect(after.loaded(at: 1).stamp != before.loaded(at: 1).stamp)
        #expect(client.value(of: feed)?[0] == Page(users: [User(id: 1, name: "Bea")], next: 1))
        #expect(client.value(of: written)?.items.map(\.author.name) == ["Bea"])
    }

    @Test("an edit by item is one change for those who observe several entries", .rule("A97"))
    func atOnce() async throws {
        try client.set(ann, for: Self.user(1))
        try client.set([ann, cid], for: Self.users)
        let observer = client.observe(Self.users)
        let seen = Recorder<[String]>()
        let subscription = observer.onChange { [client] _ in
            seen.append([client.value(of: Self.users)?[0].name ?? "", client.value(of: Self.user(1))?.name ?? ""])
        }
        client.update(User.self, 1) { $0.name = "Bea" }
        #expect(seen.all.last == ["Bea", "Bea"] && !seen.all.contains { $0[0] != $0[1] })
        withExtendedLifetime(subscription) {}
    }

    @Test("a filter by item finds what contains it now, and takes other conditions", .rule("A98"))
    func filters() async throws {
        let fetcher = lab.fetcher(returning: [User].self)
        let fetched = QueryDefinition("fetched", fetch: fetcher.fetch).contains(each: User.self).staleAfter(.never)
        let observer = client.observe(fetched)
        fetcher.succeed(with: [cid])
        #expect(keys(1) == [])
        #expect(keys(2) == ["fetched"])
        try client.set([ann], for: Self.users)
        try client.set(ann, for: Self.user(1))
        #expect(keys(1) == ["users", "users/1"])
        try client.set([cid], for: Self.users)
        #expect(keys(1) == ["users/1"])
        #expect(keys(2) == ["fetched", "users"])

        client.invalidateWithoutWaiting(.containing(User.self, 2).and(.active))
        #expect(fetcher.calls.count == 2)
        #expect(client.isFetching(.containing(User.self, 2)))
        #expect(!client.isFetching(.containing(User.self, 1)))
        #expect(client.snapshot(of: Self.users).isStale == client.snapshot(of: Self.user(1)).isStale)
        fetcher.succeed(with: [ann])
        #expect(keys(1) == ["fetched", "users/1"])

        client.remove(.containing(User.self, 1))
        #expect(keys(1) == [] && client.value(of: Self.user(1)) == nil)
        #expect(client.value(of: Self.users) == [cid])
        withExtendedLifetime(observer) {}
    }

    @Test("what is removed, collected or signed out contains nothing, and is not retained", .rule("A98"))
    func forgets() async throws {
        final class Token: Sendable {}
        weak var released: Token?
        do {
            let token = Token()
            released = token
            struct Held: Identifiable, Sendable {
                let id: Int
                let token: Token
            }
            let held = QueryDefinition<[Held]>.value("held").contains(each: Held.self).keepFor(.seconds(1))
            try client.set([Held(id: 1, token: token)], for: held)
            #expect(client.entries(matching: .containing(Held.self, 1)).count == 1)
            lab.advance(by: .seconds(2))
            #expect(client.entries(matching: .containing(Held.self, 1)).isEmpty)
        }
        #expect(released == nil)
        try client.set([ann], for: Self.users)
        let observer = client.observe(Self.users)
        #expect(keys(1) == ["users"])
        try await client.clear()
        #expect(keys(1) == [] && client.update(User.self, 1) { $0.name = "Bea" } == 0)
        try client.set([ann], for: Self.users)
        #expect(keys(1) == ["users"])
        withExtendedLifetime(observer) {}
    }

    @Test("an edit by item is written to the records of its entries", .rule("A97"))
    func records() async throws {
        let cache = InMemoryQueryCache()
        let client = QueryClient(cache: cache, environment: lab.environment)
        let kept = Self.users.persisted()
        try client.set([ann, cid], for: kept)
        await client.flush()
        client.update(User.self, 1) { $0.name = "Bea" }
        await client.flush()
        let next = QueryClient(cache: cache, environment: lab.environment)
        #expect(next.value(of: kept)?.map(\.name) == ["Bea", "Cid"])
        // What was read from a record is found, too.
        #expect(next.update(User.self, 2) { $0.name = "Dan" } == 1)
        #expect(next.value(of: kept)?.map(\.name) == ["Bea", "Dan"])
    }

    private struct Rename: Mutating {
        let name: String
        func run(_ context: MutationContext) async throws -> User { User(id: 1, name: name) }
        func succeeded(_ user: User, _ writes: CacheWrites) { writes.update(User.self, user.id) { $0 = user } }
        func invalidates(_ user: User) -> [KeyFilter] { [.containing(User.self, user.id)] }
    }

    @Test("a mutation writes its answer by item, and makes stale what contains it", .rule("A97"))
    func mutation() async throws {
        try client.set(ann, for: Self.user(1))
        try client.set([ann], for: Self.users.staleAfter(.never))
        try client.set([cid], for: .value("others"))
        _ = try await client.mutate(Rename(name: "Bea"))
        #expect(client.value(of: Self.users)?.map(\.name) == ["Bea"])
        #expect(client.value(of: Self.user(1))?.name == "Bea")
        let stale = client.entries(matching: .all.and(.stale)).map(\.key.queryKeyValue)
        #expect(stale == ["users", "users/1"])
    }

    @Test("code that reads items may use the client", .rule("A97"))
    func reentrancy() throws {
        let client = client
        let asking = QueryDefinition<[User]>.value("asking").contains(User.self) { users, visit in
            _ = client.value(of: Self.user(1))
            _ = client.entries(matching: .path("users")).count
            for index in users.indices { visit(&users[index]) }
        }
        try client.set([ann], for: asking)
        try client.set(ann, for: Self.user(1))
        #expect(client.update(User.self, 1) { $0.name = client.count == 2 ? "Bea" : "" } == 2)
        #expect(client.value(of: asking)?.map(\.name) == ["Bea"])
    }

    @Test("a thread finds the item that it has just written, whoever else asks", .rule("A98"), arguments: 0..<40)
    func threads(seed: UInt64) async throws {
        let missed = try await Interleaving(seed: seed).run { environment in
            let client = QueryClient(environment: environment)
            return try await withThrowingTaskGroup(of: Int.self) { group in
                for id in 0..<4 {
                    group.addTask {
                        let list = QueryDefinition<[User]>.value("lists", id).contains(each: User.self)
                        try client.set([User(id: id, name: "")], for: list)
                        return client.update(User.self, id) { $0.name = "\(id)" } == 1 ? 0 : 1
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        #expect(missed == 0)
    }

    @Test("what an optimistic change shows is found, and edited once it is confirmed", .rule("A98"))
    func optimistic() async throws {
        struct Add: Mutating {
            let user: User
            let answer: @Sendable () async throws -> Void
            func run(_ context: MutationContext) async throws { try await answer() }
            func optimistic(_ edits: inout OptimisticEdits) { edits.update(ItemTests.users) { $0.append(user) } }
        }
        try client.set([ann], for: Self.users)
        let fetcher = lab.fetcher(returning: Void.self)
        let task = lab.start { [client, cid] in
            try await client.mutate(Add(user: cid) { try await fetcher.call() })
        }
        #expect(keys(2) == ["users"])
        fetcher.succeed()
        #expect(task.error == nil && task.value != nil)
        #expect(client.update(User.self, 2) { $0.name = "Dan" } == 1)
        #expect(client.value(of: Self.users)?.map(\.name) == ["Ann", "Dan"])
    }

    @Test("an entry learns what it contains from whichever definition says so, and says most", .rule("A97"))
    func definitions() throws {
        try client.set([ann], for: "users")
        let observer = client.observe(Self.users)
        #expect(keys(1) == ["users"])
        let post = Post(id: UUID(), author: ann)
        try client.set([post], for: QueryDefinition<[Post]>.value("posts").contains(each: Post.self))
        #expect(keys(1) == ["users"])
        try client.set([post], for: Self.posts)
        #expect(keys(1) == ["posts", "users"])
        try client.set([post], for: QueryDefinition<[Post]>.value("posts").contains(each: Post.self))
        #expect(keys(1) == ["posts", "users"])
        withExtendedLifetime(observer) {}
    }

    @Test("a key that is observed as one type, and fetched as another, contains what its values do", .rule("A97"))
    func otherType() throws {
        let observer = client.observe(QueryDefinition<Team>.value("key").contains(each: User.self, in: \.members))
        let fetcher = lab.fetcher(returning: [User].self)
        let other = client.observe(QueryDefinition("key", fetch: fetcher.fetch).contains(each: User.self))
        fetcher.succeed(with: [ann])
        #expect(keys(1) == ["key"])
        withExtendedLifetime((observer, other)) {}
    }

    @Test("an edit by item during a first load is not lost", .rule("A97"), .rule("A34"))
    func firstLoad() throws {
        let fetcher = lab.fetcher(returning: [User].self)
        let other = lab.fetcher(returning: [Visit].self)
        let observer = client.observe(QueryDefinition("list", fetch: fetcher.fetch).contains(each: User.self))
        let unconcerned = client.observe(QueryDefinition("visits", fetch: other.fetch).contains(each: Visit.self))
        client.update(User.self, 1) { $0.name = "Bea" }
        fetcher.succeed(with: [ann])
        other.succeed(with: [])
        #expect(fetcher.calls.count == 2 && other.calls.count == 1)
        fetcher.succeed(with: [User(id: 1, name: "Bea")])
        #expect(observer.value?.map(\.name) == ["Bea"] && fetcher.calls.count == 2)
        withExtendedLifetime(unconcerned) {}
    }

    @Test("a part that is said twice is edited once", .rule("A97"))
    func twice() throws {
        let posts = Self.posts.contains(each: \.author).contains(each: Post.self)
        try client.set([Post(id: UUID(), author: ann)], for: posts)
        client.update(User.self, 1) { $0.name += "!" }
        #expect(client.value(of: posts)?[0].author.name == "Ann!")
    }

    @Test("an item with a temporary identifier is found by it before and after the server has named it", .rule("A98"))
    func temporary() throws {
        struct Note: Identifiable, Equatable, Sendable {
            let id: TemporaryID<Int>
            var text: String
        }
        let notes = QueryDefinition<[Note]>.value("notes").contains(each: Note.self)
        let id = TemporaryID<Int>.make()
        try client.set([Note(id: id, text: "")], for: notes)
        #expect(client.update(Note.self, id) { $0.text = "a" } == 1)
        client.noteAssigned([id.becomes(7)])
        #expect(client.update(Note.self, id) { $0.text = "b" } == 1)
        #expect(client.update(Note.self, .assigned(7)) { $0.text += "c" } == 1)
        #expect(client.value(of: notes)?.map(\.text) == ["bc"])
    }

    @Test("code that reads items, and asks for one, ends", .rule("A98"))
    func recursion() throws {
        let client = client
        let asking = QueryDefinition<[User]>.value("asking").contains(User.self) { users, visit in
            client.invalidate(.containing(User.self, 1))
            for index in users.indices { visit(&users[index]) }
        }
        try client.set([ann], for: asking)
        #expect(keys(1) == ["asking"])
    }

    @Test("a condition by item selects among the entries of a path", .rule("A98"))
    func condition() throws {
        try client.set(ann, for: Self.user(1))
        try client.set([ann, cid], for: Self.users)
        try client.set(Team(members: [ann]), for: Self.team)
        let found = client.entries(matching: .path("users").and(.containing(User.self, 1)).and(.fresh))
        #expect(found.map(\.key.queryKeyValue) == ["users", "users/1"])
        let both = KeyFilter.containing(User.self, 1).and(.containing(User.self, 2))
        #expect(client.entries(matching: both).map(\.key.queryKeyValue) == ["users"])
    }
}
