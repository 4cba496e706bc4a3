import Foundation
import Pigeon
import PigeonHTTP
import PigeonREST
import PigeonSQLite
import PigeonStore
import PigeonTesting
import TestSupport
import Testing

struct User: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var name: String
}

struct Post: Codable, Equatable, Sendable {
    var title: String
}

struct API: Sendable {
    func users() async throws -> [User] { [User(id: 42, name: "Bea")] }
    func user(_ id: Int) async throws -> User { User(id: id, name: "Bea") }
    func user(_ id: Int, unless eTag: String?) async throws -> (user: User?, eTag: String?) {
        eTag == "v1" ? (nil, "v1") : (User(id: id, name: "Bea"), "v1")
    }
    func rename(_ id: Int, to name: String, idempotencyKey: String) async throws -> User { User(id: id, name: name) }
    func rename(to name: String) async throws -> User { User(id: 1, name: name) }
    func rename(_ id: Int, to name: String) async throws -> User { User(id: id, name: name) }
    func posts(page: Int) async throws -> [Post] { page < 3 ? [Post(title: "Post \(page)")] : [] }
}

let api = API()

/// The snippets of README and of the landing pages, compiled and run. Each stands here line by line as it stands there.
@Suite("README", OwnSharedState())
@MainActor
struct ReadmeTests {
    @Test func `the program shows one user on two screens, with one fetch`() async {
        var printed: [String] = []
        func print(_ items: String...) { printed.append(items.joined(separator: " ")) }
        let logged = Recorder<String>()
        let events = QueryClient.shared.onEvent { event in logged.append("\(event)") }
        let list = Query(.userName(42))  // shows what is cached, and fetches it if it is stale
        let detail = Query(.userName(42))  // elsewhere in the program: one fetch, one value
        for await snapshot in detail.snapshots {
            print("detail:", snapshot.value ?? "nothing yet")
            if snapshot.value != nil { break }
        }
        print("list:", list.value ?? "nothing yet")
        #expect(printed.first == "detail: nothing yet")
        #expect(printed.suffix(2) == ["detail: Ann", "list: Ann"])
        #expect(logged.all.filter { $0.hasPrefix("users/42/name fetching") }.count == 1)
        withExtendedLifetime(events) {}
    }

    @Test func `the program's manifest names what this package declares`() throws {
        let readme = try #require(Page(Page.root.appendingPathComponent("README.md")))
        let manifest = try #require(readme.blocks.first { $0.language == "swift manifest" }).code
        let package = try String(contentsOf: Page.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        #expect(manifest.split(separator: "\n").first == package.split(separator: "\n").first)
        #expect(manifest.contains(".macOS(.v13)") && package.contains(".macOS(.v13)"))
        #expect(manifest.contains(#".product(name: "Pigeon", package: "pigeon")"#))
        #expect(package.contains("let libraries: [String] = [\n    \"Pigeon\", "))
        #expect(package.contains(".library(name: $0, targets: [$0])"))
    }

    @Test func `queries of one definition share one fetch`() async {
        var shown = false
        func render(_ snapshot: Snapshot<[User]>) { shown = snapshot.value != nil }
        func screen() async {
            let users = Query(.users)  // shows what is cached, and fetches it if it is stale
            let same = Query(.users)  // elsewhere in the program: one fetch, one value
            for await snapshot in same.snapshots { render(snapshot) }
            withExtendedLifetime(users) {}
        }
        let task = Task { await screen() }
        await until { shown }
        task.cancel()
        await task.value
    }

    @Test func `an app shows a definition`() async {
        let me = Query(.user(42))  // fetches when it is missing or stale, and shows every change
        let friend = Query { id in .user(id) }  // idle until it has a request
        friend.refetch(request: 43)
        await until { me.value != nil && friend.value != nil }
        #expect(me.value?.name == "Bea" && friend.lastRequest == 43)
    }

    @Test func `an app shows a query`() {
        let user = Query<Int, User>(
            key: "users",
            keyAdapter: { key, id in key.appending(id) },
            pollingBehavior: .pollEvery(30),
            cacheConfig: QueryCacheConfig(invalidationPolicy: .expiresAfter(500), usagePolicy: .useAndThenFetch)
        ) { id in
            try await api.user(id)
        }
        user.refetch(request: 42)
        switch user.state {
        case .idle, .loading: print("Loading...")
        case .succeed(let user): print(user.name)
        case .failed(let error): print("Oops: \(error)")
        }
        #expect(user.state.value?.name == "Bea")
    }

    struct UserFetcher: PigeonStore.Fetcher {
        func fetch(param: Int) async throws -> User { try await api.user(param) }
    }

    @Test func `a store keeps data in a cache`() async throws {
        let log = StateLog()
        func show(_ state: LoadingState<User>) { log.states.append(state) }
        func screen() async throws {
            let users = Cacher<User.ID, User>(expireSeconds: 60)  // in memory, unless you override where
            let ann = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: 42)
            for await state in ann.publish() { show(state) }  // loading (with what is cached), completed or error
            let user = try await ann.requireData()  // once: from the cache if it is valid, else fetched
            await ann.update(newData: user)  // into the cache, and to all who follow
        }
        let task = Task { try await screen() }
        await until { log.states.last?.content != nil }
        task.cancel()
        _ = await task.result
        #expect(log.states.last?.content?.name == "Bea")
    }

    @Test func `a resource is loaded, observed and cached`() async throws {
        let transport = MockTransport()
        transport.answer(.get, "/users/:id") { _, values in
            try .json(User(id: values["id"].flatMap(Int.init) ?? 0, name: "Bea"))
        }
        func Service(baseURL: String) -> PigeonREST.Service {
            PigeonREST.Service(baseURL: baseURL, networking: transport, client: QueryClient())
        }
        final class Screen: Sendable {
            let events = Locked<[ResourceEvent]>([])
        }
        let screen = Screen()
        @Sendable func show(_ resource: Resource, _ event: ResourceEvent) {
            screen.events.withLock { $0.append(event) }
        }
        let api = Service(baseURL: "https://api.example.com")
        api.configure("/users/*", decoding: User.self)
        let ann = api.resource("/users/42").typed(User.self)
        ann.resource.addObserver(owner: screen) { resource, event in show(resource, event) }
        let user = try await ann.loadedIfNeeded()  // fresh: from memory; in flight: joins; else asks
        #expect(user == User(id: 42, name: "Bea"))
        #expect(transport.requests.count == 1)
        await until { screen.events.withLock { $0.last } == .newData(.network) }
    }

    private final class StateLog {
        var states: [LoadingState<User>] = []
    }

    @Test func `an app shows pages`() {
        let posts = PaginatedQuery(.posts)
        posts.fetchNextPage()
        #expect(posts.items == [Post(title: "Post 1"), Post(title: "Post 2")])
    }

    @Test func `the engine fetches, edits, invalidates, observes and clears`() async throws {
        let client = QueryClient()
        let user = try await client.fetch(.user(42))  // fresh: from memory; in flight: joins; else fetches
        let shown = client.value(of: .user(42))  // now or nil, no await
        client.update(.user(42)) { $0.name = "Ann" }  // edits what is cached
        await client.invalidate(.user(42))  // or .tag("users"), .key, .path, .where { … }
        for await snapshot in client.observe(.user(42)) {  // the newest first, then every change
            print(snapshot.value?.name ?? "none", snapshot.isFetching, snapshot.error ?? "well")
            break
        }
        try await client.clear()  // signed out: nothing left, nothing lands later, nothing fetches by itself
        #expect(user == shown)
        #expect(client.value(of: .user(42)) == nil)
    }

    @Test func `a change is a value: it is submitted, enqueued, or made now or never`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("data.sqlite")
        let shown = Recorder<String>()
        func show(_ text: String) { shown.append(text) }
        struct RenameUser: DurableMutation {  // or Mutating, which need not be Codable
            var id: User.ID
            var name: String
            func run(_ context: MutationContext) async throws -> User {
                try await context[API.self].rename(id, to: name, idempotencyKey: context.idempotencyKey)
            }
            func optimistic(_ edits: inout OptimisticEdits) { edits.update(.user(id)) { $0.name = name } }
            func invalidates(_ user: User) -> [KeyFilter] { [.tag("users")] }
        }
        let store = try SQLiteMutationStore(at: file)
        let client = QueryClient(
            outbox: Outbox.Setup(store: store, mutations: [RenameUser.self]), dependencies: Dependencies(api))
        switch try await client.submit(RenameUser(id: 42, name: "Ann")) {
        case .completed(let user): show("\(user.name) is saved.")
        case .queued: show("Will be sent later.")  // no network, or the server is down: it is on disk
        }  // refused: thrown, and rolled back
        #expect(shown.all == ["Ann is saved."])

        client.environment.connectivity.set(false)
        try client.set(User(id: 42, name: "Bea"), for: .user(42))
        try await client.enqueue(RenameUser(id: 42, name: "Ann"))
        #expect(client.value(of: .user(42))?.name == "Ann")
        guard case .queued = try await client.submit(RenameUser(id: 42, name: "Zoe")) else {
            Issue.record("completed without a network")
            return
        }
        #expect(client.value(of: .user(42))?.name == "Zoe")
        client.environment.connectivity.set(true)
        #expect(await client.outbox.drain(within: .seconds(60)) == 0)
        #expect(try await client.mutate(RenameUser(id: 42, name: "Eve")).name == "Eve")
    }

    /// Has one user, with a tag, and counts in full what it gives.
    private func server() -> MockTransport {
        let mock = MockTransport()
        mock.answer(.get, "/users/:id") { request, values in
            guard request.headers["If-None-Match"] != "v1" else { return .status(.notModified) }
            return try .json(User(id: values.integer("id") ?? 0, name: "Bea"), headers: ["ETag": "v1"])
        }
        mock.answer(.patch, "/users/:id") { request, values in
            let name = try request.json([String: String].self)["name"] ?? ""
            return try .json(User(id: values.integer("id") ?? 0, name: name))
        }
        mock.answer(.get, "/users/:id/posts") { _, _ in try .json([Post(title: "Hello")]) }
        return mock
    }

    @Test func `a dispatcher gives values, and asks only for what has changed`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let mock = server()
        func NetworkDispatcher(baseURL: URL) -> PigeonHTTP.NetworkDispatcher {
            .init(baseURL: baseURL, transport: mock)
        }
        let dispatcher = NetworkDispatcher(baseURL: url)
        let user: User = try await dispatcher.value(from: .get("/users/42"))
        let ann: User = try await dispatcher.value(from: .patch("/users/42", json: ["name": "Ann"]))
        let cached = QueryDefinition<User>("users", 42) { context in  // sends the ETag, understands 304
            try await dispatcher.value(from: .get("/users/42"), for: context)
        }
        #expect(user.name == "Bea" && ann.name == "Ann")
        let client = QueryClient()
        for _ in 0..<2 { #expect(try await client.fetch(cached).name == "Bea") }
        #expect(mock.requests.last?.headers["If-None-Match"] == "v1")
    }

    @Test func `a list has pages`() async throws {
        let client = QueryClient()
        let posts = QueryDefinition.pages("posts", first: 1) { page, _ in
            try await api.posts(page: page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }
        try await client.fetchNextPage(of: posts)
        #expect(client.value(of: posts)?.count == 1)
    }

    @Test func `what was known is there after a restart`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("data.sqlite")
        func start() throws -> (QueryClient, QueryDefinition<[User]>) {
            let client = QueryClient(cache: try SQLiteQueryCache(at: file))
            let users = QueryDefinition("users") { _ in try await api.users() }.persisted(schema: 2)
            return (client, users)
        }
        let (first, users) = try start()
        _ = try await first.fetch(users)
        await first.flush()
        let (second, same) = try start()
        #expect(second.observe(same.enabled(false)).value?.first?.name == "Bea")
    }

    @Test func `a caller says how fresh a value must be, and failures are heard`() async throws {
        let logged = Recorder<String>()
        @Sendable func log(_ line: String) { logged.append(line) }
        let client = QueryClient(dependencies: Dependencies(api))
        let leader = QueryDefinition<User>("leader") { context in try await context[API.self].user(7) }
        let policy = FetchPolicy.staleWhileRevalidate(upTo: .minutes(10)).staleIfError(upTo: .hours(1))
        let current = try await client.fetch(leader, policy)
        let failures = client.onFailure { error, event in log("\(event): \(error)") }
        #expect(current.name == "Bea")
        _ = try? await client.fetch(QueryDefinition<Int>("broken") { _ in throw URLError(.timedOut) })
        #expect(logged.all.first?.hasPrefix("broken failed: timed out: ") == true)
        withExtendedLifetime(failures) {}
    }

    @Test func `a lab tests code that fetches`() {
        let ann = User(id: 1, name: "Ann")
        let lab = QueryLab(seed: 7)  // manual clock, seeded random, network and foreground switches
        let fetcher = lab.fetcher(returning: User.self)
        let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch).staleAfter(.seconds(30)))
        fetcher.succeed(with: ann)
        lab.advance(by: .seconds(31))
        #expect(lab.log == ["users/1 fetching (observed)", "users/1 fresh", "users/1 stale"])
        #expect(observer.value == ann)
    }
}

extension QueryDefinition where Value == Pages<[Post], Int> {
    static var posts: Self {
        .pages("posts", first: 1) { page, _ in
            try await api.posts(page: page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }
    }
}

extension QueryDefinition where Value == User {
    static func user(_ id: User.ID) -> Self {
        QueryDefinition("users", id) { _ in try await api.user(id) }
            .staleAfter(.seconds(30))
            .tagged("users")
            .retry(.standard)
    }
}

/// Runs a suite with a client, a cache and a configuration of its own in place of the program's.
struct OwnSharedState: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SharedState.$current.withValue(SharedState()) {
            QueryCache.setGlobal(InMemoryQueryCache())
            try await function()
        }
    }
}
