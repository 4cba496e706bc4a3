import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Adapters")
struct AdapterTests {
    private struct Signing: URLRequestAdapter {
        let name: String

        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            request.setValue(
                (request.value(forHTTPHeaderField: "X-Signed") ?? "") + name, forHTTPHeaderField: "X-Signed")
            return request
        }
    }

    private struct Unwrapping: URLResponseAdapter {
        func adapt(_ response: Response<Data?>) async throws -> Response<Data?> {
            Response(
                data: response.data?.dropFirst(4), httpResponse: response.httpResponse,
                urlRequest: response.urlRequest, statusCode: response.statusCode, error: response.error)
        }
    }

    private struct Refusing: URLRequestAdapter, URLResponseAdapter {
        struct No: Error {}

        func adapt(_ request: URLRequest) async throws -> URLRequest { throw No() }
        func adapt(_ response: Response<Data?>) async throws -> Response<Data?> { throw No() }
    }

    private struct Moving: URLRequestAdapter {
        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            request.url = URL(string: "https://moved.example/b")
            request.httpMethod = "PUT"
            request.httpBody = Data("other".utf8)
            return request
        }
    }

    private let server = StubServer()
    private let request = BasicRequest(method: .get, path: "/a", headers: ["Accept": "text/plain"])

    private func dispatcher(_ transport: StubTransport, _ change: (inout HTTPPolicy) -> Void) -> NetworkDispatcher {
        var policy = HTTPPolicy()
        change(&policy)
        return NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
    }

    @Test("what the adapters make of a request is what is sent, in their order", .rule("PiuPiu N1"))
    func requests() async throws {
        let transport = StubTransport { _ in .ok() }
        let dispatcher = dispatcher(transport) { $0.requestAdapters = [Signing(name: "a"), Signing(name: "b")] }
        try await dispatcher.send(request)
        #expect(transport.requests.map { $0.headers["X-Signed"] } == ["ab"])
        #expect(transport.requests.map { $0.headers["Accept"] } == ["text/plain"])
    }

    private struct Changing: URLRequestAdapter {
        let change: @Sendable (inout URLRequest) -> Void

        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            change(&request)
            return request
        }
    }

    @Test("the body that is sent is that of the adapter, also none", .rule("PiuPiu N1"))
    func bodies() async throws {
        let transport = StubTransport { _ in .ok() }
        let post = BasicRequest.post("/a", json: ["pin": 1])
        let emptying = dispatcher(transport) { $0.requestAdapters = [Changing { $0.httpBody = nil }] }
        try await emptying.send(post)
        #expect(transport.requests.map(\.body?.bytes) == [nil])
        let streaming = dispatcher(transport) {
            $0.requestAdapters = [Changing { $0.httpBodyStream = InputStream(data: Data("pin".utf8)) }]
        }
        let error = await #expect(throws: HTTPError.self) { try await streaming.send(post) }
        #expect("\(String(describing: error))".contains("body stream"))
        #expect(transport.requests.count == 1)
    }

    @Test("an adapter that nobody else has is kept", .rule("PiuPiu N2"))
    func retained() async throws {
        final class Counting: URLRequestAdapter {
            let count = Locked(0)
            func adapt(_ request: URLRequest) async throws -> URLRequest {
                count.withLock { $0 += 1 }
                return request
            }
        }
        weak var adapter: Counting?
        do {
            let dispatcher = dispatcher(StubTransport { _ in .ok() }) {
                let counting = Counting()
                adapter = counting
                $0.requestAdapters = [counting]
            }
            try await dispatcher.send(request)
            #expect(adapter?.count.withLock { $0 } == 1)
        }
        await until { adapter == nil }
    }

    @Test("Address, method and body may be changed")
    func everything() async throws {
        let transport = StubTransport { _ in .ok() }
        try await dispatcher(transport) { $0.requestAdapters = [Moving()] }.send(request)
        let sent = try #require(transport.requests.first)
        #expect(sent.url.absoluteString == "https://moved.example/b")
        #expect(sent.method == .put)
        #expect(sent.body?.bytes == Data("other".utf8))
    }

    @Test("what is meant for the server alone does not go where an adapter moves a request", .rule("H9"))
    func moved() async throws {
        let transport = StubTransport { _ in .answer(401) }
        let dispatcher = dispatcher(transport) { policy in
            policy.headers = ["X-Api-Key": "hush", "User-Agent": "Pigeon", "X-Signed": "ours"]
            policy.authorization = TokenAuthorization(token: "hush") { _ in "hush" }
            policy.requestAdapters = [Moving(), Signing(name: ", a")]
        }
        _ = try? await dispatcher.send(request)
        let sent = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(sent.headers["Authorization"] == nil)
        #expect(sent.headers["X-Api-Key"] == nil)
        #expect(sent.headers["User-Agent"] == "Pigeon")
        #expect(sent.headers["X-Signed"] == "ours, a")
    }

    @Test("nor do the credentials of the request itself, unless an adapter changes them", .rule("H9"))
    func movedCredentials() async throws {
        struct Writing: URLRequestAdapter {
            func adapt(_ request: URLRequest) async throws -> URLRequest {
                var request = request
                request.setValue("theirs", forHTTPHeaderField: "Proxy-Authorization")
                return request
            }
        }
        let headers = [
            "authorization": "hush", "Cookie": "id=hush", "Proxy-Authorization": "hush", "X-Own": "ours",
            "Accept": "a/b",
        ]
        let request = BasicRequest(method: .get, path: "/a", headers: headers)
        let transport = StubTransport { _ in .ok() }
        try await dispatcher(transport) { $0.requestAdapters = [Writing()] }.send(request)
        try await dispatcher(transport) { $0.requestAdapters = [Moving(), Writing()] }.send(request)
        let sent = transport.requests.map(\.headers)
        #expect(sent.map { $0["Authorization"] } == ["hush", nil])
        #expect(sent.map { $0["Cookie"] } == ["id=hush", nil])
        #expect(sent.map { $0["Proxy-Authorization"] } == ["theirs", "theirs"])
        #expect(sent.map { $0["X-Own"] } == ["ours", "ours"])
        #expect(sent.map { $0["Accept"] } == ["a/b", "a/b"])
    }

    @Test("What the adapters make of an answer is what is returned")
    func responses() async throws {
        let dispatcher = dispatcher(StubTransport { _ in .ok("xxx {}") }) { $0.responseAdapters = [Unwrapping()] }
        #expect(try await dispatcher.string(from: request) == "{}")
    }

    @Test("What an adapter throws is the error, and the request is not sent")
    func throwing() async throws {
        let transport = StubTransport { _ in .ok() }
        for change in [{ $0.requestAdapters = [Refusing()] }, { $0.responseAdapters = [Refusing()] }]
            as [(inout HTTPPolicy) -> Void]
        {
            await #expect {
                try await dispatcher(transport, change).send(request)
            } throws: { error in
                guard case HTTPError.other(let error) = error else { return false }
                return error is Refusing.No
            }
        }
        #expect(transport.requests.count == 1)
    }

    @Test("Each attempt is adapted anew")
    func attempts() async throws {
        let transport = StubTransport { _ in .answer(503) }
        let dispatcher = dispatcher(transport) {
            $0.requestAdapters = [Signing(name: "a")]
            $0.retry = RetryPolicy(limit: 2, delay: { _ in .zero }, hasJitter: false)
        }
        _ = try await dispatcher.response(from: request)
        #expect(transport.requests.map { $0.headers["X-Signed"] } == ["a", "a", "a"])
    }
}
