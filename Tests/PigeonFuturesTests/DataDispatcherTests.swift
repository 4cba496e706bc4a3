import Foundation
import PigeonFutures
import PigeonTesting
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Dispatching a plain URLRequest", .timeLimit(.minutes(1)))
struct DataDispatcherTests {
    private let server = StubServer("https://api.example.com/v1?key=1")

    private func url(_ text: String) throws -> URL { try .of(text) }

    @Test("a plain request is sent to its own address, as it is", .rule("U11"))
    func sent() async throws {
        let transport = StubTransport { _ in .ok("done") }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
        var request = URLRequest(url: try url("https://other.example/a%2Fb?q=%20x"), method: .patch)
        request.setValue("1", forHTTPHeaderField: "X-Own")
        request.timeoutInterval = 7
        try request.setJSONBody(["a": 1])
        let response = try await dispatcher.dataFuture(from: request).fetchResult()
        #expect(try response.decodeString() == "done")
        let sent = try #require(transport.requests.first)
        #expect(sent.url.absoluteString == "https://other.example/a%2Fb?q=%20x")
        #expect(sent.method == .patch && sent.headers["X-Own"] == "1" && sent.timeout == .seconds(7))
        #expect(sent.headers["Content-Type"] == "application/json")
        #expect(sent.body?.bytes == Data(#"{"a":1}"#.utf8))
    }

    @Test("nothing is sent before the future is started, and the closure is called then", .rule("U11"))
    func lazily() async throws {
        let transport = StubTransport { _ in .ok("done") }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
        let address = try url("https://other.example/a")
        let told = Recorder<String>()
        let future = dispatcher.dataFuture {
            told.append("made")
            return URLRequest(url: address, method: .get)
        }
        _ = dispatcher.dataFuture(from: URLRequest(url: address))
        #expect(told.all.isEmpty && transport.requests.isEmpty)
        _ = try await future.fetchResult()
        #expect(told.all == ["made"] && transport.requests.count == 1)
    }

    @Test("the policy's credentials go to the dispatcher's own server, and to no other", .rule("U11"))
    func credentials() async throws {
        let transport = StubTransport { _ in .ok() }
        var policy = HTTPPolicy()
        policy.headers = ["X-Key": "hush", "Accept": "text/plain"]
        policy.authorization = TokenAuthorization(token: "hush") { _ in "hush" }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        for host in ["api.example.com", "other.example"] {
            let request = URLRequest(url: try url("https://\(host)/a"))
            _ = try await dispatcher.dataFuture(from: request).fetchResult()
            _ = try await dispatcher.uploadFuture(from: request, with: Data()).fetchResult()
        }
        #expect(transport.requests.map { $0.headers["X-Key"] } == ["hush", "hush", nil, nil])
        #expect(transport.requests.map { $0.headers["Authorization"] != nil } == [true, true, false, false])
        #expect(transport.requests.allSatisfy { $0.headers["Accept"] == "text/plain" })
    }

    @Test("a download carries no credentials to another server either", .rule("U11"))
    func downloadCredentials() async throws {
        let folder = try Folder()
        let file = folder.url.appendingPathComponent("file")
        let transport = StubTransport { _ in .ok("bytes") }
        var policy = HTTPPolicy()
        policy.headers = ["X-Key": "hush"]
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        for host in ["api.example.com", "other.example"] {
            let request = URLRequest(url: try url("https://\(host)/a"))
            let response = try await dispatcher.downloadFuture(from: request, to: file).fetchResult()
            #expect(response.data == file && folder.text("file") == "bytes")
        }
        #expect(transport.requests.map { $0.headers["X-Key"] } == ["hush", nil])
    }

    @Test("the data of an upload are the request's body", .rule("U11"))
    func upload() async throws {
        let transport = StubTransport { _ in .ok() }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
        let address = try url("https://other.example/a")
        let bytes = Data("bytes".utf8)
        _ = try await dispatcher.uploadFuture(from: URLRequest(url: address, method: .put), with: bytes).fetchResult()
        _ = try await dispatcher.uploadFuture(with: bytes) { URLRequest(url: address, method: .post) }.fetchResult()
        #expect(transport.requests.map(\.method) == [.put, .post])
        #expect(transport.requests.allSatisfy { $0.body?.bytes == bytes })
    }

    @Test("a request that cannot be sent fails the future, and nothing is sent", .rule("U11"))
    func defects() async throws {
        let transport = StubTransport { _ in .ok() }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
        var streamed = URLRequest(url: try url("https://other.example/a"), method: .post)
        streamed.httpBodyStream = InputStream(data: Data("x".utf8))
        var impossible = URLRequest(url: try url("https://other.example/a"))
        impossible.httpMethod = "BREW /"
        for request in [streamed, impossible, URLRequest(url: try url("ftp://other.example/a"))] {
            await #expect(throws: (any Error).self) { try await dispatcher.dataFuture(from: request).fetchResult() }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("a plain request is sent with any method that can be one, to a mock too", .rule("D16", "K27"))
    func otherMethods() async throws {
        let mock = MockTransport()
        mock.answer(nil, "/a") { request, _ in .text("\(request.methodName) \(request.method.rawValue)") }
        mock.answer(.options, "/a", with: .text("options"))
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: mock)
        var request = URLRequest(url: try url("https://other.example/a"))
        for (name, text) in [("BREW", "BREW OPTIONS"), ("OPTIONS", "options")] {
            request.httpMethod = name
            let response = try await dispatcher.dataFuture(from: request).fetchResult()
            #expect(try response.decodeString() == text)
            #expect(response.urlRequest.httpMethod == name)
        }
    }

    @Test("a mock answers plain requests by its scripts, and remembers them", .rule("U11"))
    func mock() async throws {
        let dispatcher = MockDispatcher(baseUrl: try url("https://api.example.com"), mockStatusCode: .ok)
        dispatcher.answer(.get, "/users/:id") { _, values in .text(values["id"] ?? "") }
        let request = URLRequest(url: try url("https://api.example.com/users/7"), method: .get)
        let response = try await dispatcher.dataFuture(from: request).fetchResult()
        #expect(try response.decodeString() == "7")
        #expect(dispatcher.requests.map(\.path) == ["/users/7"])
    }

    @Test(
        "a mock of plain requests answers by its closure, after its delay, and is retained by its futures", .rule("U11")
    )
    func mockOfPlainRequests() async throws {
        let clock = ManualClock()
        let address = try url("https://api.example.com/posts/7")
        let told = Recorder<Int>()
        func future() -> ResponseFuture<Response<Data?>> {
            MockURLRequestDispatcher(delay: 0.5, clock: clock) { request in
                let pattern: [PathComponent] = [.constant("posts"), .wildcard(type: .integer)]
                guard let id = request.integerValue(atIndex: 1, matching: pattern) else {
                    return try Response.makeMockResponse(with: request, statusCode: .notFound)
                }
                told.append(id)
                return try Response.makeMockJSONResponse(with: request, encodable: ["id": id], statusCode: .ok)
            }.dataFuture(from: URLRequest(url: address, method: .get))
        }
        let running = future().start()
        await until { clock.alarmCount >= 1 }
        #expect(told.all == [7] && running.status == .started)
        clock.advance(by: .milliseconds(500))
        #expect(try await running.fetchResult().decode([String: Int].self) == ["id": 7])
    }

    @Test("a serializer builds the address from its provider, which it does not retain", .rule("U11"))
    func serializer() async throws {
        let transport = StubTransport { _ in .ok("done") }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
        var provider: StubServer? = StubServer("https://posts.example/v2")
        let serializer = RequestSerializer(dispatcher: dispatcher, serverProvider: try #require(provider))
        let request = BasicRequest(method: .get, path: "/posts/1", headers: ["X-Own": "1"])
        _ = try await serializer.dataFuture(from: request).fetchResult()
        _ = try await serializer.dataFuture { request }.fetchResult()
        #expect(
            transport.requests.map(\.url.absoluteString)
                == Array(repeating: "https://posts.example/v2/posts/1", count: 2))
        #expect(transport.requests.allSatisfy { $0.headers["X-Own"] == "1" })
        provider = nil
        await #expect {
            _ = try await serializer.dataFuture(from: request).fetchResult()
        } throws: { error in
            if case .missingServerProvider = error as? RequestError { true } else { false }
        }
    }

    @Test("a dispatcher of plain requests reaches a server, up and down", .rule("U11"))
    func loopback() async throws {
        let folder = try Folder()
        let file = folder.url.appendingPathComponent("file")
        try await withLoopback { request in
            .ok("\(request.method) \(request.target) \(request.body.count)")
        } test: { server in
            let dispatcher = URLRequestDispatcher()
            let whole = try await dispatcher.dataFuture { URLRequest(url: server.url("/a?b=c"), method: .get) }
                .fetchResult()
            #expect(try whole.decodeString() == "GET /a?b=c 0")
            let put = URLRequest(url: server.url("/a"), method: .put)
            let uploaded = try await dispatcher.uploadFuture(from: put, with: Data("xyz".utf8)).fetchResult()
            #expect(try uploaded.decodeString() == "PUT /a 3")
            let saved = try await dispatcher.downloadFuture(destination: file) {
                URLRequest(url: server.url("/f"), method: .get)
            }.fetchResult()
            #expect(saved.data == file && folder.text("file") == "GET /f 0")
        }
    }

    private struct Signing: URLRequestAdapter, URLResponseAdapter {
        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            request.setValue("me", forHTTPHeaderField: "X-Signed")
            return request
        }

        func adapt(_ response: Response<Data?>) async throws -> Response<Data?> {
            Response(data: Data("adapted".utf8), urlRequest: response.urlRequest, httpResponse: response.httpResponse)
        }
    }

    @Test("the adapters of a dispatcher of plain requests apply to every server", .rule("U11"))
    func adapters() async throws {
        try await withLoopback { _ in
            .ok("plain")
        } test: { server in
            let dispatcher = URLRequestDispatcher(requestAdapter: Signing(), responseAdapter: Signing())
            let response = try await dispatcher.dataFuture(from: URLRequest(url: server.url())).fetchResult()
            #expect(try response.decodeString() == "adapted")
            #expect(server.requests.first?.headers["X-Signed"] == "me")
        }
    }

    @Test(
        "invalidating a dispatcher cancels what is under way and refuses the rest", .rule("U11"),
        arguments: [true, false])
    func invalidated(cancels: Bool) async throws {
        let latch = Gate()
        try await withLoopback { _ in
            .wait(latch) + .ok("late")
        } test: { server in
            let dispatcher = URLRequestDispatcher()
            let running = dispatcher.dataFuture(from: URLRequest(url: server.url())).start()
            await server.received(1)
            if cancels { dispatcher.invalidateAndCancel() } else { dispatcher.finishTasksAndInvalidate() }
            await #expect(throws: CancellationError.self) {
                try await dispatcher.dataFuture(from: URLRequest(url: server.url())).fetchResult()
            }
            if !cancels { latch.open() }
            await running.finished()
            #expect(running.status == (cancels ? .cancelled : .success))
            latch.open()
            #expect(server.requests.count == 1)
        }
    }
}
