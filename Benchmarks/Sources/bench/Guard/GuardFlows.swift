internal import Foundation
internal import Pigeon
internal import PigeonHTTP
internal import PigeonREST
internal import PigeonSQLite
internal import PigeonStore

/// A group of flows or growths that is measured together. The names of its rows begin with its own.
struct GuardPart: Sendable {
    let name: String
    let run: @Sendable (Meter) async throws -> Void

    static let all = [
        GuardPart(name: "query", run: countQueries),
        GuardPart(name: "observe", run: countObservers),
        GuardPart(name: "filter", run: countFilters),
        GuardPart(name: "mutate", run: countMutations),
        GuardPart(name: "pages", run: countPages),
        GuardPart(name: "memory", run: countMemoryCache),
        GuardPart(name: "sqlite", run: countSQLite),
        GuardPart(name: "store", run: countStores),
        GuardPart(name: "http", run: countHTTP),
        GuardPart(name: "rest", run: countResources),
        GuardPart(name: "growth", run: measureGrowth),
    ]
}

extension QueryDefinition where Value == User {
    /// The definition of the README, with a fetcher that answers at once.
    static func user(_ id: Int) -> Self {
        QueryDefinition("users", id) { _ in User(id) }
            .staleAfter(.seconds(30))
            .tagged("users")
            .retry(.standard)
    }
}

/// Number of keys of a client.
private let keys = 100

private func filledClient() async throws -> QueryClient {
    let client = QueryClient()
    for id in 0..<keys { use(try await client.fetch(.user(id)).id) }
    return client
}

// MARK: Queries

private func countQueries(_ meter: Meter) async throws {
    let new = QueryClient()
    try await meter.count("query.create", "create and fetch a new key, by the README's definition") { index in
        use(try await new.fetch(.user(index)).id)
    }
    try await meter.count("query.bare", "create and fetch a new key, by a definition without options") { index in
        use(try await new.fetch(QueryDefinition("bare", index) { _ in User(index) }).id)
    }
    // Also the only retries of an optimized build that CI makes.
    let again = RetryPolicy(limit: 1, delay: { _ in .zero }, hasJitter: false)
    try await meter.count("query.retry", "create and fetch a new key at the second attempt") { index in
        let definition = QueryDefinition<User>("retried", index) { context in
            if context.attempt == 1 { throw FetchFault.Failure() }
            return User(index)
        }
        use(try await new.fetch(definition.retry(again)).id)
    }
    let client = try await filledClient()
    try await meter.count("query.fetch", "fetch a fresh value") { index in
        use(try await client.fetch(.user(index % keys)).id)
    }
    try await meter.count("query.refetch", "fetch a key again") { index in
        use(try await client.refetch(.user(index % keys)).id)
    }
    meter.count("query.key", "read by a key") { index in
        use(client.value(of: QueryKey("users", index % keys), as: User.self)?.id ?? 0)
    }
    let longKeys = (0..<keys).map { longKey($0) }
    for key in longKeys { try client.set(User(1), for: key) }
    meter.count("query.longKey", "read by a key of 70 bytes") { index in
        use(client.value(of: longKey(index % keys), as: User.self)?.id ?? 0)
    }
    meter.count("query.definition", "read by a definition") { index in
        use(client.value(of: .user(index % keys))?.id ?? 0)
    }
    try meter.count("query.set", "set a value") { index in
        try client.set(User(index), for: .user(index % keys))
    }
    meter.count("query.update", "update a value") { index in
        client.update(.user(index % keys)) { $0.id += 1 }
    }
}

// MARK: Observers

private func countObservers(_ meter: Meter) async throws {
    let client = try await filledClient()
    meter.count("observe.attach", "attach and detach an observer") { index in
        client.observe(.user(index % keys)) { use($0.value?.id ?? 0) }.cancel()
    }
    let held = (0..<100).map { _ in client.observe(.user(7)) { use($0.value?.id ?? 0) } }
    try meter.count("observe.notify", "notify one of 100 observers, which reads the value", parts: 100) { index in
        try client.set(User(index), for: .user(7))
    }
    withExtendedLifetime(held) {}
    var snapshots = client.observe(.user(8)).makeAsyncIterator()
    try await meter.count("observe.sequence", "set a value, and receive it from a sequence") { index in
        try client.set(User(index), for: .user(8))
        use(await snapshots.next()?.value?.id ?? 0)
    }
    try await countPublishers(meter, client)
}

@MainActor
private func countPublishers(_ meter: Meter, _ client: QueryClient) throws {
    let query = Query(.user(9), client: client)
    let held = (0..<100).map { _ in query.statePublisher.sink { use($0.value?.id ?? 0) } }
    try meter.count("observe.publish", "notify one of 100 subscribers of Query.statePublisher", parts: 100) { index in
        try client.set(User(index), for: .user(9))
    }
    withExtendedLifetime(held) {}
}

// MARK: Filters

private func countFilters(_ meter: Meter) async throws {
    let client = try await filledClient()
    meter.count("filter.path", "invalidate one of 100 keys by their path", parts: keys) { _ in
        client.invalidate(.path("users"))
    }
    meter.count("filter.tag", "invalidate one of 100 keys by their tag", parts: keys) { _ in
        client.invalidate(.tag("users"))
    }
    meter.count("filter.where", "invalidate one of 100 keys by a condition", parts: keys) { _ in
        client.invalidate(.where { $0.hasValue })
    }
    try meter.count("filter.remove", "set a new key and remove it") { index in
        try client.set(User(index), for: .user(keys))
        client.remove(.user(keys))
    }
    let teams = (0..<keys).map { QueryDefinition<[Member]>.value("teams", $0).contains(each: Member.self) }
    for (id, team) in teams.enumerated() {
        try client.set((0..<10).map { Member(id: id / 2 * 10 + $0, name: "") }, for: team)
    }
    meter.count("filter.item", "invalidate the two of 200 entries that contain an item") { index in
        client.invalidate(.containing(Member.self, index % 500))
    }
    meter.count("item.update", "edit an item that two of 200 entries contain") { index in
        client.update(Member.self, index % 500) { $0.name = "\(index)" }
    }
}

private struct Member: Identifiable, Equatable, Sendable {
    let id: Int
    var name: String
}

// MARK: Mutations

private func countMutations(_ meter: Meter) async throws {
    let client = try await filledClient()
    try await meter.count("mutate.plain", "a mutation that changes nothing that is cached") { index in
        use(try await client.mutate(Touch(id: index % keys)).id)
    }
    try await meter.count("mutate.optimistic", "a mutation with an optimistic change and an invalidation") { index in
        use(try await client.mutate(Rename(id: index % keys)).id)
    }
}

private struct Touch: Mutating {
    let id: Int

    func run(_ context: MutationContext) async throws -> User { User(id) }
}

private struct Rename: Mutating {
    let id: Int

    func run(_ context: MutationContext) async throws -> User { User(id) }

    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.user(id)) { $0.id += 1 } }

    func invalidates(_ user: User) -> [KeyFilter] { [.query(.user(id))] }
}

// MARK: Pages

/// Endless pages of 50 items.
func endless(_ name: String, maxPages: Int? = nil) -> QueryDefinition<Pages<[Int], Int>> {
    .pages(name, first: 0, maxPages: maxPages) { number, _ in
        Array(number * 50..<number * 50 + 50)
    } next: { _, number in
        number + 1
    }
}

private func countPages(_ meter: Meter) async throws {
    let client = QueryClient()
    try await meter.count("pages.append", "load the next page of 50 items") { _ in
        use(try await client.fetchNextPage(of: endless("pages")).count)
    }
    for _ in 0..<100 { try await client.fetchNextPage(of: endless("full", maxPages: 100)) }
    try await meter.count("pages.full", "load the next page of a list that has its 100 pages") { _ in
        use(try await client.fetchNextPage(of: endless("full", maxPages: 100)).count)
    }
    meter.count("pages.edit", "edit one of 100 pages") { index in
        client.update(endless("full", maxPages: 100)) { $0.updatePage(at: index % 100) { $0[0] += 1 } }
    }
}

// MARK: Caches

private func countMemoryCache(_ meter: Meter) async throws {
    let now = Date()
    let cache = InMemoryQueryCache()
    meter.count("memory.set", "save a value in the cache in memory") { index in
        cache.save(User(index), for: QueryKey("memory", index % keys), andTimestamp: now)
    }
    meter.count("memory.get", "read a value from the cache in memory") { index in
        use((cache.get(for: QueryKey("memory", index % keys)) as User?)?.id ?? 0)
    }
    let full = InMemoryQueryCache(costLimit: keys * MemoryLayout<User>.size)
    meter.count("memory.full", "save a new value in the full cache in memory") { index in
        full.save(User(index), for: QueryKey("memory", index), andTimestamp: now)
    }
}

private func countSQLite(_ meter: Meter) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-guard-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = try SQLiteQueryCache(at: folder.appendingPathComponent("guard.sqlite"))
    let writer = QueryClient(cache: cache)
    func article(_ id: Int) -> QueryDefinition<Article> {
        QueryDefinition("articles", id) { _ in Article(id) }.staleAfter(.seconds(30)).persisted()
    }
    try await meter.count(
        "sqlite.save", "set one of 100 values that are written together", parts: 100, operations: 20
    ) { index in
        for id in 0..<100 { try writer.set(Article(id, edition: index), for: article(index * 100 + id)) }
        await writer.flush()
    }
    let reader = QueryClient(cache: cache)
    meter.count("sqlite.hydrate", "read a value that is only in the database") { index in
        use(reader.value(of: article(index))?.id ?? 0)
    }
    let start = folder.appendingPathComponent("start.sqlite")
    try await StartScreen.fill(start)
    try meter.count(
        "sqlite.start", "open a client with 10,000 records, and show 20 of them", operations: 2
    ) { _ in
        try StartScreen.show(start)
    }
}

// MARK: Stores

private func countStores(_ meter: Meter) async throws {
    let client = QueryClient()
    let users = Cacher<Int, User>(expireSeconds: 60)
    for id in 0..<keys { try await users.saveData(data: User(id), param: id) }
    func store(_ id: Int) -> AnyStoreFlowable<Int, User> {
        AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: id, client: client)
    }
    try await meter.count("store.read", "requireData of a cached value") { index in
        use(try await store(index % keys).requireData().id)
    }
    meter.count("store.first", "publish a cached value, to its first state") { index in
        store(index % keys).publish().sink { use($0) }.cancel()
    }
    await meter.count("store.update", "update a value") { index in
        await store(index % keys).update(newData: User(index))
    }
    let watched = store(7)
    let held = (0..<100).map { _ in watched.publish().sink { use($0) } }
    await meter.count("store.notify", "notify one of 100 subscribers", parts: 100) { index in
        await watched.update(newData: User(index))
    }
    withExtendedLifetime(held) {}
}

// MARK: HTTP and REST

private func countHTTP(_ meter: Meter) async throws {
    let dispatcher = NetworkDispatcher(
        baseURL: URL(string: "https://api.example.com/v1") ?? URL(fileURLWithPath: "/"),
        transport: try InstantTransport())
    func request(_ id: Int) -> BasicRequest {
        BasicRequest(method: .get, path: "/articles/published/\(id)", headers: ["Accept": "application/json"])
    }
    try await meter.count("http.request", "a request and its answer") { index in
        use(try await dispatcher.response(from: request(index)).statusCode)
    }
    try await meter.count("http.value", "a request and its answer, decoded from 1 KB of JSON") { index in
        let article: Article = try await dispatcher.value(from: request(index))
        use(article.id)
    }
}

private func countResources(_ meter: Meter) async throws {
    let service = Service(
        baseURL: "https://api.example.com/v1", standardTransformers: [],
        networking: HTTPTransportProvider(try InstantTransport()),
        client: QueryClient())
    let held = (0..<keys).map { service.resource("/articles/published/\($0)") }
    meter.count("rest.path", "look up a resource by its path") { index in
        use(service.resource("/articles/published/\(index % keys)"))
    }
    try await meter.count("rest.load", "load a resource") { index in
        use(try await service.resource("/articles/published/\(index % keys)").loaded())
    }
    meter.count("rest.fresh", "loadIfNeeded of fresh data") { index in
        use(service.resource("/articles/published/\(index % keys)").loadIfNeeded())
    }
    await countResourceObservers(meter, service)
    withExtendedLifetime(held) {}
}

@MainActor
private func countResourceObservers(_ meter: Meter, _ service: Service) async {
    let resource = service.resource("/articles/published/1")
    meter.count("rest.observe", "add and remove an observer") { _ in
        let owner = Owner()
        resource.addObserver(owner: owner) { _, event in use(event) }
        resource.removeObservers(ownedBy: owner)
    }
    let owner = Owner()
    for _ in 0..<100 { resource.addObserver(owner: owner) { _, event in use(event) } }
    meter.count("rest.notify", "notify one of 100 observers", parts: 100) { index in
        resource.overrideLocalContent(with: index)
    }
    withExtendedLifetime(owner) {}
}
