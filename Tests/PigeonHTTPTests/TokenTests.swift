import Foundation
import PigeonCore
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("Tokens")
struct TokenTests {
    private struct SessionOver: Error {}

    private let server = StubServer()
    private let request = BasicRequest(method: .get, path: "/a")

    /// Returns a transport that refuses all tokens except one.
    private func transport(accepting token: String) -> StubTransport {
        StubTransport { request in
            request.headers["Authorization"] == "Bearer \(token)" ? .ok("welcome") : .answer(401)
        }
    }

    private func dispatcher(_ transport: StubTransport, _ authorization: TokenAuthorization) -> NetworkDispatcher {
        var policy = HTTPPolicy()
        policy.authorization = authorization
        return NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
    }

    @Test("A token goes along; one that is accepted is not renewed")
    func accepted() async throws {
        let authorization = TokenAuthorization(token: "good") { _ in throw SessionOver() }
        let transport = transport(accepting: "good")
        #expect(try await dispatcher(transport, authorization).string(from: request) == "welcome")
        #expect(transport.requests.count == 1)
    }

    @Test("Requests that are refused together are renewed once, and all sent again")
    func shared() async throws {
        let gate = StubGate()
        let refused = Locked<[String?]>([])
        let authorization = TokenAuthorization(token: "old") { token in
            refused.withLock { $0.append(token) }
            await gate.pass()
            return "new"
        }
        let transport = transport(accepting: "new")
        let dispatcher = dispatcher(transport, authorization)
        let replies = (0..<20).map { _ in Task { [request] in try await dispatcher.string(from: request) } }
        await until { transport.requests.count == 20 && gate.count == 1 }
        gate.open()
        for reply in replies { #expect(try await reply.value == "welcome") }
        #expect(refused.withLock { $0 } == ["old"])
        #expect(transport.requests.count == 40)
        #expect(authorization.token == "new")
    }

    @Test(
        "a token with a line break or another control character is an error that does not show it", .rule("H15"),
        arguments: [("old\nX: y", ""), ("old", "hush\r\nX: y"), ("hush\u{1}", ""), ("old", "hush\u{7F}")])
    func unsendable(token: String, renewed: String) async throws {
        let transport = transport(accepting: "good")
        var policy = HTTPPolicy()
        policy.authorization = TokenAuthorization(token: token) { _ in renewed }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        await #expect {
            try await dispatcher.response(from: BasicRequest(method: .get, path: "/"))
        } throws: { error in
            guard case HTTPError.defect(.invalidHeader("Authorization")) = error else { return false }
            return !"\(error)".contains("hush")
        }
        #expect(transport.requests.allSatisfy { $0.headers["Authorization"]?.contains("hush") != true })
    }

    @Test("A request that is refused with a token that was renewed meanwhile uses the new one")
    func late() async throws {
        let gate = StubGate()
        let count = Locked(0)
        let authorization = TokenAuthorization(token: "old") { _ in
            count.withLock { $0 += 1 }
            return "new"
        }
        let transport = StubTransport { request in
            guard request.headers["Authorization"] == "Bearer new" else {
                if request.url.path == "/slow" { await gate.pass() }
                return .answer(401)
            }
            return .ok("welcome")
        }
        let dispatcher = dispatcher(transport, authorization)
        let slow = Task { try await dispatcher.string(from: BasicRequest(method: .get, path: "/slow")) }
        await until { gate.count == 1 }
        #expect(try await dispatcher.string(from: request) == "welcome")
        gate.open()
        #expect(try await slow.value == "welcome")
        #expect(count.withLock { $0 } == 1)
    }

    @Test(
        "a refresh that fetches through a client sends its request without a token, and does not wait for itself",
        .rule("A80"))
    func refreshThroughClient() async throws {
        let transport = StubTransport { request in
            switch (request.url.path, request.headers["Authorization"]) {
            case ("/session", nil): .ok("new")
            case ("/a", "Bearer new"): .ok("welcome")
            default: .answer(401)
            }
        }
        let client = QueryClient()
        let renewing = Locked<NetworkDispatcher?>(nil)
        let authorization = TokenAuthorization(token: "old") { _ in
            try await client.fetch(
                QueryDefinition<String>("session") { _ in
                    let dispatcher = try #require(renewing.withLock { $0 })
                    return try await dispatcher.string(from: BasicRequest(method: .get, path: "/session"))
                })
        }
        let dispatcher = dispatcher(transport, authorization)
        renewing.withLock { $0 = dispatcher }
        #expect(try await dispatcher.string(from: request) == "welcome")
        #expect(transport.requests.map(\.url.path) == ["/a", "/session", "/a"])
    }

    @Test("A new token that is refused too is the answer: no circle")
    func refusedAgain() async throws {
        let authorization = TokenAuthorization(token: "old") { _ in "also bad" }
        let transport = transport(accepting: "good")
        let response = try await dispatcher(transport, authorization).response(from: request)
        #expect(response.statusCode == .unauthorized)
        #expect(transport.requests.count == 2)
    }

    @Test(
        "if the refresh throws, all that wait for it fail with the 401; the next request tries anew", .rule("D17", "K5")
    )
    func failedRefresh() async throws {
        let isOver = Locked(true)
        let authorization = TokenAuthorization(token: "old") { _ in
            if isOver.withLock({ $0 }) { throw SessionOver() }
            return "new"
        }
        let dispatcher = dispatcher(transport(accepting: "new"), authorization)
        await #expect {
            try await dispatcher.string(from: request)
        } throws: { error in
            guard case HTTPError.status(let answer) = error else { return false }
            return answer.statusCode == .unauthorized && answer.error.cause is SessionOver
        }
        isOver.withLock { $0 = false }
        #expect(try await dispatcher.string(from: request) == "welcome")
    }

    @Test("Cancelling one that waits for the refresh ends it alone")
    func cancelledWaiter() async throws {
        let gate = StubGate()
        let authorization = TokenAuthorization(token: "old") { _ in
            await gate.pass()
            return "new"
        }
        let transport = transport(accepting: "new")
        let dispatcher = dispatcher(transport, authorization)
        let first = Task { [request] in try await dispatcher.string(from: request) }
        let second = Task { [request] in try await dispatcher.string(from: request) }
        await until { transport.requests.count == 2 && gate.count == 1 }
        first.cancel()
        await #expect(throws: HTTPError.self) { try await first.value }
        gate.open()
        #expect(try await second.value == "welcome")
    }

    @Test("The refresh may ask through the same dispatcher, even where one request a time may go")
    func refreshByItself() async throws {
        let dispatcher = Locked<NetworkDispatcher?>(nil)
        let transport = StubTransport { request in
            switch (request.url.path, request.headers["Authorization"]) {
            case ("/token", nil): .ok("new")
            case ("/a", "Bearer new"): .ok("welcome")
            default: .answer(401)
            }
        }
        var policy = HTTPPolicy()
        policy.requestsPerHost = 1
        policy.authorization = TokenAuthorization(token: "old") { _ in
            let own = dispatcher.withLock { $0 }
            return try await own?.string(from: BasicRequest(method: .get, path: "/token")) ?? ""
        }
        let asking = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        dispatcher.withLock { $0 = asking }
        #expect(try await asking.string(from: request) == "welcome")
        dispatcher.withLock { $0 = nil }
    }

    @Test("Signing out while a refresh is under way stays signed out")
    func signOut() async throws {
        let gate = StubGate()
        let authorization = TokenAuthorization(token: "old") { _ in
            await gate.pass()
            return "new"
        }
        let dispatcher = dispatcher(transport(accepting: "new"), authorization)
        let reply = Task { [request] in try await dispatcher.response(from: request) }
        await until { gate.count == 1 }
        authorization.token = nil
        gate.open()
        _ = try? await reply.value
        #expect(authorization.token == nil)
    }

    @Test("A request that is refused after signing out renews nothing, and leaves no token to others")
    func refusedAfterSignOut() async throws {
        let gate = StubGate()
        let renewals = Locked(0)
        let authorization = TokenAuthorization(token: "old") { _ in
            renewals.withLock { $0 += 1 }
            return "of old"
        }
        let transport = StubTransport { request in
            if request.headers["Authorization"] == "Bearer old" { await gate.pass() }
            return .answer(401)
        }
        let dispatcher = dispatcher(transport, authorization)
        let late = Task { [request] in try await dispatcher.response(from: request).statusCode }
        await until { gate.count == 1 }
        authorization.token = nil
        gate.open()
        #expect(try await late.value.rawValue == 401)
        #expect(renewals.withLock { $0 } == 0)
    }

    @Test("A 401 of a server that has not seen the token renews nothing")
    func refusedElsewhere() async throws {
        let renewals = Locked(0)
        let transport = StubTransport { request in
            request.url.host() == "example.com"
                ? .answer(307, ["Location": "https://other.example/"]) : .answer(401)
        }
        let authorization = TokenAuthorization(token: "good") { _ in
            renewals.withLock { $0 += 1 }
            return "new"
        }
        _ = try await dispatcher(transport, authorization).response(from: request)
        #expect(renewals.withLock { $0 } == 0)
        #expect(transport.requests.count == 2)
    }

    @Test("A request with credentials of its own keeps them")
    func ownCredentials() async throws {
        let authorization = TokenAuthorization(token: "old") { _ in throw SessionOver() }
        let transport = transport(accepting: "mine")
        let dispatcher = dispatcher(transport, authorization)
        let own = BasicRequest(method: .get, path: "/a", headers: ["authorization": "Bearer mine"])
        #expect(try await dispatcher.string(from: own) == "welcome")
    }

    @Test("A redirect to another origin does not carry the token there")
    func redirect() async throws {
        let transport = StubTransport { request in
            request.url.host() == "example.com" ? .answer(302, ["Location": "https://other.example/"]) : .ok()
        }
        try await dispatcher(transport, TokenAuthorization(token: "good") { _ in "" }).send(request)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer good", nil])
    }
}
