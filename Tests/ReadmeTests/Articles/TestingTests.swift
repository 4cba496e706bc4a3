import Foundation
import Pigeon
import PigeonHTTP
import PigeonTesting
import Testing

protocol AccountAPI: Sendable {
    func account(_ id: User.ID) async throws -> User
}

extension QueryDefinition where Value == User {
    static func account(_ id: User.ID) -> Self {
        QueryDefinition("accounts", id) { context in try await context[(any AccountAPI).self].account(id) }
    }
}

extension QueryDefinition where Value == User {
    static var profile: Self {
        QueryDefinition("profile") { context in
            try await context[NetworkDispatcher.self].value(from: .get("/me"), for: context)
        }
    }
}

struct RenameProfile: Mutating {
    var name: String

    func run(_ context: MutationContext) async throws -> User {
        try await context[NetworkDispatcher.self].value(from: .patch("/me", json: ["name": name]))
    }

    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.profile) { $0.name = name } }
}

@MainActor
final class UserModel {
    let user: Query<Void, User>

    init(_ id: User.ID, client: QueryClient) {
        user = Query(.account(id), client: client)
    }

    var text: String {
        switch user.snapshot.phase {
        case .pending: user.snapshot.isCleared ? "Signed out" : "Loading…"
        case .content(let user): user.name
        case .failure: "Try again"
        }
    }
}

struct ScriptedAccountAPI: AccountAPI {
    let users: ScriptedFetcher<User>

    func account(_ id: User.ID) async throws -> User { try await users.call(id) }
}

@MainActor
@Suite("Article: test code that fetches")
struct UserModelTests {
    let lab = QueryLab()
    let server: ScriptedFetcher<User>
    let client: QueryClient

    init() {
        server = lab.fetcher(returning: User.self)
        client = QueryClient(
            dependencies: Dependencies(ScriptedAccountAPI(users: server) as any AccountAPI),
            environment: lab.environment)
    }

    @Test func `it shows the name when the answer comes`() {
        let model = UserModel(42, client: client)
        #expect(model.text == "Loading…")
        server.succeed(with: User(id: 42, name: "Ann"))
        #expect(model.text == "Ann")
    }

    @Test func `it keeps the name when a refresh fails`() {
        let model = UserModel(42, client: client)
        server.succeed(with: User(id: 42, name: "Ann"))
        client.invalidateWithoutWaiting(.account(42))
        server.fail(with: URLError(.timedOut))
        #expect(model.text == "Ann")
        #expect(model.user.snapshot.error != nil)
        #expect(server.calls.count == 2)
    }

    @Test func `it is empty after a sign-out, and does not load`() {
        let model = UserModel(42, client: client)
        server.succeed(with: User(id: 42, name: "Ann"))
        _ = lab.start { [client] in try await client.clear() }
        #expect(model.text == "Signed out")
        #expect(server.calls.count == 1)
    }

    @Test func `the events of a client of one's own are in the lab's log`() {
        let model = UserModel(42, client: client)
        server.succeed(with: User(id: 42, name: "Ann"))
        #expect(lab.log == ["accounts/42 fetching (observed)", "accounts/42 fresh"])
        #expect(model.user.value != nil)
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

    @Test func `a session renews its token, keeps what has not changed, and rolls back what is refused`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let mock = MockTransport()
        mock.answer(.post, "/token", with: try .json(Tokens(access: "new", refresh: "r2")))
        mock.answer(.get, "/me") { request, _ in
            guard request.headers["Authorization"] == "Bearer new" else { return .status(401) }
            guard request.headers["If-None-Match"] != "v1" else { return .status(304) }
            return try .json(User(id: 42, name: "Ann"), headers: ["ETag": "v1"])
        }
        mock.answer(.patch, "/me", with: try .json(["message": "The name is too long."], status: 422))
        let client = signedInClient(
            with: Tokens(access: "old", refresh: "r1"), at: url, over: mock, in: lab.environment)

        let user = try await lab.run { try await client.fetch(.profile) }
        #expect(user.name == "Ann")
        #expect(mock.requests.map(\.path) == ["/me", "/token", "/me"])

        let same = try await lab.run { try await client.refetch(.profile) }
        #expect(same == user)
        #expect(mock.requests.last?.headers["If-None-Match"] == "v1")

        let error = await #expect(throws: HTTPError.self) {
            try await lab.run { try await client.mutate(RenameProfile(name: "Bea")) }
        }
        #expect(error?.statusCode == 422)
        #expect(client.value(of: .profile) == user)
        #expect(mock.requests.count == 5)
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
