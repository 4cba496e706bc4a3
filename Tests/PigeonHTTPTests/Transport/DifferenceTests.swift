import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The differences between the transports that the documentation lists.
@Suite("Differences between the transports", .timeLimit(.minutes(1)))
struct DifferenceTests {
    /// True for `URLSession` on Linux, whose faults are listed.
    private func isFoundation(_ kind: TransportKind) -> Bool {
        #if canImport(FoundationNetworking)
            kind == .urlSession
        #else
            false
        #endif
    }

    @Test(
        "an address with an IPv6 literal is sent, except by URLSession on Linux", .rule("K29"),
        arguments: TransportKind.allCases
    )
    func literals(kind: TransportKind) async throws {
        let url = try #require(URL(string: "http://[::1]:1/"))
        let transport = kind.make()
        let code = await transportFailure { try await transport.get(url, timeout: .seconds(20)) }
        #expect((code == .badURL) == isFoundation(kind))
    }

    @Test(
        "a status line without a reason, and a byte of Latin-1, are answers, except to URLSession on Linux",
        .rule("K29"),
        arguments: TransportKind.allCases,
        [
            Data("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi".utf8),
            Data("HTTP/1.1 200 OK\r\nX-Name: M".utf8) + [0xFC] + Data("ller\r\nContent-Length: 2\r\n\r\nhi".utf8),
        ])
    func heads(kind: TransportKind, head: Data) async throws {
        try await withLoopback { _ in
            .bytes(head)
        } test: { server in
            let request = TransportRequest(method: .get, url: server.url(), timeout: .seconds(20))
            do {
                #expect(try await kind.make().send(request, limit: nil, report: nil).text == "hi")
                #expect(!isFoundation(kind))
            } catch {
                #expect(isFoundation(kind))
            }
        }
    }

    @Test(
        "of two spellings of one field, both are kept, except by URLSession on Linux", .rule("K29"),
        arguments: TransportKind.allCases)
    func spellings(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("", ["Vary": "1", "vary": "2"])
        } test: { server in
            let both = try await kind.make().get(server.url()).headers["Vary"]
            #expect((both == "1, 2") != isFoundation(kind), "\(both ?? "none")")
        }
    }

    @Test(
        "a star in the second of two fields Vary counts over each transport", .rule("D15", "K26"),
        arguments: TransportKind.allCases)
    func varying(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("", ["Cache-Control": "max-age=60", "Vary": "Accept", "Vary": "*"])
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
            let response = try await dispatcher.response(from: BasicRequest.get("/"))
            #expect(response.freshness() == .zero)
        }
    }

    @Test(
        "a quoted parameter does not decide the charset over any transport", .rule("D15", "K26"),
        arguments: TransportKind.allCases
    )
    func quotedCharset(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("\u{FC}", ["Content-Type": "text/plain; title=\"a; charset=latin1\""])
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
            let text = try await dispatcher.string(from: .get("/"))
            #expect(text == "\u{FC}")
        }
    }

    private actor LoginCookie: URLRequestAdapter, URLResponseAdapter {
        private var cookie: String?

        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
            return request
        }

        func adapt(_ response: Response<Data?>) async throws -> Response<Data?> {
            let set = response.headers.values(of: "Set-Cookie").first { $0.hasPrefix("session=") }
            if let set { cookie = set.components(separatedBy: ";").first }
            return response
        }
    }

    @Test(
        "a login by a cookie works over URLSession, and over AsyncHTTPClient with the documented adapters",
        .rule("K28"),
        arguments: TransportKind.allCases, [false, true])
    func cookies(kind: TransportKind, withAdapters: Bool) async throws {
        try await withLoopback { request in
            guard request.path == "/login" else { return .ok(request.headers["Cookie"] ?? "none") }
            return .ok("", ["Set-Cookie": "session=7; Path=/; HttpOnly"])
        } test: { server in
            var policy = HTTPPolicy()
            if withAdapters {
                let login = LoginCookie()
                policy.requestAdapters = [login]
                policy.responseAdapters = [login]
            }
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make(), policy: policy)
            try await dispatcher.send(.get("/login"))
            let hasCookies = withAdapters || kind == .urlSession
            let cookie = try await dispatcher.string(from: .get("/me"))
            #expect(cookie == (hasCookies ? "session=7" : "none"))
        }
    }
}
