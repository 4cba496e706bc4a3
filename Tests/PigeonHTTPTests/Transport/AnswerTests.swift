import Foundation
import PigeonHTTP
import TestServer
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
            for status in [200, 201, 299, 300, 400, 401, 403, 404, 407, 418, 429, 500, 503, 599] {
                let answer = try await transport.get(server.url("/\(status)"))
                #expect(answer.status == status)
                #expect(answer.text == "body")
            }
        }
    }

    @Test("An answer that asks for credentials is an answer", arguments: TransportKind.allCases)
    func unauthorized(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .status(401, ["WWW-Authenticate": "Basic realm=\"here\""], body: Data("who?".utf8))
        } test: { server in
            let answer = try await kind.make().get(server.url())
            #expect(answer.status == 401)
            #expect(answer.text == "who?")
            #expect(server.requests.count == 1)
        }
    }

    @Test("A redirect is an answer, with its head and its body, and is not followed", arguments: TransportKind.allCases)
    func redirects(kind: TransportKind) async throws {
        try await withLoopback {
            .redirect(Int($0.path.dropFirst()) ?? 0, to: "/elsewhere?a=b", body: "over there")
        } test: { server in
            let transport = kind.make()
            for status in [301, 302, 303, 307, 308] {
                let answer = try await transport.get(server.url("/\(status)"))
                #expect(answer.status == status)
                #expect(answer.headers["Location"] == "/elsewhere?a=b")
                #expect(answer.text == "over there")
            }
            #expect(!server.requests.contains { $0.path == "/elsewhere" })
        }
    }

    @Test(
        "A redirect to nowhere is an answer",
        arguments: TransportKind.allCases,
        ["", "http://", "http://[x/", "//", "/a b?ü#%zz", "%", "?a=\"{}\"", "mailto:x"])
    func badRedirects(kind: TransportKind, location: String) async throws {
        try await withLoopback { _ in
            .redirect(to: location)
        } test: { server in
            let answer = try await kind.make().get(server.url())
            #expect(answer.status == 302)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A redirect without a location is an answer", arguments: TransportKind.allCases)
    func redirectWithoutLocation(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .status(301)
        } test: { server in
            let answer = try await kind.make().get(server.url())
            #expect(answer.status == 301)
            let streamed = try await kind.make().streamed(server.url())
            #expect(streamed.status == 301)
            #expect(try await streamed.body.collected().isEmpty)
        }
    }

    @Test("204 and 304 have no body, whatever length the head tells", arguments: TransportKind.allCases)
    func bodiless(kind: TransportKind) async throws {
        try await withLoopback {
            $0.path == "/204" ? .head(204) : .head(304, ["ETag": "\"1\"", "Content-Length": "1000"])
        } test: { server in
            let transport = kind.make()
            let empty = try await transport.get(server.url("/204"), limit: 10)
            #expect(empty.status == 204)
            #expect(empty.body.isEmpty)
            let unchanged = try await transport.get(server.url("/304"), limit: 10)
            #expect(unchanged.status == 304)
            #expect(unchanged.headers["ETag"] == "\"1\"")
            #expect(unchanged.body.isEmpty)
        }
    }

    @Test("The answer to HEAD has the length of a body and no body", arguments: TransportKind.allCases)
    func head(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Length": "1000"])
        } test: { server in
            let transport = kind.make()
            for _ in 1...2 {
                let request = TransportRequest(method: .head, url: server.url())
                let answer = try await transport.send(request, limit: 10, report: nil)
                #expect(answer.status == 200)
                #expect(answer.headers["Content-Length"] == "1000")
                #expect(answer.body.isEmpty)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("What comes before the answer is passed over", arguments: TransportKind.allCases)
    func interim(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .head(103, ["Link": "</style.css>"]) + .head(102) + .ok("hello")
        } test: { server in
            let transport = kind.make()
            let answer = try await transport.get(server.url())
            #expect(answer.status == 200)
            #expect(answer.headers["Link"] == nil)
            #expect(answer.text == "hello")
            #expect(try await transport.streamed(server.url()).status == 200)
        }
    }

    @Test("A head of 60 KB is taken whole", arguments: TransportKind.allCases)
    func hugeHead(kind: TransportKind) async throws {
        let value = String(repeating: "v", count: 1000)
        let fields = (0..<60).map { (key: "X-Field-\($0)", value: value) }
        try await withLoopback { _ in
            .head(200, fields + [(key: "Content-Length", value: "2")]) + .bytes("ok")
        } test: { server in
            let answer = try await kind.make().get(server.url())
            #expect((0..<60).allSatisfy { answer.headers["X-Field-\($0)"] == value })
            #expect(answer.text == "ok")
        }
    }

    @Test("A field that comes twice has both its values", arguments: TransportKind.allCases)
    func repeatedField(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("", ["X-Twice": "1", "X-Twice": "2"])
        } test: { server in
            let answer = try await kind.make().get(server.url())
            #expect(answer.headers["X-Twice"] == "1, 2")
        }
    }

    @Test("A compressed body arrives as what was compressed", arguments: TransportKind.allCases)
    func compressed(kind: TransportKind) async throws {
        // "hello hello hello hello", compressed with gzip.
        let packed = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==")
        try await withLoopback { _ in
            .status(200, ["Content-Encoding": "gzip"], body: packed ?? Data())
        } test: { server in
            let request = TransportRequest(
                method: .get, url: server.url(), headers: ["Accept-Encoding": "gzip"])
            let answer = try await kind.make().send(request, limit: nil, report: nil)
            #expect(answer.text == "hello hello hello hello")
        }
    }
}
