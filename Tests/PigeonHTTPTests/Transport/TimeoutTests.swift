import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Answers that take too long", .timeLimit(.minutes(1)))
struct TimeoutTests {
    /// The part of an answer that the server sends before it falls silent.
    enum Silence: String, CaseIterable, CustomTestStringConvertible {
        case nothing = "nothing"
        case halfHead = "half a head"
        case head = "a head"
        case halfBody = "half a body"

        var testDescription: String { rawValue }

        var reply: LoopbackReply {
            switch self {
            case .nothing: .silence
            case .halfHead: .bytes("HTTP/1.1 200 OK\r\nContent-")
            case .head: .head(200, ["Content-Length": "10"])
            case .halfBody: .head(200, ["Content-Length": "10"]) + .bytes("hello")
            }
        }
    }

    @Test(
        "A request that is not answered in time ends, and so does its connection",
        arguments: TransportKind.allCases, Silence.allCases)
    func late(kind: TransportKind, silence: Silence) async throws {
        try await withLoopback { _ in
            silence.reply
        } test: { server in
            let transport = kind.make()
            let code = await transportFailure {
                try await transport.get(server.url(), timeout: .milliseconds(50))
            }
            #expect(code == .timedOut)
            await server.connectionsBecome(0)
        }
    }

    @Test("The time of the whole answer counts on the transport's clock")
    func clock() async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello")
        } test: { server in
            let clock = ManualClock()
            let transport = URLSessionTransport(configuration: .ephemeral, clock: clock)
            let received = Watched<Int64>(0)
            async let code = transportFailure {
                try await transport.send(
                    TransportRequest(method: .get, url: server.url(), timeout: .seconds(10)), limit: nil
                ) { progress in received.update { $0 = progress.received } }
            }
            await received.wait { $0 == 5 }
            #expect(clock.alarmCount == 1)
            clock.advance(by: .seconds(10))
            #expect(await code == .timedOut)
        }
    }

    @Test("An answer in time leaves no alarm behind")
    func inTime() async throws {
        try await withLoopback { _ in
            .ok("hello")
        } test: { server in
            let clock = ManualClock()
            let transport = URLSessionTransport(configuration: .ephemeral, clock: clock)
            _ = try await transport.get(server.url(), timeout: .seconds(10))
            #expect(clock.alarmCount == 0)
            let stream = try await transport.streamed(server.url(), timeout: .seconds(10))
            #expect(clock.alarmCount == 0)
            _ = try await stream.body.collected()
        }
    }

    @Test("A stream has all the time it needs once its head is there", arguments: TransportKind.allCases)
    func slowStream(kind: TransportKind) async throws {
        let gate = Gate()
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello") + .wait(gate) + .bytes("world")
        } test: { server in
            let transport = kind.make()
            let answer = try await transport.streamed(server.url(), timeout: .seconds(30))
            // Another request fails with a timeout that began later and is shorter.
            _ = await transportFailure {
                try await transport.get(server.url("/silent"), timeout: .milliseconds(50))
            }
            gate.open()
            #expect(try await answer.body.collected() == Data("helloworld".utf8))
        }
    }

    @Test("a stream that falls silent ends, and so does its connection", .rule("H4"), arguments: TransportKind.allCases)
    func silentStream(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello")
        } test: { server in
            let code = await transportFailure {
                try await kind.make().streamed(server.url(), timeout: .milliseconds(200)).body.collected()
            }
            #expect(code == .timedOut)
            await server.connectionsBecome(0)
        }
    }

    @Test("a reader who takes his time is not the server's silence", .rule("H4"))
    func slowReader() async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello") + .bytes("world")
        } test: { server in
            let clock = ManualClock()
            let transport = URLSessionTransport(configuration: .ephemeral, clock: clock)
            let answer = try await transport.streamed(server.url(), timeout: .seconds(10))
            clock.advance(by: .seconds(100))
            #expect(try await answer.body.collected() == Data("helloworld".utf8))
            #expect(clock.alarmCount == 0)
        }
    }

    /// The ways to read an answer piece by piece.
    enum Reading: String, CaseIterable, CustomTestStringConvertible {
        case stream, download, events

        var testDescription: String { rawValue }

        func read(_ dispatcher: NetworkDispatcher) async throws {
            switch self {
            case .stream: _ = try await dispatcher.stream(from: .get).data.collected()
            case .download:
                let folder = try Folder()
                try await dispatcher.download(from: .get, to: folder.url.appendingPathComponent("file"))
            case .events: for try await _ in dispatcher.events(from: .get) {}
            }
        }
    }

    @Test(
        "the time for all attempts holds for each byte of what is read piece by piece", .rule("H4"),
        arguments: TransportKind.allCases, Reading.allCases)
    func drip(kind: TransportKind, reading: Reading) async throws {
        let end = Gate()
        let drip = LoopbackReply.bytes("data: x\n\n") + .pause
        let drops = LoopbackReply(steps: Array(repeatElement(drip.steps, count: 20_000).joined()))
        try await withLoopback { _ in
            .head(200, ["Content-Type": "text/event-stream"]) + drops + .wait(end)
        } test: { server in
            var policy = HTTPPolicy()
            policy.totalTimeout = .seconds(1)
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make(), policy: policy)
            let code = await transportFailure { try await reading.read(dispatcher) }
            #expect(code == .timedOut)
            await server.connectionsBecome(0)
        }
    }

    @Test(
        "a deadline that passes before a piece is waited for is no end of the body", .rule("H4"),
        arguments: Reading.allCases)
    func passedDeadline(reading: Reading) async throws {
        // A stream ends for a task that is cancelled while it requests a piece. Which of the two comes first is a
        // matter of chance.
        for _ in 0..<10 {
            let (pieces, server) = HTTPChunks.makeStream()
            var policy = HTTPPolicy()
            policy.totalTimeout = .seconds(1)
            let transport = MockTransport()
            transport.answer(.get, "/") { _, _ in
                .stream(headers: ["Content-Type": "text/event-stream"]) { pieces }
            }
            let dispatcher = NetworkDispatcher(
                baseURL: try .of("https://example.com/"), transport: transport, policy: policy,
                clock: HastyClock(after: 1))
            let code = await transportFailure { try await reading.read(dispatcher) }
            #expect(code == .timedOut)
            server.finish()
        }
    }

    @Test("the time for all attempts also ends the reading of what arrived before it was over", .rule("H4"))
    func slowReaderOfMuch() async throws {
        let clock = ManualClock()
        var policy = HTTPPolicy()
        policy.totalTimeout = .seconds(10)
        let transport = MockTransport()
        let flood = Data(String(repeating: "data: x\n\n", count: 100_000).utf8)
        transport.answer(.get, "/", with: .data(flood, headers: ["Content-Type": "text/event-stream"]))
        let dispatcher = NetworkDispatcher(
            baseURL: try .of("https://example.com/"), transport: transport, policy: policy, clock: clock)
        var events = 0
        let code = await transportFailure {
            for try await _ in dispatcher.events(from: .get) {
                events += 1
                clock.advance(by: .milliseconds(1))
            }
        }
        #expect(code == .timedOut)
        // Events that arrived before the deadline are read to the end.
        #expect((10_000..<25_000).contains(events), "\(events)")
        #expect(try await dispatcher.stream(from: .get).data.collected() == flood, "nothing is lost in time")
    }

    @Test("silence ends each of them too", .rule("H4"), arguments: TransportKind.allCases, Reading.allCases)
    func silence(kind: TransportKind, reading: Reading) async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Type": "text/event-stream"]) + .bytes("data: x\n\n")
        } test: { server in
            var policy = HTTPPolicy()
            policy.timeout = .milliseconds(200)
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make(), policy: policy)
            let code = await transportFailure { try await reading.read(dispatcher) }
            #expect(code == .timedOut)
            await server.connectionsBecome(0)
        }
    }

    @Test("No time at all is too little", arguments: TransportKind.allCases)
    func noTime(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .silence
        } test: { server in
            let transport = kind.make()
            for timeout in [Duration.zero, .seconds(-1)] {
                let code = await transportFailure { try await transport.get(server.url(), timeout: timeout) }
                #expect(code == .timedOut)
            }
        }
    }

    @Test("A timeout of centuries is no trouble", arguments: TransportKind.allCases)
    func endless(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("hello")
        } test: { server in
            let answer = try await kind.make().get(server.url(), timeout: .seconds(Int64.max))
            #expect(answer.text == "hello")
        }
    }
}

/// A clock that stands still for some alarms. It then advances past each later alarm as soon as that is set.
private final class HastyClock: QueryClock {
    private let clock = ManualClock()
    private let quiet: Locked<Int>

    init(after quiet: Int) {
        self.quiet = Locked(quiet)
    }

    func now() -> MonotonicInstant { clock.now() }

    func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        let alarm = clock.schedule(at: deadline, action)
        let rings = quiet.withLock { quiet in
            quiet -= 1
            return quiet < 0
        }
        if rings { clock.advance(by: .seconds(1)) }
        return alarm
    }
}
