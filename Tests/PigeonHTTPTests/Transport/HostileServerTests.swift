import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Servers that mean harm", .timeLimit(.minutes(2)))
struct HostileServerTests {
    // Not under the thread sanitizer, which needs many times as much memory.
    #if os(Linux) && !PIGEON_TSAN
        @Test(
            "a bomb of gzip is not held in memory, whatever it inflates to", .rule("H3"),
            arguments: TransportKind.allCases)
        func bomb(kind: TransportKind) async throws {
            let name = kind.rawValue
            await #expect(processExitsWith: .success) { [name = name as String] in
                endProcess(after: 100)
                let transport = try #require(TransportKind(rawValue: name)).make()
                let bomb = Bomb.gzip(inflatingTo: 300_000_000)
                try await withLoopback { _ in
                    .status(200, ["Content-Encoding": "gzip"], body: bomb)
                } test: { server in
                    let before = try mostMemory()
                    let request = TransportRequest(
                        method: .get, url: server.url(), headers: ["Accept-Encoding": "gzip"], timeout: .seconds(60))
                    do {
                        _ = try await transport.send(request, limit: 1 << 20, report: nil)
                        Issue.record("was within the limit")
                    } catch HTTPError.bodyTooLarge {
                    }
                    // The rest of the body is still being inflated.
                    try await Task.sleep(for: .seconds(1))
                    #expect(try mostMemory() - before < 100_000_000)
                }
            }
        }
    #endif

    #if canImport(FoundationNetworking) && !PIGEON_TSAN
        @Test("of a stream that nobody reads, little is held in memory, and it ends; others go on", .rule("H15"))
        func unreadStream() async throws {
            await #expect(processExitsWith: .success) {
                endProcess(after: 100)
                // More than arrives before the session is stopped: its end would keep the connection open.
                let flood = LoopbackReply(steps: Array(repeating: .bytes(Data(count: 1 << 20)), count: 20_000))
                try await withLoopback { request in
                    request.path == "/flood" ? .head(200, ["Content-Length": "\(20_000 << 20)"]) + flood : .ok("hello")
                } test: { server in
                    let before = try mostMemory()
                    let transport = URLSessionTransport(configuration: .ephemeral)
                    let answer = try await transport.streamed(server.url("/flood"))
                    #expect(try await transport.get(server.url("/other")).text == "hello")
                    await server.connectionsBecome(1)
                    let code = await transportFailure { try await answer.body.collected() }
                    #expect(code == .dataLengthExceedsMaximum)
                    #expect(try mostMemory() - before < 250_000_000)
                }
            }
        }
    #endif

    /// "hello hello hello hello", compressed with gzip.
    private static let packed = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==") ?? Data()

    @Test("a compressed body that breaks off is no answer", .rule("H6"), arguments: TransportKind.allCases, [12, 24])
    func brokenOff(kind: TransportKind, missing: Int) async throws {
        try await withLoopback { _ in
            .status(200, ["Content-Encoding": "gzip"], body: Self.packed.dropLast(missing))
        } test: { server in
            let transport = kind.make()
            await #expect(throws: HTTPError.self) { try await transport.get(server.url()) }
            await #expect(throws: HTTPError.self) { try await transport.streamed(server.url()).body.collected() }
        }
    }

    #if canImport(FoundationNetworking)
        @Test("URLSession on Linux asks for bodies as they are, and names one that is coded all the same", .rule("H6"))
        func identity() async throws {
            try await withLoopback { request in
                switch request.path {
                case "/304": .status(304, ["Content-Encoding": "gzip"])
                case "/head": .head(200, ["Content-Encoding": "gzip", "Content-Length": "41"])
                default: .status(200, ["Content-Encoding": "gzip"], body: Self.packed)
                }
            } test: { server in
                let transport = URLSessionTransport(configuration: .ephemeral)
                do {
                    _ = try await transport.get(server.url())
                    Issue.record("was taken")
                } catch HTTPError.transport(let error) {
                    #expect(error.code == .cannotDecodeContentData)
                    #expect("\(HTTPError.transport(error))".contains("the body is coded (gzip)"))
                }
                #expect(server.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
                let head = try await transport.send(
                    TransportRequest(method: .head, url: server.url("/head")), limit: nil, report: nil)
                #expect(head.status == 200)
                #expect(try await transport.get(server.url("/304")).status == 304)

                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpAdditionalHeaders = ["accept-encoding": "gzip"]
                let coded = URLSessionTransport(configuration: configuration)
                #expect(try await coded.get(server.url("/coded")).text == "hello hello hello hello")
                #expect(server.requests.last?.headers["Accept-Encoding"] == "gzip")
            }
        }
    #endif

    /// Leaves out `URLSession` on Linux, where Foundation ends the process in some of these cases.
    private static let kindsThatSurvive = TransportKind.allCases.filter { kind in
        #if canImport(FoundationNetworking)
            kind != .urlSession
        #else
            true
        #endif
    }

    @Test(
        "a length beyond all bounds, and half a head, are failures", .rule("H7"),
        arguments: kindsThatSurvive,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Le",
        ])
    func lengths(kind: TransportKind, head: String) async throws {
        try await withLoopback { _ in
            .bytes(head) + .close
        } test: { server in
            let transport = kind.make()
            await #expect(throws: HTTPError.self) { try await transport.get(server.url(), limit: 1000) }
            await #expect(throws: HTTPError.self) { try await transport.get(server.url()) }
            await #expect(throws: HTTPError.self) { try await transport.streamed(server.url()).body.collected() }
        }
    }

    @Test("a status below 100 is a bad answer", .rule("H16"), arguments: TransportKind.allCases, ["099", "001", "000"])
    func lowStatus(kind: TransportKind, status: String) async throws {
        try await withLoopback { _ in
            .bytes("HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\nhi")
        } test: { server in
            let transport = kind.make()
            let code = await transportFailure { try await transport.get(server.url(), timeout: .seconds(20)) }
            #expect(code == .badServerResponse)
        }
    }

    @Test("a flood of header fields does not overrun the timeout", .rule("H15"), arguments: TransportKind.allCases)
    func flood(kind: TransportKind) async throws {
        let fields = (0..<20_000).map { "X-\($0): 1\r\n" }.joined()
        let answered = Gate()
        try await withLoopback { _ in
            .bytes("HTTP/1.1 200 OK\r\n\(fields)") + .wait(answered)
        } test: { server in
            let transport = kind.make()
            await #expect(throws: HTTPError.self) {
                try await transport.get(server.url(), timeout: .milliseconds(100))
            }
            // The server must not close a connection within a head, which `URLSession` on Linux does not survive.
            await server.connectionsBecome(0)
        }
    }
}
