import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Reports of items, for developer tools")
struct ItemReportTests {
    struct User: Identifiable, Equatable, Sendable {
        let id: Int
        var name = ""
    }

    struct Post: Identifiable, Equatable, Sendable {
        let id: Int
        var author: User
    }

    enum Old {
        struct User: Identifiable, Equatable, Sendable {
            let id: String
        }
    }

    struct Both: Equatable, Sendable {
        var user: User
        var old: Old.User
    }

    private let lab = QueryLab()
    private var client: QueryClient { lab.client }

    private static let users = QueryDefinition<[User]>.value("users").contains(each: User.self)
    private static func user(_ id: Int) -> QueryDefinition<User> { .value("users", id).contains(\.self) }

    private func user(_ id: String, in key: QueryKey = "users") throws -> ItemKey {
        try #require(client.report(of: key)?.items?.kinds.first { $0.name == "User" }).item(id)
    }

    @Test("a report counts the items of a value by type, and lists the first of them in order", .rule("A104"))
    func listings() throws {
        let posts = QueryDefinition<[Post]>.value("posts").contains(each: Post.self).contains(each: \.author)
        try client.set((1...12).map { Post(id: $0, author: User(id: $0 % 2)) }, for: posts)
        try client.set("", for: .value("plain"))
        let items = try #require(client.report(of: "posts")?.items)
        #expect(items.listings(limit: 3).map(\.kind.name) == ["Post", "User"])
        #expect(items.listings(limit: 3).map(\.count) == [12, 2])
        #expect(items.listings(limit: 3).map { $0.items.map(\.id) } == [["1", "2", "3"], ["0", "1"]])
        #expect(items.listings(limit: 12)[0].items.map(\.id).suffix(4) == ["9", "10", "11", "12"])
        #expect(items.listings(limit: 0).map(\.items.count) == [0, 0])
        #expect(client.report(of: "plain")?.items == nil)
    }

    @Test("an item that stands on two pages counts once, and an entry that lost its value has none", .rule("A104"))
    func pages() throws {
        let list = QueryDefinition<Pages<[User], Int>>.value("list").contains(each: User.self)
        let pages = [[1, 2], [2, 3]].enumerated().map { number, ids in
            Pages<[User], Int>.Loaded(id: number, page: ids.map { User(id: $0) })
        }
        try client.set(Pages(pages, nextID: nil), for: list)
        let observer = client.observe(list)
        let before = try #require(client.report(of: "list")?.items)
        #expect(before.listings(limit: 9)[0].items.map(\.id) == ["1", "2", "3"])
        #expect(client.report(of: "list")?.items?.mark == before.mark)
        client.update(list) { $0.updatePage(at: 0) { $0.append(User(id: 4)) } }
        let after = try #require(client.report(of: "list")?.items)
        #expect(after.mark != before.mark && after.listings(limit: 9)[0].count == 4)
        client.remove(.key("list"))
        #expect(client.report(of: "list")?.items?.listings(limit: 9).map(\.count) ?? [0] == [0])
        withExtendedLifetime(observer) {}
    }

    @Test("two types with one name are told apart", .rule("A104"))
    func names() throws {
        let both = QueryDefinition<Both>.value("both").contains(\.user).contains(\.old)
        try client.set(Both(user: User(id: 1), old: Old.User(id: "1")), for: both)
        let kinds = try #require(client.report(of: "both")?.items?.kinds)
        #expect(kinds.map(\.name) == [String(reflecting: User.self), String(reflecting: Old.User.self)])
        #expect(kinds[0].item("1") != kinds[1].item("1"))
    }

    @Test("the client names the entries that contain an item, and the page that brought the newest", .rule("A104"))
    func places() throws {
        try client.set([User(id: 1)], for: Self.users)
        let item = try user("1")
        let first = client.places(of: item, limit: 9)
        #expect(first.origin?.key == "users" && first.origin?.page == nil && first.count == 1)
        let list = QueryDefinition<Pages<[User], Int>>.value("list").contains(each: User.self)
        try client.set(
            Pages([.init(id: 0, page: []), .init(id: 1, page: [User(id: 1, name: "Bea")])], nextID: nil), for: list)
        let places = client.places(of: item, limit: 9)
        #expect(places.places.map(\.key) == ["list", "users"] && places.count == 2)
        #expect(places.places.map(\.isBehind) == [false, false])
        #expect(places.origin?.key == "list" && places.origin?.page == 2)
        #expect(client.places(of: item, limit: 1).places.map(\.key) == ["list"])
        #expect(client.places(of: item, limit: 1).count == 2)
        let none = client.places(of: try user("9"), limit: 9)
        #expect(none.places.isEmpty && none.count == 0 && none.origin == nil)
        client.remove(.key("list"))
        // The entry that brought it is gone.
        #expect(client.places(of: item, limit: 9).places.map(\.key) == ["users"])
        #expect(client.places(of: item, limit: 9).origin?.key == "list")
    }

    @Test("an entry that waits for a newer item says so", .rule("A104"))
    func behind() throws {
        let list = lab.fetcher(returning: [User].self)
        let listed = QueryDefinition("users", fetch: list.fetch).contains(each: User.self)
        try client.set([User(id: 1)], for: listed)
        try client.set(User(id: 1), for: Self.user(1))
        let observer = client.observe(listed.staleAfter(.seconds(60)))
        let item = try user("1")
        let call = lab.start { [client] in try await client.fetch(listed, .networkOnly) }
        let server = lab.fetcher(returning: Void.self)
        let mutation = lab.start { [client] in
            try await client.mutate("Rename", optimistic: { $0.update(User.self, 1) { $0.name = "Ann" } }) { _ in
                try await server.call()
            }
        }
        server.succeed()
        #expect(mutation.error == nil)
        try client.set(User(id: 1, name: "Bea"), for: Self.user(1))
        let places = client.places(of: item, limit: 9)
        #expect(places.places.map(\.key) == ["users", "users/1"])
        #expect(places.places.map(\.isBehind) == [true, false])
        let waiting = try #require(client.report(of: "users")?.items)
        #expect(waiting.listings(limit: 9).map(\.behindCount) == [1])
        #expect(waiting.listings(limit: 0).map(\.behindCount) == [1])
        #expect(waiting.listings(limit: 9)[0].items.map(\.isBehind) == [true])
        list.succeed(with: [User(id: 1)])
        #expect(call.result != nil)
        #expect(client.places(of: item, limit: 9).places.map(\.isBehind) == [false, false])
        #expect(client.report(of: "users")?.items?.mark != waiting.mark)
        withExtendedLifetime(observer) {}
    }

    @Test("a replayed newer item leaves its entry as old as it was", .rule("V7"))
    func replayed() throws {
        let shown = Self.user(1).staleAfter(.seconds(30))
        try client.set(User(id: 1), for: shown)
        lab.advance(by: .seconds(20))
        let before = client.snapshot(of: shown)
        let cause = Cause.newerItem(in: "posts", page: 3)
        let isTaken = client.takeNewerItem(at: shown.key, as: User.self, cause) { $0.name = "Bea" }
        #expect(isTaken && client.value(of: shown)?.name == "Bea")
        #expect(client.snapshot(of: shown).updatedAt == before.updatedAt)
        #expect(lab.log.contains("users/1 written (newer item in posts, page 3)"))
        #expect(!client.takeNewerItem(at: shown.key, as: String.self, cause) { $0 = "" })
        #expect(!client.takeNewerItem(at: "nothing", as: User.self, cause) { $0.name = "" })
    }
}
