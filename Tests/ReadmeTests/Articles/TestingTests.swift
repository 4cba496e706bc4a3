import Foundation
import Pigeon
import PigeonHTTP
import PigeonTesting
import Testing

@MainActor
final class UserModel {
    let user: Query<Int, User>

    init(client: QueryClient, fetch: @escaping @Sendable (Int, FetchContext<User>) async throws -> User) {
        user = Query(
            key: "users",
            keyAdapter: { key, id in key.appending(id) },
            cache: InMemoryQueryCache(),
            cacheConfig: QueryCacheConfig(usagePolicy: .useAndThenFetch),
            client: client,
            fetcher: fetch)
    }

    func appear() { user.refetch(request: 42) }

    var text: String {
        switch user.snapshot.phase {
        case .pending: "Loading…"
        case .content(let user): user.name
        case .failure: "Try again"
        }
    }
}

@MainActor
@Suite("Article: test code that fetches")
struct UserModelTests {
    let lab = QueryLab()

    @Test func `it shows the name when the answer comes`() {
        let fetcher = lab.fetcher(returning: User.self)
        let model = UserModel(client: lab.client) { _, context in try await fetcher.fetch(context) }
        model.appear()
        #expect(model.text == "Loading…")
        fetcher.succeed(with: User(id: 42, name: "Ann"))
        #expect(model.text == "Ann")
    }

    @Test func `it keeps the name when a refresh fails`() {
        let fetcher = lab.fetcher(returning: User.self)
        let model = UserModel(client: lab.client) { _, context in try await fetcher.fetch(context) }
        model.appear()
        fetcher.succeed(with: User(id: 42, name: "Ann"))
        model.appear()
        fetcher.fail(with: URLError(.timedOut))
        #expect(model.text == "Ann")
        #expect(model.user.snapshot.error != nil)
    }

    @Test func `it tries again after a second, then two`() {
        let retry = RetryPolicy(limit: 2, hasJitter: false)
        let fetcher = lab.fetcher(returning: User.self)
        let observer = lab.client.observe(QueryDefinition("users", 42, fetch: fetcher.fetch).retry(retry))
        fetcher.fail(with: URLError(.timedOut))
        lab.advance(by: .seconds(1))
        #expect(fetcher.calls.count == 2)
        fetcher.fail(with: URLError(.timedOut))
        lab.advance(by: .milliseconds(1999))
        #expect(fetcher.calls.count == 2)
        lab.advance(by: .milliseconds(1))
        #expect(fetcher.calls.count == 3)
        fetcher.succeed(with: User(id: 42, name: "Ann"))
        #expect(observer.value?.name == "Ann")
    }

    @Test func `it waits for the network`() {
        let fetcher = lab.fetcher(returning: User.self)
        lab.setOnline(false)
        let observer = lab.client.observe(QueryDefinition("users", 42, fetch: fetcher.fetch))
        #expect(fetcher.calls.isEmpty)
        #expect(observer.snapshot.isPaused)
        lab.setOnline(true)
        #expect(fetcher.pendingCount == 1)
    }

    @Test func `two callers share one fetch`() {
        let fetcher = lab.fetcher(returning: User.self)
        let user = QueryDefinition("users", 42, fetch: fetcher.fetch)
        let client = lab.client
        let first = lab.start { try await client.fetch(user) }
        let second = lab.start { try await client.fetch(user) }
        #expect(fetcher.calls.count == 1)
        fetcher.succeed(with: User(id: 42, name: "Ann"))
        #expect(first.value == second.value)
        #expect(lab.log == ["users/42 fetching (requested)", "users/42 joined (requested)", "users/42 fresh"])
    }

    @Test func `a dispatcher is asked over a mock transport`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/users/:id") { _, values in
            try .json(User(id: values.integer("id") ?? 0, name: "Ann"))
        }
        let url = try #require(URL(string: "https://api.example.com"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: mock)
        let user: User = try await dispatcher.value(from: .get("/users/42"))
        #expect(user.id == 42)
        #expect(mock.requests.count == 1)
    }
}
