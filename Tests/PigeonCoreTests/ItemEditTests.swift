import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Changes of items in many entries")
struct ItemEditTests {
    typealias User = ItemUser

    struct Post: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var author: User
        var editor: User?
    }

    private let lab = QueryLab()
    private var client: QueryClient { lab.client }

    private static func user(_ id: Int) -> QueryDefinition<User> { .value("users", id).contains(\.self) }
    private static let users = QueryDefinition<[User]>.value("users").contains(each: User.self)
    private static let pages = QueryDefinition<Pages<[User], Int>>.value("pages").contains(each: User.self)
    private static let post = QueryDefinition<Post>.value("post").contains(\.self).contains(\.author).contains(\.editor)

    private let ann = User(id: 1, name: "Ann")
    private let cid = User(id: 2, name: "Cid")

    private struct Change: Mutating {
        let edits: @Sendable (inout OptimisticEdits) -> Void
        let answer: @Sendable () async throws -> Void
        var writes: @Sendable (CacheWrites) -> Void = { _ in }
        func run(_ context: MutationContext) async throws { try await answer() }
        func optimistic(_ edits: inout OptimisticEdits) { self.edits(&edits) }
        func succeeded(_ output: Void, _ writes: CacheWrites) { self.writes(writes) }
    }

    private func start(
        writes: @escaping @Sendable (CacheWrites) -> Void = { _ in },
        _ edits: @escaping @Sendable (inout OptimisticEdits) -> Void
    ) -> (server: ScriptedFetcher<Void>, task: LabTask<Void>) {
        let server = lab.fetcher(returning: Void.self)
        let change = Change(edits: edits, answer: { try await server.call() }, writes: writes)
        return (server, lab.start { [client] in try await client.mutate(change) })
    }

    private var names: [[String]] {
        [
            client.value(of: Self.users)?.map(\.name) ?? [], client.value(of: Self.pages)?.items.map(\.name) ?? [],
            client.value(of: Self.user(1)).map { [$0.name] } ?? [],
        ]
    }

    private var isOptimistic: Bool {
        client.snapshot(of: Self.users).isOptimistic || client.snapshot(of: Self.pages).isOptimistic
            || client.snapshot(of: Self.user(1)).isOptimistic || client.snapshot(of: Self.post).isOptimistic
    }

    private func fill() throws {
        try client.set([ann, cid], for: Self.users)
        try client.set(Pages([.init(id: 0, page: [cid]), .init(id: 1, page: [ann])], nextID: nil), for: Self.pages)
        try client.set(ann, for: Self.user(1))
        try client.set([cid], for: QueryDefinition<[User]>.value("others").contains(each: User.self))
    }

    @Test("an optimistic change of an item shows in every entry, and a rollback restores each", .rule("A102"))
    func rollback() throws {
        try fill()
        let (server, task) = start { $0.update(User.self, 1) { $0.name = "Bea" } }
        #expect(names == [["Bea", "Cid"], ["Cid", "Bea"], ["Bea"]])
        #expect(!client.snapshot(of: QueryDefinition<[User]>.value("others")).isOptimistic)
        #expect(client.snapshot(of: Self.users).isOptimistic)
        server.fail(with: URLError(.badServerResponse))
        #expect(task.error != nil && names == [["Ann", "Cid"], ["Cid", "Ann"], ["Ann"]])
        #expect(!client.snapshot(of: Self.users).isOptimistic)
    }

    @Test("a confirmed change of an item stays in every entry, and is shown once", .rule("A102"))
    func confirmed() throws {
        try fill()
        let (server, task) = start { $0.update(User.self, 1) { $0.likes += 1 } }
        server.succeed()
        #expect(task.error == nil)
        #expect(client.value(of: Self.users)?[0].likes == 1 && client.value(of: Self.user(1))?.likes == 1)
        #expect(client.value(of: Self.pages)?.items.map(\.likes) == [0, 1])
        #expect(!isOptimistic)
        #expect(client.update(User.self, 1) { $0.likes += 1 } == 3)
        #expect(client.value(of: Self.pages)?.items.map(\.likes) == [0, 2])
    }

    @Test("an entry that comes to contain the item shows the change too, until it ends", .rule("A102"))
    func later() throws {
        try client.set(ann, for: Self.user(1))
        let (server, task) = start { $0.update(User.self, 1) { $0.likes += 1 } }
        let fetcher = lab.fetcher(returning: [User].self)
        let listed = QueryDefinition("users", fetch: fetcher.fetch).contains(each: User.self)
        let observer = client.observe(listed)
        let seen = Recorder<Int>()
        let subscription = observer.onChange { if let users = $0.value { seen.append(users[0].likes) } }
        fetcher.succeed(with: [ann, cid])
        #expect(observer.value?.map(\.likes) == [1, 0] && observer.snapshot.isOptimistic)
        // It shows in an item that replaces another one, and not in what is left.
        try client.set(Post(id: 1, author: cid), for: Self.post)
        client.update(Self.post) { $0.editor = User(id: 1, name: "Ann") }
        #expect(client.value(of: Self.post)?.editor?.likes == 1)
        client.update(Self.post) { $0.editor = nil }
        #expect(client.value(of: Self.post)?.author.likes == 0)
        server.fail(with: URLError(.timedOut))
        #expect(task.error != nil && observer.value?.map(\.likes) == [0, 0])
        #expect(client.value(of: Self.user(1)) == ann && !seen.all.contains(2))
        #expect(!isOptimistic)
        withExtendedLifetime(subscription) {}
    }

    @Test("two changes of an item are shown together, and each ends for itself", .rule("A102"))
    func two() throws {
        try fill()
        let (one, first) = start { $0.update(User.self, 1) { $0.likes += 1 } }
        let (two, second) = start { $0.update(User.self, 1) { $0.name += "!" } }
        #expect(client.value(of: Self.users)?[0] == User(id: 1, name: "Ann!", likes: 1))
        one.fail(with: URLError(.timedOut))
        #expect(first.error != nil && names == [["Ann!", "Cid"], ["Cid", "Ann!"], ["Ann!"]])
        two.succeed()
        #expect(second.error == nil && client.value(of: Self.users)?[0] == User(id: 1, name: "Ann!", likes: 0))
    }

    @Test("an item is removed from every list while a mutation runs, and from what may be without it", .rule("A102"))
    func removal() throws {
        try fill()
        try client.set(Post(id: 1, author: ann, editor: ann), for: Self.post)
        let (server, task) = start { $0.remove(User.self, 1) }
        #expect(names == [["Cid"], ["Cid"], ["Ann"]])
        #expect(client.value(of: Self.post) == Post(id: 1, author: ann, editor: nil))
        #expect(client.value(of: Self.pages)?.count == 2)
        server.fail(with: URLError(.timedOut))
        #expect(task.error != nil && names == [["Ann", "Cid"], ["Cid", "Ann"], ["Ann"]])
        #expect(client.value(of: Self.post)?.editor == ann)
        #expect(client.remove(User.self, 1) == 3)
        #expect(names == [["Cid"], ["Cid"], ["Ann"]])
        #expect(client.remove(User.self, 9) == 0)
    }

    @Test("an item is added to the lists that a filter selects, once, while a mutation runs", .rule("A102"))
    func insertion() throws {
        try fill()
        let dan = User(id: 3, name: "Dan")
        let (server, task) = start {
            $0.insert(dan, into: "users")
            $0.insert(dan, at: .end, into: "pages")
        }
        #expect(names == [["Dan", "Ann", "Cid"], ["Cid", "Ann", "Dan"], ["Ann"]])
        // A newer one from elsewhere takes its place.
        try client.set([User(id: 3, name: "Dana"), ann, cid], for: Self.users)
        #expect(names[0] == ["Dan", "Ann", "Cid"])
        server.fail(with: URLError(.timedOut))
        #expect(task.error != nil && names == [["Dana", "Ann", "Cid"], ["Cid", "Ann"], ["Ann"]])
        #expect(client.insert(User(id: 4, name: "Eve"), at: .end, into: .key("users")) == 1)
        #expect(client.insert(User(id: 2, name: "Cyd"), into: .all) == 3)
        #expect(names == [["Dana", "Ann", "Cyd", "Eve"], ["Cyd", "Ann"], ["Ann"]])
    }

    @Test("an item with a temporary identifier is added, edited and named by the server", .rule("A102"))
    func temporary() throws {
        struct Note: Identifiable, Equatable, Sendable {
            let id: TemporaryID<Int>
            var text: String
        }
        let notes = QueryDefinition<[Note]>.value("notes").contains(each: Note.self)
        try client.set([], for: notes)
        let id = TemporaryID<Int>.make()
        let (add, added) = start { $0.insert(Note(id: id, text: "a"), into: "notes") }
        let (edit, edited) = start { $0.update(Note.self, id) { $0.text += "b" } }
        #expect(client.value(of: notes)?.map(\.text) == ["ab"])
        client.noteAssigned([id.becomes(7)])
        add.succeed()
        #expect(added.error == nil && client.value(of: notes)?.map(\.text) == ["ab"])
        edit.fail(with: URLError(.timedOut))
        #expect(edited.error != nil && client.value(of: notes)?.map(\.text) == ["a"])
        #expect(client.update(Note.self, .assigned(7)) { $0.text = "c" } == 1)
    }

    @Test("a mutation's own edit by item of its answer takes the place of what it showed", .rule("A101"))
    func answer() throws {
        try fill()
        let (server, task) = start(writes: { $0.update(User.self, 1) { $0.likes = 9 } }) {
            $0.update(User.self, 1) { $0.likes += 1 }
        }
        #expect(client.value(of: Self.users)?[0].likes == 1)
        server.succeed()
        #expect(task.error == nil && client.value(of: Self.pages)?.items.map(\.likes) == [0, 9])
        #expect(client.value(of: Self.users)?[0].likes == 9 && client.value(of: Self.user(1))?.likes == 9)
    }

    @Test("a sign-out forgets what is shown of items", .rule("A102"))
    func signOut() async throws {
        try fill()
        let (server, task) = start { $0.update(User.self, 1) { $0.name = "Bea" } }
        try await client.clear()
        try client.set([ann], for: Self.users)
        #expect(names[0] == ["Ann"])
        server.succeed()
        #expect(task.error != nil && names == [["Ann"], [], []])
    }
}
