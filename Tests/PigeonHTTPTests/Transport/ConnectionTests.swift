import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("The life of a transport and its connections", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("requests in a row share one connection", .rule("D6", "PiuPiu P6"), arguments: TransportKind.allCases)
    func reuse(kind: TransportKind) async throws {
        try await withLoopback {
            .ok($0.target)
        } test: { server in
            let transport = kind.make()
            for number in 0..<50 {
                let answer = try await transport.get(server.url("/\(number)"))
                #expect(answer.text == "/\(number)")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(
        "a transport that nobody holds closes its connections", .rule("D6", "PiuPiu P6"),
        arguments: TransportKind.allCases)
    func letGo(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("hello")
        } test: { server in
            weak var gone: (any HTTPTransport & AnyObject)?
            do {
                let transport = kind.make()
                gone = transport as? any HTTPTransport & AnyObject
                #expect(gone != nil)
                _ = try await transport.get(server.url())
            }
            await server.connectionsBecome(0)
            #expect(gone == nil)
        }
    }

    @Test("A request under way keeps its transport", arguments: TransportKind.allCases)
    func underWay(kind: TransportKind) async throws {
        let gate = Gate()
        try await withLoopback { _ in
            .wait(gate) + .ok("hello")
        } test: { server in
            async let answer = kind.make().get(server.url())
            await server.received(1)
            gate.open()
            let text = try await answer.text
            #expect(text == "hello")
            await server.connectionsBecome(0)
        }
    }

    @Test("A stream keeps its transport to its end", arguments: TransportKind.allCases)
    func streaming(kind: TransportKind) async throws {
        let gate = Gate()
        try await withLoopback { _ in
            .head(200, ["Content-Length": "5"]) + .wait(gate) + .bytes("hello")
        } test: { server in
            let answer = try await kind.make().streamed(server.url())
            gate.open()
            #expect(try await answer.body.collected() == Data("hello".utf8))
            await server.connectionsBecome(0)
        }
    }

    @Test("1,000 requests with 64 in flight each get their own answer", arguments: TransportKind.allCases)
    func thousand(kind: TransportKind) async throws {
        try await withLoopback {
            .ok($0.target)
        } test: { server in
            let transport = kind.make()
            try await withThrowingTaskGroup { group in
                for lane in 0..<64 {
                    group.addTask {
                        for number in stride(from: lane, to: 1000, by: 64) {
                            let answer = try await transport.get(server.url("/\(number)"))
                            #expect(answer.text == "/\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(server.requests.map(\.target)).count == 1000)
            #expect(server.requests.count == 1000)
        }
    }

    @Test("A server that stops answers nobody any more", arguments: TransportKind.allCases)
    func stopping(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("hello")
        } test: { server in
            let transport = kind.make()
            _ = try await transport.get(server.url())
            await server.stop()
            await #expect(throws: HTTPError.self) { try await transport.get(server.url()) }
            #expect(server.requests.count == 1)
        }
    }
}
