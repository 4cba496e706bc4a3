import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The newest item reaches all entries")
struct ItemSpreadTests {
    typealias User = ItemUser

    struct Post: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var title: String
        var author: User
    }

    private let lab = QueryLab()
    private var client: QueryClient { lab.client }

    private static func user(_ id: Int) -> QueryDefinition<User> { .value("users", id).contains(\.self) }
    private static let users = QueryDefinition<[User]>.value("users").contains(each: User.self)
    private static let posts = QueryDefinition<[Post]>.value("posts")
        .contains(each: Post.self).contains(each: \.author)
    private static func post(_ id: Int) -> QueryDefinition<Post> {
        .value("posts", id).contains(\.self).contains(\.author)
    }

    private let ann = User(id: 1, name: "Ann")
    private let bea = User(id: 1, name: "Bea")
    private let cid = User(id: 2, name: "Cid")

    private func names(_ key: QueryKey) -> [String] {
        (client.value(of: key, as: [User].self) ?? []).map(\.name)
    }

    // MARK: Newer items

    @Test("an answer brings its items to every entry, which stays as old and as right as it was", .rule("A99"))
    func answer() throws {
        let list = QueryDefinition<Pages<[User], Int>>.value("list").contains(each: User.self)
        try client.set([ann, cid], for: Self.users.staleAfter(.seconds(60)))
        try client.set(
            Pages([.init(id: 0, page: [cid]), .init(id: 1, page: [cid, ann])], nextID: nil), for: list)
        try client.set(Post(id: 5, title: "", author: ann), for: Self.post(5))
        client.invalidateWithoutWaiting(.path("posts"))
        let observer = client.observe(Self.users.staleAfter(.seconds(60)))
        let seen = Recorder<String>()
        let detail = lab.fetcher(returning: User.self)
        let subscription = observer.onChange { [client] in
            seen.append("\($0.value?[0].name ?? "") \(client.value(of: "users/1", as: User.self)?.name ?? "-")")
        }
        lab.advance(by: .seconds(40))
        let before = client.snapshot(of: Self.users)
        lab.clearLog()
        let screen = client.observe(QueryDefinition("users", 1, fetch: detail.fetch).contains(\.self))
        detail.succeed(with: bea)

        #expect(names("users") == ["Bea", "Cid"])
        #expect(client.value(of: list)?.items.map(\.name) == ["Cid", "Cid", "Bea"])
        #expect(client.value(of: Self.post(5))?.author == bea)
        #expect(seen.all.last == "Bea Bea" && !seen.all.contains("Ann Bea"))
        #expect(observer.snapshot.updatedAt == before.updatedAt && !observer.snapshot.isStale)
        #expect(client.entries(matching: .path("posts").and(.stale)).count == 1)
        let written = lab.events.filter { $0.description.contains("newer item") }.map(\.description)
        #expect(
            Set(written) == [
                "users written (newer item in users/1)", "list written (newer item in users/1)",
                "posts/5 written (newer item in users/1)",
            ])
        lab.advance(by: .seconds(21))
        #expect(observer.snapshot.isStale)
        withExtendedLifetime((subscription, screen)) {}
    }

    @Test(
        "an answer to an earlier request does not undo a newer item, and its caller receives the newer one",
        .rule("A100"))
    func late() throws {
        let list = lab.fetcher(returning: [User].self)
        let detail = lab.fetcher(returning: User.self)
        let listed = QueryDefinition("users", fetch: list.fetch).contains(each: User.self)
        let shown = QueryDefinition("users", 1, fetch: detail.fetch).contains(\.self)
        let observer = client.observe(listed)
        let seen = Recorder<String>()
        let subscription = observer.onChange { seen.append($0.value?.first?.name ?? "-") }
        let call = lab.start { [client] in try await client.fetch(listed) }
        lab.advance(by: .seconds(1))
        let screen = client.observe(shown)
        detail.succeed(with: bea)
        list.succeed(with: [ann, cid])
        #expect(call.value?.map(\.name) == ["Bea", "Cid"])
        #expect(names("users") == ["Bea", "Cid"] && !seen.all.contains("Ann"))
        // The next answer is newer.
        let again = lab.start { [client] in try await client.fetch(listed, .networkOnly) }
        list.succeed(with: [User(id: 1, name: "Dan"), cid])
        #expect(again.value?[0].name == "Dan" && client.value(of: shown)?.name == "Dan")
        withExtendedLifetime((subscription, screen)) {}
    }

    @Test("an answer that its own entry drops is no news", .rule("A100"))
    func dropped() throws {
        let detail = lab.fetcher(returning: User.self)
        let shown = QueryDefinition("users", 1, fetch: detail.fetch).contains(\.self)
        try client.set([ann], for: Self.users)
        let call = lab.start { [client] in try await client.fetch(shown) }
        try client.set(User(id: 1, name: "Dan"), for: shown)
        #expect(names("users") == ["Dan"])
        detail.succeed(with: bea)
        #expect(call.result != nil && names("users") == ["Dan"] && client.value(of: shown)?.name == "Dan")
    }

    @Test("an edit is news of the items that it changed, and of no other", .rule("A100"))
    func edits() throws {
        let detail = lab.fetcher(returning: User.self)
        let shown = QueryDefinition("users", 1, fetch: detail.fetch).contains(\.self)
        try client.set([ann, cid], for: Self.users)
        try client.set(cid, for: Self.user(2))
        let call = lab.start { [client] in try await client.fetch(shown) }
        client.update(Self.users) { $0[1].name = "Dan" }
        #expect(client.value(of: Self.user(2))?.name == "Dan")
        // It was requested before the edit, which did not change this user.
        detail.succeed(with: bea)
        #expect(call.value == bea && names("users") == ["Bea", "Dan"])
    }

    @Test("an edit of one place reaches the others in the same value", .rule("A99"))
    func places() throws {
        try client.set([Post(id: 1, title: "a", author: ann), Post(id: 2, title: "b", author: ann)], for: Self.posts)
        client.update(Self.posts) { $0[1].author.name = "Bea" }
        #expect(client.value(of: Self.posts)?.map(\Post.author.name) == ["Bea", "Bea"])
    }

    @Test("an edit that an answer may replace is no reason to refuse the answer", .rule("A100"))
    func fetchWins() throws {
        let detail = lab.fetcher(returning: User.self)
        let shown = QueryDefinition("users", 1, fetch: detail.fetch).contains(\.self)
        try client.set(ann, for: shown)
        try client.set([ann], for: Self.users)
        let call = lab.start { [client] in try await client.fetch(shown, .networkOnly) }
        client.update(shown, during: .fetchWins) { $0.name = "Dan" }
        #expect(names("users") == ["Dan"])
        detail.succeed(with: bea)
        #expect(call.value == bea && names("users") == ["Bea"])
    }

    @Test("an answer that is old when it arrives is as old as its age", .rule("A100"))
    func age() throws {
        let shown = Self.user(1)
        lab.advance(by: .seconds(100))
        try client.set([ann], for: Self.users)
        lab.advance(by: .seconds(10))
        let cached = QueryDefinition<User>("users", 1) { [ann] context in
            context.run.note(age: .seconds(50))
            return User(id: ann.id, name: "Old")
        }.contains(\.self)
        let call = lab.start { [client] in try await client.fetch(cached) }
        #expect(call.value == ann && client.value(of: shown) == ann && names("users") == ["Ann"])
    }

    @Test("each value that a fetcher sends after its first is as of then", .rule("A100"))
    func yields() throws {
        let live = lab.fetcher(returning: User.self)
        let screen = client.observe(QueryDefinition("users", 1, fetch: live.fetch).contains(\.self))
        live.yield(ann)
        lab.advance(by: .seconds(60))
        try client.set([User(id: 1, name: "Dan")], for: Self.users)
        #expect(screen.value?.name == "Dan")
        lab.advance(by: .seconds(60))
        live.yield(bea)
        #expect(screen.value == bea && names("users") == ["Bea"])
    }

    @Test("an answer \"not modified\" says that its items are as new as its request", .rule("A100"))
    func notModified() throws {
        let list = lab.fetcher(returning: [User].self)
        let detail = lab.fetcher(returning: User.self)
        let listed = QueryDefinition("users", fetch: list.fetch).contains(each: User.self)
        let shown = QueryDefinition("users", 1, fetch: detail.fetch).contains(\.self)
        try client.set([bea], for: listed)
        let slow = lab.start { [client] in try await client.fetch(shown) }
        lab.advance(by: .seconds(1))
        let call = lab.start { [client] in try await client.fetch(listed, .networkOnly) }
        list.notModified()
        detail.succeed(with: ann)
        #expect(call.value == [bea] && slow.value == bea && client.value(of: shown) == bea)
    }

    // MARK: Pages

    @Test("a page that is added brings its items to the pages before it, and to other entries", .rule("A99"))
    func pages() async throws {
        let pages = lab.fetcher(returning: [User].self)
        let list = QueryDefinition<Pages<[User], Int>>.pages("list", first: 0) { page, _ in
            try await pages.call(page)
        } next: { _, page in
            page + 1
        }.contains(each: User.self)
        try client.set([ann], for: Self.users)
        let first = lab.start { [client] in try await client.fetch(list) }
        pages.succeed(with: [ann, cid])
        #expect(first.value != nil)
        let before = try #require(client.value(of: list)?.loaded(at: 0).stamp)
        let next = lab.start { [client] in try await client.fetchNextPage(of: list) }
        lab.clearLog()
        pages.succeed(with: [bea])
        #expect(next.error == nil)
        #expect(client.value(of: list)?.items.map(\.name) == ["Bea", "Cid", "Bea"])
        #expect(names("users") == ["Bea"])
        #expect(lab.log.contains("users written (newer item in list, page 2)"))
        let third = lab.start { [client] in try await client.fetchNextPage(of: list) }
        lab.advance(by: .seconds(1))
        client.update(User.self, 2) { $0.name = "Dan" }
        pages.succeed(with: [cid])
        #expect(third.error == nil)
        #expect(client.value(of: list)?.items.map(\.name) == ["Bea", "Dan", "Bea", "Dan"])
        #expect(client.value(of: list)?.loaded(at: 0).stamp != before)
    }

    @Test("each page is as new as its own request", .rule("A100"))
    func eachPage() throws {
        let pages = lab.fetcher(returning: [User].self)
        let detail = lab.fetcher(returning: User.self)
        let list = QueryDefinition<Pages<[User], Int>>.pages("list", first: 0) { page, _ in
            try await pages.call(page)
        } next: { _, page in
            page + 1
        }.contains(each: User.self)
        let shown = QueryDefinition("users", 2, fetch: detail.fetch).contains(\.self)
        try client.set(Pages([.init(id: 0, page: [ann]), .init(id: 1, page: [cid])], nextID: 2), for: list)
        let refresh = lab.start { [client] in try await client.fetch(list, .networkOnly) }
        lab.advance(by: .seconds(1))
        let call = lab.start { [client] in try await client.fetch(shown) }
        lab.advance(by: .seconds(1))
        // The second page is requested after the detail was.
        pages.succeed(with: [ann])
        detail.succeed(with: User(id: 2, name: "Old"))
        pages.succeed(with: [cid])
        #expect(refresh.value?.items.map(\.name) == ["Ann", "Cid"] && call.value != nil)
        #expect(client.value(of: shown) == cid)
    }

    // MARK: Parts

    @Test("what is a part of an item comes with it, and stays the newest", .rule("A99"))
    func nested() throws {
        let list = lab.fetcher(returning: [Post].self)
        let listed = QueryDefinition("posts", fetch: list.fetch).contains(each: Post.self).contains(each: \.author)
        let call = lab.start { [client] in try await client.fetch(listed) }
        lab.advance(by: .seconds(1))
        try client.set(bea, for: Self.user(1))
        try client.set(Post(id: 5, title: "old", author: cid), for: Self.post(5))
        list.succeed(with: [Post(id: 4, title: "new", author: ann), Post(id: 5, title: "older", author: ann)])
        #expect(call.value?.map(\.title) == ["new", "old"] && call.value?.map(\Post.author.name) == ["Bea", "Cid"])
        try client.set(Post(id: 4, title: "newer", author: User(id: 1, name: "Eve")), for: Self.post(4))
        #expect(client.value(of: listed)?[0] == client.value(of: Self.post(4)))
        #expect(client.value(of: Self.user(1))?.name == "Eve")
    }

    @Test("a list of rows and a detail have the same item through a property of the detail", .rule("A99"))
    func projection() throws {
        let rows = QueryDefinition<[ItemRow]>.value("rows").contains(each: ItemRow.self)
        let shown = QueryDefinition<User>.value("users", 1).contains(\.self).contains(\.row)
        try client.set([ann.row, cid.row], for: rows)
        try client.set(User(id: 1, name: "Bea", likes: 3), for: shown)
        #expect(client.value(of: rows)?.map(\.name) == ["Bea", "Cid"])
        client.update(User.self, 1) { $0.name = "Dan" }
        #expect(client.value(of: rows)?.map(\.name) == ["Dan", "Cid"])
        try client.set([ItemRow(id: 1, name: "Eve")], for: rows)
        #expect(client.value(of: shown) == User(id: 1, name: "Eve", likes: 3))
    }

    // MARK: Records and sources

    @Test("a record that is read receives what is newer, and its entry is written again", .rule("A99"))
    func records() async throws {
        let cache = InMemoryQueryCache()
        let kept = Self.users.persisted()
        let before = QueryClient(cache: cache, environment: lab.environment)
        try before.set([ann, cid], for: kept)
        await before.flush()
        lab.advance(by: .seconds(10))
        let client = QueryClient(cache: cache, environment: lab.environment)
        try client.set(bea, for: Self.user(1).persisted())
        let old = User(id: 2, name: "Old")
        try client.set(old, age: .seconds(60), for: Self.user(2), during: .keep)
        #expect(client.value(of: kept)?.map(\.name) == ["Bea", "Cid"])
        #expect(client.value(of: Self.user(2)) == cid)
        await client.flush()
        let next = QueryClient(cache: cache, environment: lab.environment)
        #expect(next.value(of: kept)?.map(\.name) == ["Bea", "Cid"])
    }

    private final class Table<Value: Sendable>: SourceOfTruth {
        private let state: Locked<(stored: Stored<Value>?, saves: Int, handlers: [@Sendable () -> Void])>

        init(_ value: Value?) { state = Locked((value.map { Stored($0, savedAt: nil) }, 0, [])) }

        var value: Value? { state.withLock { $0.stored?.value } }
        var saves: Int { state.withLock { $0.saves } }

        func load() async throws -> Stored<Value>? { state.withLock { $0.stored } }
        func save(_ stored: Stored<Value>) async throws {
            let handlers = state.withLock { state in
                (state.stored, state.saves) = (stored, state.saves + 1)
                return state.handlers
            }
            for handler in handlers { handler() }
        }
        func remove() async throws { state.withLock { $0.stored = nil } }
        func put(_ value: Value) {
            let handlers = state.withLock { state in
                state.stored = Stored(value, savedAt: nil)
                return state.handlers
            }
            for handler in handlers { handler() }
        }
        func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
            state.withLock { $0.handlers.append(handler) }
            return QuerySubscription {}
        }
    }

    /// Cannot be compared.
    struct Token: Identifiable, Sendable {
        let id: Int
        var text: String
    }

    @Test("a source of truth receives a newer item, and what changes in it reaches others", .rule("A99"))
    func source() throws {
        let table = Table([ann, cid])
        let stored = Self.users.stored(in: table)
        let observer = client.observe(stored)
        lab.settle()
        #expect(observer.value?.map(\.name) == ["Ann", "Cid"])
        try client.set(bea, for: Self.user(1))
        lab.settle()
        #expect(observer.value?.map(\.name) == ["Bea", "Cid"] && table.value?.map(\.name) == ["Bea", "Cid"])
        try client.set(cid, for: Self.user(2))
        table.put([bea, User(id: 2, name: "Dan")])
        lab.settle()
        #expect(client.value(of: Self.user(2))?.name == "Dan" && client.value(of: Self.user(1)) == bea)
    }

    @Test("two sources do not save each other's items forever", .rule("A99"))
    func sources() throws {
        let (one, two) = (Table([Token(id: 1, text: "a")]), Table([Token(id: 1, text: "a")]))
        let observers = [("one", one), ("two", two)].map { key, table in
            client.observe(
                QueryDefinition<[Token]>.value(QueryKey(key)).contains(each: Token.self).stored(in: table))
        }
        lab.settle()
        client.update(QueryDefinition<[Token]>.value("one").contains(each: Token.self)) { $0[0].text = "b" }
        lab.settle()
        #expect(one.value?[0].text == "b" && two.value?[0].text == "b")
        #expect(one.saves <= 4 && two.saves <= 4)
        withExtendedLifetime(observers) {}
    }

    // MARK: Optimistic changes

    private struct Like: Mutating {
        let answer: @Sendable () async throws -> User
        var writes = true
        func run(_ context: MutationContext) async throws -> User { try await answer() }
        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(ItemSpreadTests.users) { $0[0].likes += 1 }
            edits.update(ItemSpreadTests.user(1)) { $0.likes += 1 }
        }
        func succeeded(_ user: User, _ cache: CacheWrites) {
            if writes { cache.set(user, for: ItemSpreadTests.user(1)) }
        }
    }

    @Test("a newer item comes below a change that is shown, and stays when the change is rolled back", .rule("A101"))
    func rollback() throws {
        try client.set([ann], for: Self.users)
        try client.set(ann, for: Self.user(1))
        let fetcher = lab.fetcher(returning: User.self)
        let like = lab.start { [client] in try await client.mutate(Like { try await fetcher.call() }) }
        #expect(client.value(of: Self.users)?[0].likes == 1)
        let post = QueryDefinition<Post>.value("posts", 5).contains(\.author)
        try client.set(Post(id: 5, title: "", author: bea), for: post)
        #expect(client.value(of: Self.users) == [User(id: 1, name: "Bea", likes: 1)])
        #expect(client.value(of: post)?.author == bea)
        fetcher.fail(with: CancellationError())
        #expect(like.error != nil)
        #expect(client.value(of: Self.users) == [bea] && client.value(of: Self.user(1)) == bea)
    }

    @Test("the answer of a mutation is not shown with its optimistic change", .rule("A101"), arguments: [true, false])
    func once(writes: Bool) throws {
        try client.set([ann], for: Self.users)
        try client.set(ann, for: Self.user(1))
        let fetcher = lab.fetcher(returning: User.self)
        let seen = Recorder<Int>()
        let observer = client.observe(Self.users)
        let subscription = observer.onChange { seen.append($0.value?[0].likes ?? 0) }
        let like = lab.start { [client] in
            try await client.mutate(Like(answer: { try await fetcher.call() }, writes: writes))
        }
        fetcher.succeed(with: User(id: 1, name: "Ann", likes: writes ? 7 : 1))
        #expect(like.value != nil)
        let likes = writes ? 7 : 1
        #expect(client.value(of: Self.users)?[0].likes == likes && client.value(of: Self.user(1))?.likes == likes)
        #expect(!seen.all.contains(likes + 1))
        withExtendedLifetime(subscription) {}
    }

    @Test("a change that is confirmed during a fetch is not shown twice", .rule("A101"))
    func confirmed() throws {
        let list = lab.fetcher(returning: [User].self)
        let listed = QueryDefinition("users", fetch: list.fetch).contains(each: User.self)
        try client.set([ann], for: listed)
        try client.set(ann, for: Self.user(1))
        let seen = Recorder<Int>()
        let observer = client.observe(listed.staleAfter(.seconds(60)))
        let subscription = observer.onChange { seen.append($0.value?[0].likes ?? 0) }
        let call = lab.start { [client] in try await client.fetch(listed, .networkOnly) }
        let fetcher = lab.fetcher(returning: User.self)
        let like = lab.start { [client] in
            try await client.mutate(Like(answer: { try await fetcher.call() }, writes: false))
        }
        fetcher.succeed(with: User(id: 1, name: "Ann", likes: 1))
        #expect(like.value != nil && client.value(of: listed)?[0].likes == 1)
        // The server counts it, and another one.
        try client.set(User(id: 1, name: "Ann", likes: 2), for: Self.user(1))
        list.succeed(with: [ann])
        #expect(call.result != nil)
        #expect(client.value(of: listed)?[0].likes == 2 && client.value(of: Self.user(1))?.likes == 2)
        #expect(!seen.all.contains(3))
        withExtendedLifetime(subscription) {}
    }

    @Test("an entry takes what it waited for when its confirmed change is part of its value", .rule("A101"))
    func folded() throws {
        let list = lab.fetcher(returning: [User].self)
        let listed = QueryDefinition("users", fetch: list.fetch).contains(each: User.self).retry(.never)
        try client.set([ann], for: listed)
        try client.set(ann, for: Self.user(1))
        let call = lab.start { [client] in try await client.fetch(listed, .networkOnly) }
        let fetcher = lab.fetcher(returning: User.self)
        let like = lab.start { [client] in
            try await client.mutate(Like(answer: { try await fetcher.call() }, writes: false))
        }
        fetcher.succeed(with: User(id: 1, name: "Ann", likes: 1))
        try client.set(User(id: 1, name: "Ann", likes: 2), for: Self.user(1))
        #expect(like.value != nil && client.value(of: listed)?[0].likes == 1)
        list.fail(with: URLError(.timedOut))
        #expect(call.error != nil && client.value(of: listed)?[0].likes == 2)
    }

    @Test("a change that a newer item may have makes its entry stale when it is confirmed", .rule("A101"))
    func mayHave() throws {
        try client.set([ann], for: Self.users)
        try client.set(ann, for: Self.user(1))
        let fetcher = lab.fetcher(returning: User.self)
        let like = lab.start { [client] in
            try await client.mutate(Like(answer: { try await fetcher.call() }, writes: false))
        }
        let post = QueryDefinition<Post>.value("posts", 5).contains(\.author)
        try client.set(Post(id: 5, title: "", author: User(id: 1, name: "Ann", likes: 1)), for: post)
        fetcher.succeed(with: User(id: 1, name: "Ann", likes: 1))
        #expect(like.value != nil && client.snapshot(of: Self.users).isInvalidated)
    }

    // MARK: All at once

    @Test("all entries have the same items in the end, whoever writes first", .rule("A99"), arguments: 0..<40)
    func threads(seed: UInt64) async throws {
        let names = try await Interleaving(seed: seed).run { environment in
            let client = QueryClient(environment: environment)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<4 {
                    group.addTask {
                        let list = QueryDefinition<[User]>.value("lists", id).contains(each: User.self)
                        try client.set([User(id: 1, name: "\(id)"), User(id: 2, name: "\(id)")], for: list)
                        client.update(list) { $0[0].name += "!" }
                    }
                }
                try await group.waitForAll()
            }
            return client.entries(matching: .path("lists")).map { entry in
                client.value(of: entry.key, as: [User].self)?.map(\.name) ?? []
            }
        }
        #expect(names.count == 4 && Set(names).count == 1)
    }

    @Test("what is evicted, removed or signed out is no reason to refuse an answer", .rule("A100"))
    func forgotten() async throws {
        let detail = lab.fetcher(returning: User.self)
        let shown = QueryDefinition("users", 1, fetch: detail.fetch).contains(\.self)
        let call = lab.start { [client] in try await client.fetch(shown) }
        lab.advance(by: .seconds(1))
        try client.set([bea], for: Self.users)
        client.remove(.key("users"))
        detail.succeed(with: ann)
        #expect(call.value == ann)
    }
}
