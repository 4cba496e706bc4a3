import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Answers that are none", .timeLimit(.minutes(1)))
struct BrokenAnswerTests {
    @Test(
        "a body cut off after a 200 is a lost connection", .rule("PiuPiu P10"),
        arguments: TransportKind.allCases, ["length", "chunks", "no chunk", "in a chunk"])
    func cutOff(kind: TransportKind, framing: String) async throws {
        try await withLoopback { _ in
            switch framing {
            case "length": .head(200, ["Content-Length": "10"]) + .bytes("hello") + .close
            case "chunks": .chunkedHead + .chunk("hello") + .close
            case "no chunk": .chunkedHead + .close
            default: .chunkedHead + .bytes("a\r\nhello") + .close
            }
        } test: { server in
            let transport = kind.make()
            let code = await transportFailure { try await transport.get(server.url()) }
            #expect(code == .networkConnectionLost)
        }
    }

    @Test(
        "a stream cut off gives what came, and then the lost connection", .rule("PiuPiu P10"),
        arguments: TransportKind.allCases)
    func cutOffStream(kind: TransportKind) async throws {
        let gate = Gate()
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello") + .wait(gate) + .close
        } test: { server in
            let answer = try await kind.make().streamed(server.url())
            #expect(answer.status == 200)
            var received = Data()
            let code = await transportFailure {
                for try await chunk in answer.body {
                    received.append(chunk)
                    gate.open()
                }
            }
            #expect(received == Data("hello".utf8))
            #expect(code == .networkConnectionLost)
        }
    }

    @Test("A reset in the body is a lost connection", arguments: TransportKind.allCases)
    func resetInBody(kind: TransportKind) async throws {
        let gate = Gate()
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello") + .wait(gate) + .reset
        } test: { server in
            let answer = try await kind.make().streamed(server.url())
            gate.open()
            let code = await transportFailure { try await answer.body.collected() }
            #expect(code == .networkConnectionLost)
        }
    }

    @Test("A connection that ends without an answer is a lost one", arguments: TransportKind.allCases)
    func closedBeforeHead(kind: TransportKind) async throws {
        try await withLoopback {
            $0.path == "/reset" ? .reset : .close
        } test: { server in
            let transport = kind.make()
            for path in ["/close", "/reset"] {
                let code = await transportFailure { try await transport.get(server.url(path)) }
                #expect(code == .networkConnectionLost, "\(path)")
            }
        }
    }

    /// Leaves out `URLSession` on Linux, where Foundation ends the process in this case (swift-corelibs-foundation,
    /// issue 5285).
    private static let kindsThatSurviveHalfAHead = TransportKind.allCases.filter { kind in
        #if canImport(FoundationNetworking)
            kind != .urlSession
        #else
            true
        #endif
    }

    @Test("Half a head is no answer", arguments: kindsThatSurviveHalfAHead)
    func halfHead(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .bytes("HTTP/1.1 200 OK\r\nContent-Le") + .close
        } test: { server in
            let transport = kind.make()
            let code = await transportFailure { try await transport.get(server.url()) }
            #expect(code != nil)
        }
    }

    @Test(
        "What is no HTTP is a bad answer",
        arguments: TransportKind.allCases, ["no HTTP at all\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "SSH-2.0-x\r\n"])
    func garbage(kind: TransportKind, bytes: String) async throws {
        try await withLoopback { _ in
            .bytes(bytes) + .close
        } test: { server in
            let transport = kind.make()
            let code = await transportFailure { try await transport.get(server.url()) }
            #expect(code == .badServerResponse)
        }
    }

    @Test(
        "A head that breaks the rules is an answer or a failure, not a crash",
        arguments: TransportKind.allCases,
        [
            "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-Latin: \u{FC}\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n X-Folded: a\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        ])
    func oddHeads(kind: TransportKind, head: String) async throws {
        try await withLoopback { _ in
            .bytes(head) + .close
        } test: { server in
            _ = try? await kind.make().get(server.url())
            _ = try? await kind.make().streamed(server.url()).body.collected()
        }
    }

    @Test(
        "a length that is none is a bad answer, however the body ends", .rule("H7"), arguments: TransportKind.allCases,
        ["-1", "+2", "0x2", "2 2", "99999999999999999999", "1, 2", "2,", ""])
    func oddLengths(kind: TransportKind, length: String) async throws {
        try await withLoopback { _ in
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhi") + .close
        } test: { server in
            await #expect(throws: HTTPError.self) { try await kind.make().get(server.url()) }
            await #expect(throws: HTTPError.self) { try await kind.make().streamed(server.url()).body.collected() }
        }
    }

    @Test(
        "A length that comes twice is one", arguments: TransportKind.allCases,
        ["2, 2", "2\r\nContent-Length: 2", " 2 "])
    func sameLengths(kind: TransportKind, length: String) async throws {
        try await withLoopback { _ in
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhi") + .close
        } test: { server in
            let answer = try? await kind.make().get(server.url())
            #expect(answer == nil || answer?.text == "hi")
        }
    }

    @Test(
        "A body longer than its length is cut, and the rest is never taken for an answer",
        arguments: TransportKind.allCases)
    func tooLong(kind: TransportKind) async throws {
        try await withLoopback {
            $0.path == "/long" ? .head(200, ["Content-Length": "5"]) + .bytes("hello world") : .ok("next")
        } test: { server in
            let transport = kind.make()
            let long = try await transport.get(server.url("/long"))
            #expect(long.text == "hello")
            let next = try? await transport.get(server.url("/next"))
            #expect(next == nil || next?.text == "next")
        }
    }

    @Test("A server that is not there is told as such", arguments: TransportKind.allCases)
    func refused(kind: TransportKind) async throws {
        // Not a port that was free a moment ago, because the server of another test may use it by now.
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let transport = kind.make()
        let code = await transportFailure { try await transport.get(url) }
        #expect(code == .cannotConnectToHost)
    }

    @Test("A server that speaks no TLS is told as such", arguments: TransportKind.allCases)
    func plainText(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .close
        } test: { server in
            let secure = server.url().absoluteString.replacingOccurrences(of: "http:", with: "https:")
            let url = try #require(URL(string: secure))
            let transport = kind.make()
            let code = await transportFailure { try await transport.get(url, timeout: .seconds(30)) }
            #expect(code == .secureConnectionFailed)
        }
    }

    @Test(
        "a header that cannot be sent is named, and its value is not", .rule("H15"), arguments: TransportKind.allCases)
    func invalidHeader(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("hello")
        } test: { server in
            let request = TransportRequest(method: .get, url: server.url(), headers: ["X-Own": "secret\r\nX: y"])
            do {
                _ = try await kind.make().send(request, limit: nil, report: nil)
                Issue.record("was sent")
            } catch HTTPError.defect(.invalidHeader("X-Own")) {
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test("A host without an address is told as such", arguments: TransportKind.allCases)
    func unknownHost(kind: TransportKind) async throws {
        let url = try #require(URL(string: "http://nowhere.invalid/"))
        let transport = kind.make()
        let code = await transportFailure { try await transport.get(url) }
        #expect(code == .cannotFindHost)
    }
}

/// Returns the code of the `URLError` with which an operation fails.
func transportFailure(
    sourceLocation: SourceLocation = #_sourceLocation, of work: () async throws -> some Sendable
) async -> URLError.Code? {
    do {
        _ = try await work()
        Issue.record("was no failure", sourceLocation: sourceLocation)
    } catch HTTPError.transport(let error) {
        return error.code
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
    return nil
}
