import Foundation
import TestServer
import TestSupport
import Testing

@testable import PigeonHTTP

@Suite("Bodies, byte for byte", .timeLimit(.minutes(1)))
struct BodyTests {
    private static let bodies: [Data] = [
        Data(), Data([0]), Data(UInt8.min...UInt8.max),
        Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
    ]

    @Test("The server gets what was sent, and the client what the server sent", arguments: TransportKind.allCases)
    func bothWays(kind: TransportKind) async throws {
        try await withLoopback {
            .ok($0.body)
        } test: { server in
            let transport = kind.make()
            for body in Self.bodies {
                let request = TransportRequest(method: .put, url: server.url(), body: .data(body))
                let answer = try await transport.send(request, limit: nil, report: nil)
                #expect(answer.body == body)
                let streamed = try await transport.stream(request, report: nil)
                #expect(try await streamed.body.collected() == body)
            }
            #expect(server.requests.map(\.body) == Self.bodies.flatMap { [$0, $0] })
            #expect(
                server.requests.map { $0.headers["Content-Length"] }
                    == Self.bodies.flatMap { ["\($0.count)", "\($0.count)"] })
        }
    }

    @Test(
        "Every method reaches the server, with a body where it may have one",
        arguments: TransportKind.allCases, HTTPMethod.allCases.filter { $0 != .connect })
    func methods(kind: TransportKind, method: HTTPMethod) async throws {
        try await withLoopback { _ in
            .head(204)
        } test: { server in
            let transport = kind.make()
            let hasBody = [.post, .put, .patch, .delete].contains(method)
            let request = TransportRequest(
                method: method, url: server.url(), body: hasBody ? .data(Data("x".utf8)) : nil)
            _ = try await transport.send(request, limit: nil, report: nil)
            #expect(server.requests.map(\.method) == [method.rawValue])
            #expect(server.requests.map(\.text) == [hasBody ? "x" : ""])
            #expect(server.requests.allSatisfy { $0.headers["Content-Type"] == nil && $0.headers["Expect"] == nil })
        }
    }

    @Test(
        "a method of any name reaches the server as it is written", .rule("D16", "K27"),
        arguments: TransportKind.allCases,
        ["PROPFIND", "PURGE", "QUERY", "REPORT", "MKCOL"])
    func otherMethods(kind: TransportKind, name: String) async throws {
        try await withLoopback { request in
            .ok(request.body)
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
            var request = BasicRequest(methodName: name, path: "/files")
            #expect(request.method == .options)
            request.httpBody = Data("body".utf8)
            let echo = try await dispatcher.string(from: request)
            #expect(echo == "body")
            #expect(server.requests.map(\.method) == [name])
            request.method = .put
            #expect(request.methodName == "PUT")
        }
    }

    @Test(
        "a name that no method can have is an error before anything is sent", .rule("D16", "K27"),
        arguments: ["", "GET /", "A\r\nB"])
    func impossibleMethods(name: String) async throws {
        let transport = StubTransport { _ in .ok() }
        let url = try #require(URL(string: "https://example.com"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: transport)
        let request = BasicRequest(methodName: name, path: "/")
        await #expect {
            try await dispatcher.send(request)
        } throws: { error in
            guard case HTTPError.defect(.invalidMethod(name)) = error else { return false }
            return !"\(request)".contains("\n") && "\(error)".contains("cannot be the name of a method")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("A file is sent whole", arguments: TransportKind.allCases)
    func file(kind: TransportKind) async throws {
        let contents = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try await withFile(contents) { file in
            try await withLoopback { _ in
                .head(204)
            } test: { server in
                let request = TransportRequest(method: .post, url: server.url(), body: .file(file))
                _ = try await kind.make().send(request, limit: nil, report: nil)
                #expect(server.requests.map(\.body) == [contents])
                #expect(server.requests.first?.headers["Content-Length"] == "300000")
            }
        }
    }

    @Test("An empty file is an empty body", arguments: TransportKind.allCases)
    func emptyFile(kind: TransportKind) async throws {
        try await withFile(Data()) { file in
            try await withLoopback { _ in
                .head(204)
            } test: { server in
                let request = TransportRequest(method: .post, url: server.url(), body: .file(file))
                _ = try await kind.make().send(request, limit: nil, report: nil)
                #expect(server.requests.map(\.body) == [Data()])
            }
        }
    }

    @Test("Pieces and files are sent in their order", arguments: TransportKind.allCases)
    func segments(kind: TransportKind) async throws {
        let contents = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let (before, after) = (Data("before".utf8), Data("after".utf8))
        try await withFile(contents) { file in
            try await withLoopback { _ in
                .head(204)
            } test: { server in
                let body = HTTPBody([.data(before), .file(file), .data(Data()), .file(file), .data(after)])
                let request = TransportRequest(method: .post, url: server.url(), body: body)
                _ = try await kind.make().send(request, limit: nil, report: nil)
                #expect(server.requests.map(\.body) == [before + contents + contents + after])
            }
        }
    }

    @Test("A file that is not there is an error before anything is sent", arguments: TransportKind.allCases)
    func missingFile(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .head(204)
        } test: { server in
            let transport = kind.make()
            let temporary = FileManager.default.temporaryDirectory
            let missing = HTTPBody.file(temporary.appendingPathComponent("nothing-\(UUID())"))
            let folder = HTTPBody([.data(Data("x".utf8)), .file(temporary)])
            for body in [missing, folder] {
                let request = TransportRequest(method: .post, url: server.url(), body: body)
                await expectInvalidBody { try await transport.send(request, limit: nil, report: nil) }
                await expectInvalidBody { try await transport.stream(request, report: nil) }
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test("Pieces that were put together on disk are gone when nobody holds them")
    func temporaryFile() async throws {
        try await withFile(Data("file".utf8)) { file in
            let url: URL
            do {
                let together = try await TemporaryFile([.data(Data("a ".utf8)), .file(file)])
                url = together.url
                #expect(try Data(contentsOf: url) == Data("a file".utf8))
            }
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    #if !os(Windows)
        @Test("nobody else may read them, and what a killed process left is removed by the next", .rule("H10"))
        func privacy() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let left = folder.appendingPathComponent("pigeon-upload-left")
            try Data("a name".utf8).write(to: left)
            let other = folder.appendingPathComponent("other")
            try Data().write(to: other)

            let first = try await TemporaryFile([.data(Data("a".utf8))], in: folder)
            let second = try await TemporaryFile([.data(Data("b".utf8))], in: folder)
            let attributes = try FileManager.default.attributesOfItem(atPath: first.url.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let there = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(there) == [first.url.lastPathComponent, second.url.lastPathComponent, "other"])
        }
    #endif

    @Test("URLSession sends no body with GET, and nothing is sent then")
    func bodyOfGet() async throws {
        try await withLoopback { _ in
            .head(204)
        } test: { server in
            let transport = TransportKind.urlSession.make()
            let request = TransportRequest(method: .get, url: server.url(), body: .data(Data("x".utf8)))
            await expectInvalidBody { try await transport.send(request, limit: nil, report: nil) }
            #expect(server.connectionCount == 0)
        }
    }

    @Test("The request's own word on the length of its body is not sent", arguments: TransportKind.allCases)
    func framing(kind: TransportKind) async throws {
        try await withLoopback {
            .ok($0.body)
        } test: { server in
            let request = TransportRequest(
                method: .post, url: server.url(), headers: ["content-length": "1", "Transfer-Encoding": "chunked"],
                body: .data(Data("hello".utf8)))
            let answer = try await kind.make().send(request, limit: nil, report: nil)
            #expect(answer.text == "hello")
            #expect(server.requests.first?.headers.values(of: "Content-Length") == ["5"])
            #expect(server.requests.first?.headers["Transfer-Encoding"] == nil)
        }
    }

    @Test("A body comes in chunks, or until the connection ends", arguments: TransportKind.allCases)
    func withoutLength(kind: TransportKind) async throws {
        try await withLoopback {
            $0.path == "/chunks"
                ? .chunkedHead + .chunk("hello ") + .chunk("world") + .lastChunk
                : .head(200) + .bytes("hello world") + .close
        } test: { server in
            let transport = kind.make()
            for path in ["/chunks", "/end"] {
                let answer = try await transport.get(server.url(path))
                #expect(answer.text == "hello world")
            }
        }
    }

    @Test("Progress is told in bytes, both ways, up to the whole", arguments: TransportKind.allCases)
    func progress(kind: TransportKind) async throws {
        try await withLoopback {
            .ok($0.body)
        } test: { server in
            let body = Data(repeating: 1, count: 300_000)
            let told = Watched<[TransferProgress]>([])
            let request = TransportRequest(method: .put, url: server.url(), body: .data(body))
            _ = try await kind.make().send(request, limit: nil) { progress in told.update { $0.append(progress) } }
            await told.wait { $0.last?.received == 300_000 }
            let all = told.value
            #expect(
                all.last
                    == TransferProgress(
                        sent: 300_000, expectedToSend: 300_000, received: 300_000, expectedToReceive: 300_000))
            #expect(all.map(\.sent) == all.map(\.sent).sorted())
            #expect(all.map(\.received) == all.map(\.received).sorted())
            #expect(all.first?.received == 0)
        }
    }

    @Test(
        "Progress is told in the task that waits, not on a thread that others need", arguments: TransportKind.allCases)
    func reportingTask(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("hello")
        } test: { server in
            let tasks = Watched<[Bool]>([])
            let request = TransportRequest(method: .get, url: server.url())
            try await Caller.$isHere.withValue(true) {
                let report: TransferReport = { _ in tasks.update { $0.append(Caller.isHere) } }
                _ = try await kind.make().send(request, limit: nil, report: report)
                for try await _ in try await kind.make().stream(request, report: report).body {}
            }
            #expect(tasks.value.count >= 2)
            #expect(tasks.value.allSatisfy { $0 })
        }
    }
}

private enum Caller {
    @TaskLocal static var isHere = false
}

/// Runs a test with a temporary file, and removes the file.
private func withFile(_ contents: Data, test: (URL) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-test-\(UUID())")
    try contents.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await test(file)
}

private func expectInvalidBody(
    sourceLocation: SourceLocation = #_sourceLocation, _ send: () async throws -> some Sendable
) async {
    do {
        _ = try await send()
        Issue.record("was sent", sourceLocation: sourceLocation)
    } catch HTTPError.defect(.invalidBody) {
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
}
