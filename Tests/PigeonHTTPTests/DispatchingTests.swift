import Foundation
import PigeonBase
import TestServer
import TestSupport
import Testing

@testable import PigeonHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Dispatching")
struct DispatchingTests {
    private let server = StubServer()

    @Test("The server is asked for its address at each request")
    func dynamicAddress() async throws {
        let transport = StubTransport { _ in .ok() }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
        try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
        server.baseURL = URL(string: "https://staging.example.com")
        try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
        #expect(
            transport.requests.map(\.url.absoluteString) == [
                "https://example.com/a", "https://staging.example.com/a",
            ])
    }

    @Test("A server that is gone, or has no address, is an error that names it, and nothing is sent")
    func missing() async throws {
        let transport = StubTransport { _ in .ok() }
        var owner: StubServer? = StubServer()
        let dispatcher = NetworkDispatcher(serverProvider: try #require(owner), transport: transport)
        owner?.baseURL = nil
        await #expect { try await dispatcher.send(BasicRequest(method: .get, path: "/a")) } throws: { error in
            guard case HTTPError.request(.missingURL) = error else { return false }
            return true
        }
        owner = nil
        #expect(dispatcher.serverProvider == nil)
        await #expect { try await dispatcher.send(BasicRequest(method: .get, path: "/a")) } throws: { error in
            guard case HTTPError.request(.missingServerProvider) = error else { return false }
            return true
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "a request to another server takes the same steps, unless the policy has something for one server", .rule("F17")
    )
    func steps() throws {
        let url = try #require(URL(string: "https://other.example.com/a"))
        func isSame(_ change: (inout HTTPPolicy) -> Void) -> Bool {
            var policy = HTTPPolicy()
            change(&policy)
            let pipeline = Pipeline(
                transport: StubTransport { _ in .ok() }, policy: policy, clock: SystemClock(),
                random: NetworkDispatcher.random)
            return pipeline.fit(for: url, of: server) === pipeline
        }
        #expect(isSame { $0.headers = ["Accept-Language": "en"] })
        #expect(!isSame { $0.headers = ["X-Key": "secret"] })
        #expect(!isSame { $0.authorization = TokenAuthorization(token: "old") { _ in "new" } })
        #expect(!isSame { $0.errorMessage = { _ in nil } })
    }

    @Test("A dispatcher made of an address keeps it")
    func ownAddress() async throws {
        let transport = StubTransport { _ in .ok("hi") }
        let dispatcher = NetworkDispatcher(
            baseURL: try #require(URL(string: "https://example.com/api")), transport: transport)
        #expect(try await dispatcher.string(from: BasicRequest(method: .get, path: "a")) == "hi")
        #expect(transport.requests.map(\.url.absoluteString) == ["https://example.com/api/a"])
    }

    @Test("a dispatcher's cookies are its own, and it sends them again", .rule("H11"))
    func cookies() async throws {
        try await withLoopback { request in
            .ok(request.headers["Cookie"] ?? "none", ["Set-Cookie": "sid=secret; Path=/"])
        } test: { server in
            let request = BasicRequest(method: .get, path: "/")
            let first = NetworkDispatcher(baseURL: server.url())
            let second = NetworkDispatcher(baseURL: server.url())
            var sent: [String?] = []
            for dispatcher in [first, first, second] { sent.append(try await dispatcher.string(from: request)) }
            #expect(sent == ["none", "sid=secret", "none"])
            #expect(HTTPCookieStorage.shared.cookies(for: server.url())?.isEmpty ?? true)
        }
    }

    @Test("The policy's headers go along, unless the request has its own")
    func headers() async throws {
        let transport = StubTransport { _ in .ok() }
        var policy = HTTPPolicy()
        policy.headers = ["Accept": "application/json", "User-Agent": "Test"]
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        try await dispatcher.send(BasicRequest(method: .get, path: "/a", headers: ["accept": "text/plain"]))
        let sent = try #require(transport.requests.first)
        #expect(sent.headers.values(of: "Accept") == ["text/plain"])
        #expect(sent.headers["User-Agent"] == "Test")
    }

    @Test("A request's own timeout goes before the policy's")
    func timeouts() async throws {
        let transport = StubTransport { _ in .ok() }
        var policy = HTTPPolicy()
        policy.timeout = .seconds(5)
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        var request = BasicRequest(method: .get, path: "/a")
        try await dispatcher.send(request)
        request.timeout = .seconds(1)
        try await dispatcher.send(request)
        #expect(transport.requests.map(\.timeout) == [.seconds(5), .seconds(1)])
    }

    @Test("An answer of any status is an answer, with its error")
    func anyStatus() async throws {
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: StubTransport { _ in .answer(404) })
        let response = try await dispatcher.response(from: BasicRequest(method: .get, path: "/a"))
        #expect(response.statusCode == .notFound)
        guard case .notFound = response.error else {
            Issue.record("\(String(describing: response.error))")
            return
        }
    }

    @Test("A dispatcher that is let go lets go of its transport")
    func lifetime() async throws {
        weak var transport: StubTransport?
        do {
            let local = StubTransport { _ in .ok() }
            transport = local
            let dispatcher = NetworkDispatcher(serverProvider: server, transport: local)
            try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
        }
        await until { transport == nil }
    }
}
