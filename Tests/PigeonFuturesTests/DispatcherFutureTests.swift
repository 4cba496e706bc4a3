import Foundation
import PigeonFutures
import PigeonTesting
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Futures of dispatchers", .timeLimit(.minutes(1)))
struct DispatcherFutureTests {
    private let server = StubServer()

    @Test("a future works though its dispatcher was let go before it was started", .rule("PiuPiu P1"))
    func forgottenDispatcher() async throws {
        weak var dispatcher: NetworkDispatcher?
        func make() -> ResponseFuture<Response<Data?>> {
            let local = NetworkDispatcher(serverProvider: server, transport: StubTransport { _ in .ok("there") })
            dispatcher = local
            return local.future(from: BasicRequest(method: .get, path: "/a"))
        }
        do {
            let future = make()
            #expect(dispatcher != nil)
            #expect(try await future.value.data == Data("there".utf8))
        }
        await until { dispatcher == nil }
    }

    @Test("a future that is not started asks nothing, and leaves nothing behind", .rule("PiuPiu N11"))
    func unstarted() async throws {
        weak var transport: StubTransport?
        do {
            let local = StubTransport { _ in .ok() }
            transport = local
            let dispatcher = NetworkDispatcher(serverProvider: server, transport: local)
            let futures = (0..<10).map { _ in
                dispatcher.future(from: BasicRequest(method: .get, path: "/a")).then { $0 }
            }
            #expect(local.requests.isEmpty)
            #expect(futures.allSatisfy { $0.status == .created })
        }
        await until { transport == nil }
    }

    @Test("An answer of any status is an answer; a future tells it as a success, with its error", .rule("D4"))
    func anyStatus() async throws {
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: StubTransport { _ in .answer(404) })
        let response = try await dispatcher.future(from: BasicRequest(method: .get, path: "/a")).value
        #expect(response.statusCode == .notFound)
        guard case .notFound = response.error else {
            Issue.record("\(String(describing: response.error))")
            return
        }
    }

    @Test("A future downloads when it is started")
    func download() async throws {
        let folder = try Folder()
        let file = folder.url.appendingPathComponent("file.bin")
        let dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
        dispatcher.answer(.get, "/", with: .text("new"), then: .status(.notFound))
        let future = dispatcher.future(downloading: BasicRequest(method: .get, path: "/"), to: file)
        #expect(dispatcher.requests.isEmpty)
        #expect(try await future.value.data == file)
        #expect(folder.text("file.bin") == "new")
        await #expect(throws: HTTPError.self) {
            try await dispatcher.future(downloading: BasicRequest(method: .get, path: "/"), to: file).value
        }
    }

    @Test("A future uploads when it is started")
    func upload() async throws {
        let folder = try Folder()
        let dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
        dispatcher.answer(.put, "/videos/:id", with: .status(.created))
        var request = BasicRequest(method: .put, path: "/videos/7")
        request.body = .file(try folder.file("video", "bytes"))
        let future = dispatcher.future(from: request)
        #expect(dispatcher.requests.isEmpty)
        #expect(try await future.value.statusCode == .created)
        #expect(dispatcher.requests.first?.body == Data("bytes".utf8))
    }

    @Test("A dispatcher that nobody else keeps answers all the same, and is let go afterwards")
    func lifetime() async throws {
        weak var last: MockDispatcher?
        do {
            let future = try {
                let own = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
                last = own
                return own.future(from: BasicRequest(method: .get, path: "/"))
            }()
            #expect(try await future.value.statusCode == .ok)
        }
        await until { last == nil }
    }

    @Test("A mock's errors reach its future's error as what they are")
    func mockErrors() async throws {
        let dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
        let bad = BasicRequest(method: .get, path: "/", headers: ["X": "a\r\nb"])
        await #expect { try await dispatcher.future(from: bad).value } throws: { error in
            guard case .invalidHeader(name: "X") = error as? RequestDefect else { return false }
            return true
        }
        dispatcher.answer(.get, "/posts", with: .status(.ok))
        let put = BasicRequest(method: .put, path: "/posts")
        await #expect { try await dispatcher.future(from: put).value } throws: {
            $0 as? UnscriptedRequest == UnscriptedRequest(method: .put, path: "/posts")
        }
        dispatcher.baseURL = nil
        await #expect { try await dispatcher.future(from: put).value } throws: { error in
            guard case .missingURL = error as? RequestError else { return false }
            return true
        }
    }

    @Test("Cancelling the task that waits for a mock's future cancels the request")
    func cancelling() async throws {
        let clock = ManualClock()
        let dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok, clock: clock)
        dispatcher.delay = 10
        let task = Task { try await dispatcher.future(from: BasicRequest(method: .get, path: "/")).value }
        await until { clock.alarmCount >= 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await dispatcher.transport.idle()
        #expect(clock.alarmCount == 0 && dispatcher.transport.cancelledCount == 1)
    }

    @Test("The error of a future that nobody can end has a text for users")
    func readable() {
        #expect(!FutureError.abandoned.userMessage.isEmpty)
        #expect(FutureError.abandoned.localizedDescription == FutureError.abandoned.userMessage)
    }

    @Test("A dispatcher of PigeonHTTP is one of futures, too")
    func faces() async throws {
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: StubTransport { _ in .ok("there") })
        let modern: any PigeonHTTP.Dispatcher = dispatcher
        let request = BasicRequest(method: .get, path: "/a")
        #expect(try await modern.response(from: request).data == Data("there".utf8))
        let own: any PigeonHTTP.Dispatcher = ClosureDispatcher("own")
        #expect(try await own.string(from: request) == "own")
    }

    @Test("a transport's failure reaches the future's error as the URLError it is", .rule("PiuPiu P10"))
    func transportError() async throws {
        let transport = StubTransport { _ throws(HTTPError) in throw .transport(URLError(.networkConnectionLost)) }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport)
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await dispatcher.future(from: BasicRequest(method: .get, path: "/a")).value
        }
    }
}
