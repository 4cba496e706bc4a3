import Foundation
import PigeonHTTP
import TestServer
import Testing

@Suite("The limit of a body", .timeLimit(.minutes(1)))
struct LimitTests {
    @Test("A body as long as the limit is taken", arguments: TransportKind.allCases)
    func atLimit(kind: TransportKind) async throws {
        try await withLoopback {
            $0.path == "/chunks" ? .chunkedHead + .chunk("hello") + .lastChunk : .ok("hello")
        } test: { server in
            let transport = kind.make()
            for path in ["/length", "/chunks"] {
                let answer = try await transport.get(server.url(path), limit: 5)
                #expect(answer.text == "hello")
            }
        }
    }

    @Test("A head that tells of too long a body is enough to end the transfer", arguments: TransportKind.allCases)
    func byHead(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Length": "6"])
        } test: { server in
            let transport = kind.make()
            await expectTooLarge(limit: 5) { try await transport.get(server.url(), limit: 5) }
            await server.connectionsBecome(0)
        }
    }

    @Test("A body of unknown length ends the transfer when it has become too long", arguments: TransportKind.allCases)
    func byBytes(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .chunkedHead + .chunk("hello") + .chunk("!")
        } test: { server in
            let transport = kind.make()
            await expectTooLarge(limit: 5) { try await transport.get(server.url(), limit: 5) }
            await server.connectionsBecome(0)
        }
    }

    @Test("A limit of nothing takes an empty body alone", arguments: TransportKind.allCases)
    func zero(kind: TransportKind) async throws {
        try await withLoopback {
            .ok($0.path == "/empty" ? "" : "x")
        } test: { server in
            let transport = kind.make()
            let empty = try await transport.get(server.url("/empty"), limit: 0)
            #expect(empty.body.isEmpty)
            await expectTooLarge(limit: 0) { try await transport.get(server.url("/full"), limit: 0) }
        }
    }

    private func expectTooLarge(
        limit: Int, sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> some Sendable
    ) async {
        do {
            _ = try await work()
            Issue.record("was not too large", sourceLocation: sourceLocation)
        } catch HTTPError.bodyTooLarge(limit) {
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
    }
}
