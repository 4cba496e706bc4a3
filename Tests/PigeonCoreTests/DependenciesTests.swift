import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Dependencies and failures of a client")
struct DependenciesTests {
    private protocol API: Sendable { func name(_ id: Int) async throws -> String }
    private struct LiveAPI: API { func name(_ id: Int) -> String { "live \(id)" } }
    private struct StubAPI: API { func name(_ id: Int) -> String { "stub \(id)" } }
    private struct Refused: Error {}

    private static func user(_ id: Int) -> QueryDefinition<String> {
        QueryDefinition("users", id) { context in try await context[(any API).self].name(id) }
    }

    private struct RenameUser: Mutating {
        func run(_ context: MutationContext) async throws -> String { try await context[(any API).self].name(0) }
    }

    @Test("fetchers and mutations reach what their client was given, each client its own", .rule("A47"))
    func given() async throws {
        let live = QueryClient(dependencies: Dependencies(LiveAPI() as any API, 7))
        let stub = QueryClient(dependencies: Dependencies(StubAPI() as any API))
        #expect(try await live.fetch(Self.user(1)) == "live 1")
        #expect(try await stub.fetch(Self.user(1)) == "stub 1")
        #expect(try await stub.mutate(RenameUser()) == "stub 0")
        #expect(live.dependencies[Int.self] == 7 && live.dependencies[LiveAPI.self] == nil)
    }

    @Test("a type alias is another name for the protocol", .rule("A47"))
    func alias() async throws {
        typealias Server = any API
        let client = QueryClient(dependencies: Dependencies(LiveAPI() as Server))
        let name = QueryDefinition<String>("names", 2) { context in try await context[Server.self].name(2) }
        #expect(try await client.fetch(name) == "live 2")
        #expect(try await client.fetch(Self.user(1)) == "live 1")
    }

    @Test("a missing dependency is an error that names it, who needs it, and where to give it", .rule("A47"))
    func missing() async {
        let client = QueryClient()
        await #expect(throws: QueryError.missingDependency(type: "API", of: "users/1")) {
            try await client.fetch(Self.user(1))
        }
        await #expect(throws: QueryError.missingDependency(type: "API", of: "mutation RenameUser")) {
            try await client.mutate(RenameUser())
        }
        let text = QueryError.missingDependency(type: "API", of: "users/1").description
        #expect(
            text == "users/1 needs API, which its client does not have: QueryClient(dependencies: Dependencies(…))")
    }

    @Test("a dependency that was given as its own type is named, with the cure", .rule("A47"))
    func givenAsItself() async {
        let client = QueryClient(dependencies: Dependencies(LiveAPI(), 7))
        let error = QueryError.missingDependency(type: "API", of: "users/1", given: "LiveAPI")
        await #expect(throws: error) { try await client.fetch(Self.user(1)) }
        #expect(
            error.description
                == "users/1 needs API, but its client was given LiveAPI as its own type: Dependencies(… as any API)")
    }

    @Test("a definition fetches another one that it depends on, by the same client and with its cache", .rule("A47"))
    func dependent() async throws {
        let calls = Recorder<String>()
        let parcel = QueryDefinition<Int>("parcels", 1) { _ in
            calls.append("parcel")
            return 42
        }.staleAfter(.never)
        let depot = QueryDefinition<String>("parcels", 1, "depot") { context in
            try await "depot of \(context.fetch(parcel))"
        }
        let client = QueryClient()
        #expect(try await client.fetch(depot) == "depot of 42")
        #expect(try await client.refetch(depot) == "depot of 42")
        #expect(calls.all == ["parcel"])
    }

    // MARK: Failures

    @Test(
        "each failure of a fetch, a page or a mutation is reported once, with the error, the key and the cause",
        .rule("A48"))
    func failures() async throws {
        let client = QueryClient()
        let seen = Recorder<String>()
        let failures = client.onFailure { error, event in
            seen.append("\(event.key?.description ?? event.mutation ?? "-"): \(type(of: error)), \(event.cause)")
        }
        let retry = RetryPolicy(limit: 2, delay: { _ in .zero }, hasJitter: false) { _ in true }
        let user = QueryDefinition<String>("users", 1) { _ in throw Refused() }.retry(retry)
        await #expect(throws: Refused.self) { try await client.fetch(user) }
        await #expect(throws: Refused.self) { try await client.mutate("rename") { _ in throw Refused() } }
        let posts = QueryDefinition.pages("posts", first: 1) { page, _ in
            if page == 2 { throw Refused() }
            return [page]
        } next: { _, page in
            page + 1
        }
        _ = try await client.fetch(posts)
        await #expect(throws: Refused.self) { try await client.fetchNextPage(of: posts) }
        #expect(
            seen.all == [
                "users/1: Refused, retry 2 after Refused, requested", "rename: Refused, requested",
                "posts: Refused, next page",
            ])
        failures.cancel()
        await #expect(throws: Refused.self) { try await client.refetch(user) }
        #expect(seen.all.count == 3)
    }

    @Test("a cancellation is no failure, and the error of an event is not in its description", .rule("A48"))
    func cancellation() async {
        let client = QueryClient()
        let (seen, events) = (Recorder<String>(), Recorder<QueryEvent>())
        let subscriptions = [client.onFailure { _, event in seen.append("\(event)") }, client.onEvent(events.append)]
        _ = try? await client.mutate("rename") { _ in throw CancellationError() }
        let secret = QueryDefinition<String>("secret") { _ in throw Secret() }
        _ = try? await client.fetch(secret)
        #expect(seen.all == ["secret failed: Secret"])
        #expect(events.all.last?.error is Secret)
        withExtendedLifetime(subscriptions) {}
    }

    private struct Secret: Error { let password = "hunter2" }

    // MARK: Names

    @Test("Nothing is a query without a value that is never fetched, whatever its type")
    func nothing() {
        let lab = QueryLab()
        let depot = lab.client.observe(QueryDefinition<String>.nothing)
        let count = lab.client.observe(QueryDefinition<Int>.nothing)
        #expect(depot.snapshot.brief == "pending" && depot.snapshot.error == nil)
        #expect(count.snapshot.error == nil && count.snapshot.activity == .idle)
        let fetcher = lab.fetcher(returning: String.self)
        depot.observe(QueryDefinition("depots", 1, fetch: fetcher.fetch))
        fetcher.succeed(with: "North")
        #expect(depot.value == "North")
    }

    @Test("A change without a type shows its edits, runs in its scope, and invalidates")
    func closure() async throws {
        let client = QueryClient()
        let user = QueryDefinition<String>.value("users/1")
        try client.set("Ann", for: user)
        let shown = Recorder<String>()
        let answer = try await client.mutate(
            "rename", optimistic: { $0.update(user) { $0 = "Bea" } }, invalidates: [.query(user)]
        ) { context in
            shown.append(context.client.value(of: user) ?? "-")
            return context.attempt
        }
        #expect(answer == 1 && shown.all == ["Bea"])
        #expect(client.snapshot(of: user).isInvalidated)
    }

    @Test("an asynchronous function can mark entries stale and go on", .rule("N8"))
    func withoutWaiting() async {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: String.self)
        let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
        fetcher.succeed(with: "Ann")
        lab.client.invalidateWithoutWaiting("users")
        #expect(observer.snapshot.isInvalidated && fetcher.pendingCount == 1)
    }

    // MARK: Retries

    @Test(
        "each fetch follows its own definition, and a mutation none", .rule("A49", "N6"),
        arguments: [RetryPolicy.never, .standard])
    func layers(_ policy: RetryPolicy) async throws {
        // The tasks inherit the task-locals of the fetcher that starts them.
        let environment = QueryEnvironment(launch: QueryEnvironment.launchImmediately)
        let (client, other) = (QueryClient(environment: environment), QueryClient(environment: environment))
        let plain = QueryDefinition<Bool>("plain") { _ in RetryLayers.clientRetries }
        let retrying = QueryDefinition<Bool>("retrying") { _ in RetryLayers.clientRetries }.retry(.standard)
        let outer = QueryDefinition<[Bool]>("outer") { context in
            let (first, second) = (try await context.fetch(plain), try await context.fetch(retrying))
            let saved = try await other.mutate("save") { _ in RetryLayers.clientRetries }
            return [RetryLayers.clientRetries, first, second, saved]
        }.retry(policy)
        #expect(try await client.fetch(outer) == [policy.limit > 0, false, true, false])
        #expect(!RetryLayers.clientRetries)
    }

    @Test("the requests of a fetch are not left to the client if nobody awaits the fetch", .rule("A49"))
    func unawaited() throws {
        let lab = QueryLab()
        let seen = Recorder<Bool>()
        let definition = QueryDefinition<String>("user") { _ in
            seen.append(RetryLayers.clientRetries)
            return "Ann"
        }.retry(.standard)
        try lab.client.beginFetch(definition, .requested)
        lab.settle()
        #expect(seen.all == [false])
        let task = lab.start { try await lab.client.refetch(definition) }
        #expect(task.value == "Ann")
        #expect(seen.all == [false, true])
    }
}
