import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("Bodies piece by piece", .timeLimit(.minutes(1)))
struct StreamingTests {
    @Test("The head is there before the body", arguments: TransportKind.allCases)
    func headFirst(kind: TransportKind) async throws {
        let gate = Gate()
        try await withLoopback { _ in
            .head(200, ["Content-Length": "5", "X-Own": "1"]) + .wait(gate) + .bytes("hello")
        } test: { server in
            let answer = try await kind.make().streamed(server.url())
            #expect(answer.status == 200)
            #expect(answer.headers["X-Own"] == "1")
            gate.open()
            #expect(try await answer.body.collected() == Data("hello".utf8))
        }
    }

    @Test("Each piece is there before the next one is sent", arguments: TransportKind.allCases)
    func pieceByPiece(kind: TransportKind) async throws {
        let gates = (0..<5).map { _ in Gate() }
        try await withLoopback { _ in
            gates.enumerated().reduce(.chunkedHead) { $0 + .wait($1.element) + .chunk("\($1.offset)") } + .lastChunk
        } test: { server in
            let answer = try await kind.make().streamed(server.url())
            var chunks = answer.body.makeAsyncIterator()
            for (number, gate) in gates.enumerated() {
                gate.open()
                #expect(try await chunks.next() == Data("\(number)".utf8))
            }
            #expect(try await chunks.next() == nil)
            #expect(try await chunks.next() == nil)
        }
    }

    @Test("An answer byte by byte is put together", arguments: TransportKind.allCases)
    func byteByByte(kind: TransportKind) async throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Own: 1\r\n\r\nhello".utf8)
        try await withLoopback { _ in
            bytes.reduce(LoopbackReply(steps: [])) { $0 + .bytes(Data([$1])) }
        } test: { server in
            let answer = try await kind.make().streamed(server.url())
            #expect(answer.headers["X-Own"] == "1")
            #expect(try await answer.body.collected() == Data("hello".utf8))
        }
    }

    @Test("A body of 20 MB comes whole to a slow reader, and waits in the server", arguments: TransportKind.allCases)
    func slowReader(kind: TransportKind) async throws {
        let piece = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 11) })
        let sent = Watched(0)
        try await withLoopback { _ in
            (1...20).reduce(.head(200, ["Content-Length": "20000000"])) { $0 + .bytes(piece) + .note(sent, $1) }
        } test: { server in
            let answer = try await kind.make().streamed(server.url())
            await sent.wait { $0 >= 2 }
            var (count, sum, longest) = (0, 0, 0)
            for try await chunk in answer.body {
                count += chunk.count
                sum += chunk.reduce(0) { $0 + Int($1) }
                longest = max(longest, chunk.count)
            }
            #expect(count == 20_000_000)
            #expect(sum == piece.reduce(0) { $0 + Int($1) } * 20)
            if kind != .urlSession { #expect(longest < 3_000_000) }
        }
    }
}
