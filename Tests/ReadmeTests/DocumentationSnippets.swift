import Foundation
import Pigeon
import PigeonSQLite
import PigeonTesting
import Testing

/// The snippets of the documentation comments, compiled. Each stands here line by line as it stands there; a test
/// compares the two.
private enum Snippets {
    struct MyError: Error {}

    struct MyCache: QueryCacheType {
        func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {}
        func invalidate(for key: QueryKey) {}
        func get<T: Codable>(for key: QueryKey) -> T? { nil }
        func isValueValid(
            forKey key: QueryKey, timestamp: Date, andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
        ) -> Bool { false }
    }

    struct Item: Equatable, Sendable {
        var id: Int
        var title: String
    }

    struct FeedSection: Equatable, Sendable {
        var posts: [Item]
    }

    static func show<Value>(_ value: Value) {}
    static func Spinner() {}
    static func UserCard(_ user: User, refreshing: Bool, problem: (any Error)?) {}
    static func Retry(_ error: any Error) {}

    static func fetching(_ id: Int, _ definition: QueryDefinition<User>) {
        let user = QueryDefinition<User>("users", id) { context in
            let answer = try await api.user(id, unless: context.validators.eTag)
            guard let user = answer.user else { return try context.notModified() }
            context.validators.eTag = answer.eTag
            context.isFresh(for: .seconds(60))
            return user
        }
        let patient = definition.retry(.standard)  // 3 times what is transient, backing off
        let stubborn = definition.retry(RetryPolicy(limit: 5, shouldRetry: { $0 is MyError }))
        show((user, patient, stubborn))
    }

    static func freshness(_ id: Int) {
        let user = QueryDefinition("users", id) { _ in try await api.user(id) }.staleAfter(.seconds(30))
        let config = QueryCacheConfig(invalidationPolicy: .expiresAfter(1000), usagePolicy: .useInsteadOfFetching)
        show((user, config))
    }

    static func snapshots(_ snapshot: Snapshot<User>, _ pages: Pages<[Post], Int>) {
        switch snapshot.phase {
        case .pending: Spinner()
        case .content(let user): UserCard(user, refreshing: snapshot.isFetching, problem: snapshot.error)
        case .failure(let error): Retry(error)
        }
        let titles = pages.items.map(\.title)  // over all pages, first to last
        show(titles)
    }

    static func edits(_ client: QueryClient, _ posts: QueryDefinition<Pages<[Item], Int>>, _ id: Int, _ title: String) {
        client.update(posts) { $0.update(where: { $0.id == id }) { $0.title = title } }
    }

    static func edits(_ pages: inout Pages<FeedSection, Int>, _ id: Int, _ title: String) {
        pages.update(in: \.posts, where: { $0.id == id }) { $0.title = title }
    }

    struct RenameUser: Mutating {
        var id: User.ID
        var name: String

        func run(_ context: MutationContext) async throws -> User {
            try await api.rename(id, to: name, idempotencyKey: context.idempotencyKey)
        }
        func optimistic(_ edits: inout OptimisticEdits) { edits.update(.user(id)) { $0.name = name } }
        func invalidates(_ user: User) -> [KeyFilter] { [.tag("users")] }
    }

    static func clients() async throws {
        let client = QueryClient()
        let user = try await client.fetch(.user(42))  // fresh: from memory; in flight: joins; else fetches
        for await snapshot in client.observe(.user(42)) { show(snapshot) }
        await client.invalidate(.path("users"))
        let renamed = try await client.mutate(RenameUser(id: 42, name: "Ann"))
        show((user, renamed))
    }

    static func definitions(_ client: QueryClient) async throws {
        let user = try await client.fetch(.user(42))
        show(user)
        client.setDefaults(for: "users") { $0.retry = .standard }
        let activity = client.activity(of: .tag("feed"))
        print(activity.isFetching, activity.mutationCount)
        for await activity in client.activities() { show(activity.isFetching) }
        for await event in client.events { print(event) }  // users/42 fetching (observed)
        let names = client.observe(.users).select { $0.map(\.name) }
        for await snapshot in names { show(snapshot.value ?? []) }  // only when the names change
        let observer = client.observe(.user(42))
        print(observer.snapshot.phase)  // at once
        for await snapshot in observer { show(snapshot) }  // the newest first, then every change
    }

    static func pages(_ client: QueryClient) async throws {
        let posts = QueryDefinition.pages("posts", first: 1) { page, _ in
            try await api.posts(page: page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }
        try await client.fetchNextPage(of: posts)
    }

    struct Downloads: Sendable {
        func begin(_ url: URL, _ end: @escaping @Sendable (Result<Data, any Error>) -> Void) {}
    }

    struct Disk: Sendable {
        func picture(at url: URL) async -> (data: Data, age: Duration)? { nil }
    }

    static func faces(_ client: QueryClient, _ downloads: Downloads, _ disk: Disk, _ url: URL) async {
        let picture = QueryDefinition<Data>.calling("pictures", url.absoluteString) { call in
            downloads.begin(url) { call.end(with: $0) }
        }
        let definition = picture
        guard let empty = client.emptyEntry(of: definition) else { return }
        if let found = await disk.picture(at: url) { client.show(found.data, age: found.age, in: empty) }
        client.removeUnused(within: "pictures", keeping: 100)
    }

    static func surroundings() {
        let environment = QueryEnvironment()
        environment.connectivity.set(false)  // every client with this environment is offline
    }

    enum Section: String, QueryKeyComponent { case inbox, archive }

    static func keys(_ client: QueryClient) async {
        await client.invalidate(.user(42))  // a definition needs no filter
        await client.invalidate("users")  // a path: users, users/42, users/42/posts …
        await client.invalidate(.tag("feed").and(.stale))
        client.cancel(.where { $0.key.components.count > 3 })
        let user = QueryKey("users", 42)  // users/42
        let posts = user.appending("posts")  // users/42/posts
        let tagged = posts.tagged("feed")  // the same key; `invalidate(.tag("feed"))` finds it
        let same: QueryKey = "users/42"  // a literal is read as a path
        let again: QueryKey = ["users", 42]  // and an array literal as its components
        show((tagged, same, again, Section.inbox))
    }

    static func keys(_ person: User) {
        let user: QueryKey = "users/42"  // QueryKey("users", 42)
        let same: QueryKey = "users/\(person.id)"  // the text of a value is never split
        show((user, same))
    }

    static func lab(_ lab: QueryLab, _ ann: User) throws {
        let fetcher = lab.fetcher(returning: User.self)
        let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
        fetcher.succeed(with: ann)
        show(observer)
        let clock = ManualClock()
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        clock.advance(by: .seconds(30))  // fires what is due, in order, before it returns
        show(client)
        try Simulation(seed: 42, steps: 2_000).run()
        let user = SimulatedQuery(states: { User(id: 42, name: "Ann \($0)") }) { server in
            QueryDefinition("users", 42) { try await server.answer($0) }.staleAfter(.seconds(30)).persisted()
        }
        try Simulation(seed: 42, steps: 2_000, queries: [user]).run()
    }

    static func interleavings() async throws {
        for seed: UInt64 in 0..<1_000 {
            try await Interleaving(seed: seed).run { environment in
                let client = QueryClient(environment: environment)
                try client.set(Counter(count: 0), for: .counter)
                async let first = client.mutate(Increment())
                async let second = client.mutate(Increment())
                _ = try await (first, second)
                #expect(client.value(of: .counter)?.count == 2)
            }
        }
    }

    protocol UserAPI: Sendable {
        func rename(_ id: Int, to name: String) async throws -> User
        func posts(page: Int) async throws -> [Post]
    }

    struct ScriptedAPI: UserAPI {
        let renames: ScriptedFetcher<User>
        let posts: ScriptedFetcher<[Post]>

        func rename(_ id: Int, to name: String) async throws -> User { try await renames.call(id, name) }
        func posts(page: Int) async throws -> [Post] { try await posts.call(page) }
    }

    @MainActor
    static func calls(_ lab: QueryLab, _ ann: User) {
        let server = lab.fetcher(returning: User.self)
        let rename = Mutation<String, User>(client: lab.client) { name in try await server.call("rename", name) }
        rename.execute(with: "Ann")
        server.succeed(with: ann)
        #expect(server.calls.map(\.arguments) == [["rename", "Ann"]])
    }

    static func disk() throws {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]
        let cache = try SQLiteQueryCache(at: caches.appendingPathComponent("queries.sqlite"))
        cache.save(["Ada", "Grace"], for: "users", andTimestamp: Date())
        let users: [String]? = cache.get(for: "users")
        show(users)
    }

    @MainActor
    static func faces() {
        let rename = Mutation { name in RenameUser(id: 42, name: name) }
        rename.execute(with: "Ann")
        switch rename.state {
        case .idle: show("Save")
        case .loading: Spinner()
        case .succeed(let user): show(user)
        case .failed(let error): Retry(error)
        }
        let posts = PaginatedQuery(.posts)  // pages that are arrays
        print(posts.items)
        posts.fetchNextPage()
        let log = posts.$items.sink { items in print(items) }
        log.cancel()
        let me = Query(.user(42))  // shows what is cached, and fetches it if it is stale
        print(me.value?.name ?? "nothing yet")  // readable on the main actor, at once
        print(me.snapshot)  // all that is known: last value, error, times
        let friend = Query { id in .user(id) }  // fetches when a request is made: friend.refetch(request: 43)
        show((me, friend))
        QueryInvalidator().invalidateQuery(for: "users", with: .lastData)
        let user = Query<Int, User>(key: "user") { id, context in
            guard let user = try await api.user(id, unless: context.validators.eTag).user else {
                return try context.notModified()
            }
            return user
        }
        show(user)
    }

    @MainActor
    static func consumers() {
        let users = Query<Void, [User]>.Consumer(key: "users")
        show(users)
    }

    static func caches() {
        let client = QueryClient(cache: MyCache())
        show(client)
    }

    struct UsersText: QueryRenderer {
        var loadingView: String { "Loading..." }
        func successView(for users: [User]) -> String { users.map(\.name).joined(separator: "\n") }
        func failureView(for failure: any Error) -> String { "It failed..." }
    }

    @MainActor
    static func queries() async {
        let users = Query(.users)
        print(UsersText().view(for: users.state))
        for await snapshot in users.snapshots { show(snapshot.value ?? []) }
    }
}

extension QueryDefinition where Value == [User] {
    static var users: Self { QueryDefinition("users") { _ in try await api.users() } }
}

/// A count that a server keeps.
private protocol UsersAPI: Sendable {}

private struct FakeServer: UsersAPI {
    let users: ScriptedFetcher<User>

    static func client() {
        typealias API = UsersAPI
        let lab = QueryLab()
        let server = FakeServer(users: lab.fetcher(returning: User.self))
        let client = QueryClient(dependencies: Dependencies(server as any API), environment: lab.environment)
        print(client)
    }
}

private struct Counter: Equatable, Sendable {
    var count: Int
}

private struct Increment: Mutating {
    func run(_ context: MutationContext) async throws { await Task.yield() }

    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.counter) { $0.count += 1 } }
}

extension QueryDefinition where Value == Counter {
    fileprivate static var counter: Self { .value("counter") }
}

@Suite("Documentation comments")
struct DocumentationSnippetTests {
    @Test func `the example of interleavings holds`() async throws { try await Snippets.interleavings() }

    @Test func `each line of code in them stands in these files`() throws {
        let compiled = try ["Tests/ReadmeTests", "Tests/DocumentationStandInTests"]
            .flatMap { Page.files(in: $0, withExtension: "swift") }
            .flatMap { folded(try String(contentsOf: $0, encoding: .utf8)) }
        let known = Set(compiled)
        var count = 0
        for file in Page.files(in: "Sources", withExtension: "swift") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for snippet in text.components(separatedBy: "/// ```swift\n").dropFirst() {
                count += 1
                let body = snippet.components(separatedBy: "/// ```").first ?? ""
                let code = body.split(separator: "\n").map { line in
                    line.trimmingCharacters(in: .whitespaces).dropFirst(3)
                }
                for line in folded(code.joined(separator: "\n")) {
                    let isCompiled = known.contains(line)
                    #expect(isCompiled, "not compiled: \(line) in \(file.lastPathComponent)")
                }
            }
        }
        #expect(count > 100)
    }

    /// The lines with their white space folded, without the remarks at their ends; blank ones left out.
    private func folded(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            let folded = line.split(separator: " ").joined(separator: " ")
            return folded.components(separatedBy: " // ").first ?? folded
        }
        .filter { !$0.isEmpty }
    }
}
