import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("Requests per host")
struct HostLimitTests {
    /// Retained here, because a dispatcher does not retain its provider.
    private let server = StubServer()

    private func dispatcher(_ server: StubServer, _ transport: StubTransport, limit: Int) -> NetworkDispatcher {
        var policy = HTTPPolicy()
        policy.requestsPerHost = limit
        return NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
    }

    @Test("No more than the limit are under way; the others come when it is their turn, first come, first served")
    func limit() async throws {
        let gates = (0..<6).map { _ in StubGate() }
        let transport = StubTransport { request in
            await gates[Int(request.url.lastPathComponent) ?? 0].pass()
            return .ok()
        }
        let dispatcher = dispatcher(server, transport, limit: 2)
        var replies: [Task<Void, any Error>] = []
        for number in 0..<6 {
            replies.append(Task { try await dispatcher.send(BasicRequest(method: .get, path: "/\(number)")) })
            // The first two requests are sent. Each of the others must wait in the queue before the next one is made.
            if number < 2 { await until { transport.requests.count == number + 1 } }
            if number >= 2 { await settle() }
        }
        #expect(transport.requests.count == 2)
        for (number, gate) in gates.enumerated() {
            gate.open()
            try await replies[number].value
            await until { transport.requests.count == min(6, number + 3) }
        }
        #expect(transport.requests.map(\.url.lastPathComponent).sorted() == (0..<6).map(String.init))
    }

    @Test("Another host, or another port, has its own limit")
    func hosts() async throws {
        let gate = StubGate()
        let transport = StubTransport { request in
            if request.url.absoluteString == "https://example.com/slow" { await gate.pass() }
            return .ok()
        }
        let dispatcher = dispatcher(server, transport, limit: 1)
        let slow = Task { try await dispatcher.send(BasicRequest(method: .get, path: "/slow")) }
        await until { gate.count == 1 }
        server.baseURL = URL(string: "https://example.com:8443")
        try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
        server.baseURL = URL(string: "https://other.example")
        try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
        gate.open()
        try await slow.value
    }

    @Test("Requests with a whole address of another server take turns too")
    func foreign() async throws {
        let gate = StubGate()
        let transport = StubTransport { _ in
            await gate.pass()
            return .ok()
        }
        let dispatcher = dispatcher(server, transport, limit: 1)
        let url = try #require(URL(string: "https://other.example/a"))
        let call = TransportRequest(method: .get, url: url)
        let replies = (0..<2).map { _ in Task { try await dispatcher.response(to: call, report: nil) } }
        await until { gate.count > 0 }
        await settle()
        #expect(transport.requests.count == 1)
        gate.open()
        for reply in replies { _ = try await reply.value }
        #expect(transport.requests.count == 2)
    }

    @Test("One that is cancelled while it waits gives its turn to the next")
    func cancelled() async throws {
        let gate = StubGate()
        let transport = StubTransport { _ in
            await gate.pass()
            return .ok()
        }
        let dispatcher = dispatcher(server, transport, limit: 1)
        let tasks = (0..<3).map { number in
            Task { try await dispatcher.send(BasicRequest(method: .get, path: "/\(number)")) }
        }
        await until { gate.count == 1 }
        let running = transport.requests.map(\.url.lastPathComponent)
        let waiting = (0..<3).filter { !running.contains(String($0)) }
        tasks[waiting[0]].cancel()
        await #expect(throws: HTTPError.self) { try await tasks[waiting[0]].value }
        gate.open()
        try await tasks[waiting[1]].value
        #expect(transport.requests.count == 2)
    }

    @Test("A stream has its place until its last piece is read, or it is let go", arguments: [true, false])
    func streams(isRead: Bool) async throws {
        let transport = StubTransport { _ in .ok("piece") }
        let dispatcher = dispatcher(server, transport, limit: 1)
        var stream: Response<HTTPChunks>? = try await dispatcher.stream(from: BasicRequest(method: .get, path: "/s"))
        let next = Task { try await dispatcher.send(BasicRequest(method: .get, path: "/a")) }
        await settle()
        #expect(transport.requests.count == 1)
        if isRead, let pieces = stream?.data {
            var read: [Data] = []
            for try await piece in pieces { read.append(piece) }
            #expect(read == [Data("piece".utf8)])
        }
        stream = nil
        try await next.value
        #expect(transport.requests.count == 2)
    }

    @Test(
        "a stream that is refused gives its place to the request with a new token, and to whoever waits before a retry",
        .rule("H2")
    )
    func refused() async throws {
        let transport = StubTransport { request in
            switch request.headers["Authorization"] {
            case "Bearer new": .ok("piece")
            default: .answer(401)
            }
        }
        var policy = HTTPPolicy()
        policy.requestsPerHost = 1
        policy.authorization = TokenAuthorization(token: "old") { _ in "new" }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        let stream = try await dispatcher.stream(from: BasicRequest(method: .get, path: "/s"))
        #expect(stream.statusCode == .ok)
        #expect(transport.requests.count == 2)
    }

    @Test("a stream that will be tried again leaves its place to others until then", .rule("H2"))
    func retried() async throws {
        let transport = StubTransport { request in request.url.path == "/s" ? .answer(503) : .ok() }
        let clock = ManualClock()
        var policy = HTTPPolicy()
        policy.requestsPerHost = 1
        policy.retry = RetryPolicy(limit: 1, hasJitter: false)
        let dispatcher = NetworkDispatcher(
            serverProvider: server, transport: transport, policy: policy, clock: clock)
        let stream = Task { try await dispatcher.stream(from: BasicRequest(method: .get, path: "/s")) }
        await until { clock.alarmCount == 1 }
        try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
        clock.advance(by: .seconds(5))
        #expect(try await stream.value.statusCode == .serviceUnavailable)
        #expect(transport.requests.map(\.url.path) == ["/s", "/a", "/s"])
    }

    @Test("waiting for a turn counts towards the time for all attempts", .rule("H2"))
    func waiting() async throws {
        let gate = StubGate()
        let transport = StubTransport { _ in
            await gate.pass()
            return .ok()
        }
        let clock = ManualClock()
        var policy = HTTPPolicy()
        policy.requestsPerHost = 1
        policy.totalTimeout = .seconds(4)
        let dispatcher = NetworkDispatcher(
            serverProvider: server, transport: transport, policy: policy, clock: clock)
        let first = Task { try await dispatcher.send(BasicRequest(method: .get, path: "/1")) }
        await until { gate.count == 1 }
        let second = Task { _ = try await dispatcher.stream(from: BasicRequest(method: .get, path: "/2")) }
        await until { clock.alarmCount == 2 }
        clock.advance(by: .seconds(4))
        await #expect(throws: HTTPError.self) { try await second.value }
        #expect(transport.requests.count == 1)
        gate.open()
        _ = try? await first.value
    }

    @Test("An error gives the place back")
    func errors() async throws {
        let transport = StubTransport { _ throws(HTTPError) in throw .transport(URLError(.cannotConnectToHost)) }
        let dispatcher = dispatcher(server, transport, limit: 1)
        for _ in 0..<3 {
            await #expect(throws: HTTPError.self) {
                try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
            }
        }
        #expect(transport.requests.count == 3)
    }

    /// Lets other tasks run for many steps. The test then checks that they did nothing wrong.
    private func settle() async {
        for _ in 0..<200 { await Task.yield() }
    }
}
