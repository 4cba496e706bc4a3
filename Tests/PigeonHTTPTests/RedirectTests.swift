import Foundation
import PigeonHTTP
import TestServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Redirects")
struct RedirectTests {
    private let server = StubServer()

    private func transport(_ status: Int, to location: String) -> StubTransport {
        StubTransport { request in
            request.url.path == "/start" ? .answer(status, ["Location": location]) : .ok("arrived")
        }
    }

    private func dispatcher(_ transport: StubTransport, _ redirects: RedirectPolicy = .follow(limit: 10))
        -> NetworkDispatcher
    {
        var policy = HTTPPolicy()
        policy.redirects = redirects
        return NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
    }

    @Test(
        "The place is resolved against the request's address",
        arguments: [
            ("/end", "https://example.com/end"), ("end?x=1", "https://example.com/end?x=1"),
            ("//other.example/end", "https://other.example/end"), ("http://a.example:81/", "http://a.example:81/"),
        ])
    func places(_ location: String, _ target: String) async throws {
        let transport = transport(302, to: location)
        let response = try await dispatcher(transport).response(from: BasicRequest(method: .get, path: "/start"))
        #expect(response.data == Data("arrived".utf8))
        #expect(transport.requests.last?.url.absoluteString == target)
        #expect(response.urlRequest.url?.absoluteString == target)
    }

    @Test(
        "303 asks by GET; 301 and 302 do so after a POST; all else keeps method and body",
        arguments: [
            (301, HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .put, .get), (303, .head, .head),
            (301, .put, .put), (302, .delete, .delete), (307, .post, .post), (308, .patch, .patch), (301, .get, .get),
        ])
    func methods(_ status: Int, _ method: HTTPMethod, _ next: HTTPMethod) async throws {
        let transport = transport(status, to: "/end")
        var request = BasicRequest(method: method, path: "/start", headers: ["Content-Type": "text/plain", "X-A": "1"])
        request.httpBody = Data("body".utf8)
        _ = try await dispatcher(transport).response(from: request)
        let last = try #require(transport.requests.last)
        #expect(last.method == next)
        #expect((last.body == nil) == (next == .get && method != .get))
        #expect((last.headers["Content-Type"] == nil) == (next == .get && method != .get))
        #expect(last.headers["X-A"] == "1")
    }

    @Test(
        "To another host, port or scheme go only the headers that say what is asked for",
        arguments: ["https://other.example/end", "https://example.com:444/end", "http://example.com/end"])
    func credentials(_ location: String) async throws {
        let transport = transport(302, to: location)
        let headers = [
            "Authorization": "Bearer secret", "Cookie": "a=b", "X-Api-Key": "secret", "Accept": "text/plain",
        ]
        _ = try await dispatcher(transport)
            .response(from: BasicRequest(method: .get, path: "/start", headers: headers))
        #expect(transport.requests.last?.headers == ["Accept": "text/plain"])
    }

    @Test("At home all headers stay", arguments: ["/end", "https://EXAMPLE.com:443/end"])
    func sameOrigin(_ location: String) async throws {
        let transport = transport(302, to: location)
        _ = try await dispatcher(transport)
            .response(from: BasicRequest(method: .get, path: "/start", headers: ["Authorization": "Bearer secret"]))
        #expect(transport.requests.last?.headers["Authorization"] == "Bearer secret")
    }

    @Test("Going round in circles ends at the limit, with an error that says it")
    func circle() async throws {
        let transport = transport(302, to: "/start")
        await #expect {
            _ = try await dispatcher(transport, .follow(limit: 3))
                .response(from: BasicRequest(method: .get, path: "/start"))
        } throws: { error in
            guard case HTTPError.redirection(let reason) = error else { return false }
            return reason.contains("3")
        }
        #expect(transport.requests.count == 4)
    }

    @Test(
        "A redirect to what is no web address is an error",
        arguments: ["file:///etc/passwd", "javascript:1", "http://"])
    func noAddress(_ location: String) async throws {
        let transport = transport(302, to: location)
        await #expect(throws: HTTPError.self) {
            try await dispatcher(transport).response(from: BasicRequest(method: .get, path: "/start"))
        }
        #expect(transport.requests.count == 1)
    }

    @Test("A redirect is the answer where the policy says so, where it names no place, and for 304")
    func notFollowed() async throws {
        for (status, headers, redirects) in [
            (302, ["Location": "/end"], RedirectPolicy.never), (302, [:], .follow(limit: 10)),
            (304, ["Location": "/end"], .follow(limit: 10)),
        ] as [(Int, HTTPHeaders, RedirectPolicy)] {
            let transport = StubTransport { _ in .answer(status, headers) }
            let response = try await dispatcher(transport, redirects)
                .response(from: BasicRequest(method: .get, path: "/start"))
            #expect(response.statusCode.rawValue == status)
            #expect(transport.requests.count == 1)
        }
    }
}
