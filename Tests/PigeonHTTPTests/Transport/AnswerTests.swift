import Foundation
import PigeonHTTP
import Testing

@Suite("What a transport brings back", .timeLimit(.minutes(1)))
struct AnswerTests {
    @Test("The status, the header fields and the body are those the server sent", arguments: TransportKind.allCases)
    func answer(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("hello", ["Content-Type": "text/plain", "X-Own": "a b"])
        } test: { server in
            let answer = try await kind.make().get(server.url("/greeting?a=b%20c"))
            #expect(answer.status == 200)
            #expect(answer.text == "hello")
            #expect(answer.headers["content-type"] == "text/plain")
            #expect(answer.headers["x-own"] == "a b")
            #expect(server.requests.map(\.method) == ["GET"])
            #expect(server.requests.map(\.target) == ["/greeting?a=b%20c"])
        }
    }

    @Test("A status of any class is an answer", arguments: TransportKind.allCases)
    func statuses(kind: TransportKind) async throws {
        try await withLoopback {
            .status(Int($0.path.dropFirst()) ?? 0, body: Data("body".utf8))
        } test: { server in
            let transport = kind.make()
            for status in [200, 201, 299, 400, 401, 403, 404, 407, 418, 429, 500, 503, 599] {
                let answer = try await transport.get(server.url("/\(status)"))
                #expect(answer.status == status)
                #expect(answer.text == "body")
            }
        }
    }
}
