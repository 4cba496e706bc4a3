import Foundation
import PigeonCore
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("Retries of a fetch, and of its requests")
struct RetryLayersTests {
    private let server = StubServer()

    private static func retry(_ limit: Int) -> RetryPolicy {
        RetryPolicy(limit: limit, delay: { _ in .zero }, hasJitter: false)
    }

    /// Returns a transport that fails a number of times before it succeeds.
    private func transport(failing times: Int = .max) -> StubTransport {
        let left = Locked(times)
        return StubTransport { _ in
            let isDown = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isDown ? .answer(503) : .ok(#"["Ann"]"#)
        }
    }

    /// Returns a dispatcher that retries each request three times.
    private func dispatcher(_ transport: StubTransport) -> NetworkDispatcher {
        var policy = HTTPPolicy()
        policy.retry = Self.retry(3)
        return NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
    }

    private func names(_ dispatcher: NetworkDispatcher) -> QueryDefinition<[String]> {
        QueryDefinition<[String]>("names") { context in
            try await dispatcher.value(from: BasicRequest(method: .get, path: "/names"), for: context)
        }
    }

    @Test("in a fetch whose definition retries, each attempt sends one request", .rule("A49"))
    func definitionRetries() async {
        let (transport, client) = (transport(), QueryClient())
        let names = names(dispatcher(transport)).retry(Self.retry(2))
        await #expect(throws: HTTPError.self) { try await client.fetch(names) }
        #expect(transport.requests.count == 3)
    }

    @Test("in a fetch whose definition does not retry, the policy does", .rule("A49"))
    func policyRetries() async {
        let (transport, client) = (transport(), QueryClient())
        let names = names(dispatcher(transport)).retry(.never)
        await #expect(throws: HTTPError.self) { try await client.fetch(names) }
        #expect(transport.requests.count == 4)
    }

    @Test("the policy retries each request of a fetcher by itself", .rule("A49"))
    func severalRequests() async throws {
        let (transport, client) = (transport(failing: 2), QueryClient())
        let dispatcher = dispatcher(transport)
        let both = QueryDefinition<String>("both") { _ in
            let first = try await dispatcher.string(from: BasicRequest(method: .get, path: "/a"))
            let second = try await dispatcher.string(from: BasicRequest(method: .get, path: "/b"))
            return first + second
        }
        _ = try await client.fetch(both)
        #expect(transport.requests.map { $0.url.lastPathComponent } == ["a", "a", "a", "b"])
    }

    @Test("outside of a fetch, the policy retries", .rule("A49"))
    func outside() async {
        let transport = transport()
        let dispatcher = dispatcher(transport)
        await #expect(throws: HTTPError.self) {
            try await dispatcher.string(from: BasicRequest(method: .get, path: "/names"))
        }
        #expect(transport.requests.count == 4)
    }

    @Test(
        "a fetch that a fetcher starts follows its own definition, also if its task inherits task-locals", .rule("A49"))
    func nested() async throws {
        let client = QueryClient(environment: QueryEnvironment(launch: QueryEnvironment.launchImmediately))
        let transport = transport(failing: 2)
        let inner = names(dispatcher(transport))
        let outer = QueryDefinition<[String]>("outer") { context in
            try await context.fetch(inner)
        }.retry(Self.retry(1))
        #expect(try await client.fetch(outer) == ["Ann"])
        #expect(transport.requests.count == 3)
    }

    @Test("in a fetch that nobody awaits, the policy retries, because the client does not", .rule("A49"))
    func unawaited() async throws {
        let (transport, client) = (transport(failing: 2), QueryClient())
        let names = names(dispatcher(transport)).retry(Self.retry(3))
        try client.set(["Old"], for: names.staleAfter(.zero))
        #expect(try await client.fetch(names.staleAfter(.zero), .staleWhileRevalidate()) == ["Old"])
        await until { client.value(of: names) == ["Ann"] }
        #expect(transport.requests.count == 3)
    }

    @Test("a token is renewed for all who wait for it, so the policy retries its request", .rule("A49"))
    func renewal() async throws {
        let (transport, client) = (transport(failing: 2), QueryClient())
        let renewing = dispatcher(transport)
        let authorization = TokenAuthorization(token: "old") { _ in
            try await renewing.value([String].self, from: BasicRequest(method: .get, path: "/token"))[0]
        }
        let refusing = StubTransport { request in
            request.headers["Authorization"] == "Bearer Ann" ? .ok(#"["Bea"]"#) : .answer(401)
        }
        var policy = HTTPPolicy()
        policy.authorization = authorization
        let names = names(NetworkDispatcher(serverProvider: server, transport: refusing, policy: policy))
        #expect(try await client.fetch(names.retry(Self.retry(3))) == ["Bea"])
        #expect(refusing.requests.count == 2)
        #expect(transport.requests.count == 3)
    }

    @Test("the load of a page is a fetch", .rule("A49"), arguments: [(2, 3), (0, 4)])
    func pages(retries: Int, requests: Int) async throws {
        let transport = StubTransport { request in
            request.url.lastPathComponent == "1" ? .ok(#"["Ann"]"#) : .answer(503)
        }
        let (dispatcher, client) = (dispatcher(transport), QueryClient())
        let list = QueryDefinition<Pages<[String], Int>>.pages("names", first: 1) { page, context in
            try await dispatcher.value(from: BasicRequest(method: .get, path: "/names/\(page)"), for: context)
        } next: { _, page in
            page + 1
        }
        .retry(Self.retry(retries))
        _ = try await client.fetch(list)
        await #expect(throws: HTTPError.self) { try await client.fetchNextPage(of: list) }
        #expect(transport.requests.count == 1 + requests)
    }
}
