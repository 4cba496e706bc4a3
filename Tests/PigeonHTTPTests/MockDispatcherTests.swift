import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A mock dispatcher", .timeLimit(.minutes(1)))
struct MockDispatcherTests {
    struct Post: Codable, Equatable {
        var id = 1
        var title = "Café"
        var date = Date(timeIntervalSince1970: 1_700_000_000)
    }

    let clock = ManualClock()
    let dispatcher: MockDispatcher

    init() throws {
        dispatcher = MockDispatcher(
            baseUrl: try .of("https://example.com/api"), mockStatusCode: .ok, mockHeaders: ["X-Name": "value"],
            clock: clock)
    }

    @Test("The document's mock chapter does what it says")
    func seed() async throws {
        let codable = Post()
        let url = try #require(URL(string: "https://jsonplaceholder.typicode.com"))
        let dispatcher = MockDispatcher(baseUrl: url, mockStatusCode: .ok)
        let request = BasicRequest(method: .get, path: "/posts")
        try dispatcher.setMockData(codable)

        /// The url specified is not actually called.
        let response = try await dispatcher.response(from: request)
        #expect(response.statusCode == .ok && response.error == nil)
        #expect(try JSONDecoder.rfc3339.decode(Post.self, from: #require(response.data)) == codable)
        #expect(dispatcher.requests.map(\.url.absoluteString) == ["https://jsonplaceholder.typicode.com/posts"])
    }

    @Test("Until answers are scripted, everything is answered alike")
    func alike() async throws {
        dispatcher.setMockData(jsonString: "{}")
        for method in HTTPMethod.allCases where method != .head {
            let answer = try await dispatcher.response(from: BasicRequest(method: method, path: "/a/\(method)"))
            #expect(answer.data == Data("{}".utf8) && answer.headers["x-name"] == "value")
        }
    }

    @Test("What is set says what is answered from then on")
    func setting() async throws {
        let request = BasicRequest(method: .get, path: "/")
        #expect(try await dispatcher.response(from: request).data == nil)
        dispatcher.mockStatusCode = .notFound
        dispatcher.mockHeaders = [:]
        dispatcher.mockData = Data()
        let answer = try await dispatcher.response(from: request)
        #expect(answer.statusCode == .notFound && answer.data == Data() && answer.headers.isEmpty)
        guard case .notFound = answer.error else { throw Broken() }
        dispatcher.baseURL = try .of("https://other.example")
        #expect(try await dispatcher.response(from: request).urlRequest.url?.host == "other.example")
    }

    @Test("Data are set from values, from plain objects and from text")
    func data() throws {
        try dispatcher.setMockData(encodable: Post())
        #expect(try JSONDecoder.rfc3339.decode(Post.self, from: #require(dispatcher.mockData)) == Post())
        try dispatcher.setMockData(jsonObject: ["a": 1, "b": nil], options: .sortedKeys)
        #expect(dispatcher.mockData == Data(#"{"a":1,"b":null}"#.utf8))
        dispatcher.setMockData(jsonString: "é", encoding: .isoLatin1)
        #expect(dispatcher.mockData == Data([0xE9]))
    }

    @Test("what JSON cannot express is an error, not a crash", .rule("PiuPiu P14"))
    func invalidObject() {
        #expect(throws: RequestDefect.self) { try dispatcher.setMockData(jsonObject: ["a": Double.nan]) }
        #expect(throws: RequestDefect.self) { try dispatcher.setMockData(jsonObject: ["a": clock]) }
    }

    @Test("A request that could not be sent fails as it would with a network, and is not recorded")
    func badRequest() async throws {
        let bad = BasicRequest(method: .get, path: "/", headers: ["X": "a\r\nb"])
        await #expect { try await dispatcher.response(from: bad) } throws: { error in
            guard case .defect(.invalidHeader(name: "X")) = error as? HTTPError else { return false }
            return true
        }
        dispatcher.baseURL = nil
        let good = BasicRequest(method: .get, path: "/")
        await #expect { try await dispatcher.response(from: good) } throws: { error in
            guard case .request(.missingURL) = error as? HTTPError else { return false }
            return true
        }
        #expect(dispatcher.requests.isEmpty)
    }

    @Test("Once answers are scripted, what none is for is an error that names method and path")
    func scripted() async throws {
        dispatcher.answer(.get, "/posts/:id") { _, values in .text(values["id"] ?? "") }
        dispatcher.answer(.post, "/posts", with: .status(.serviceUnavailable), then: .status(.created))
        let get = BasicRequest(method: .get, path: "posts/7")
        let post = BasicRequest(method: .post, path: "posts")
        #expect(try await dispatcher.response(from: get).data == Data("7".utf8))
        #expect(try await dispatcher.response(from: post).statusCode == .serviceUnavailable)
        #expect(try await dispatcher.response(from: post).statusCode == .created)
        let put = BasicRequest(method: .put, path: "/posts")
        await #expect { try await dispatcher.response(from: put) } throws: { error in
            guard case .other(let cause) = error as? HTTPError else { return false }
            return cause as? UnscriptedRequest == UnscriptedRequest(method: .put, path: "/posts")
        }
        #expect(dispatcher.requests.map(\.path) == ["/posts/7", "/posts", "/posts", "/posts"])
    }

    @Test("Answers take the dispatcher's delay, or their own")
    func delays() async throws {
        dispatcher.delay = 10
        dispatcher.answer(nil, "/own", with: MockAnswer.status(.ok).after(.seconds(20)))
        dispatcher.answer(nil, "/common", with: .status(.ok))
        let tasks = ["/common", "/own"].map { path in
            Task { [dispatcher] in try await dispatcher.response(from: BasicRequest(method: .get, path: path)) }
        }
        await clock.alarms(count: 2)
        clock.advance(by: .seconds(10))
        _ = try await tasks[0].value
        #expect(dispatcher.transport.activeCount == 1)
        clock.advance(by: .seconds(10))
        _ = try await tasks[1].value
    }

    @Test("A delay that makes no sense is none", arguments: [-1, Double.nan, -Double.infinity])
    func senselessDelay(_ delay: TimeInterval) async throws {
        dispatcher.delay = delay
        #expect(try await dispatcher.response(from: BasicRequest(method: .get, path: "/")).statusCode == .ok)
    }

    @Test("Cancelling the task cancels the request")
    func cancelling() async throws {
        dispatcher.delay = 10
        let task = Task { [dispatcher] in
            try await dispatcher.response(from: BasicRequest(method: .get, path: "/"))
        }
        await clock.alarms()
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation }
        await dispatcher.transport.idle()
        #expect(clock.alarmCount == 0 && dispatcher.transport.cancelledCount == 1)
    }

    @Test("A subclass says what is answered")
    func subclass() async throws {
        final class Teapot: MockDispatcher, @unchecked Sendable {
            override var mockStatusCode: StatusCode {
                get { .other(418) }
                set {}
            }
        }
        let teapot = Teapot(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
        #expect(try await teapot.response(from: BasicRequest(method: .get, path: "/")).statusCode.rawValue == 418)
    }
}

@Suite("Made-up answers")
struct MockResponseTests {
    struct Name: Encodable {
        var firstName = "Ann"
    }

    @Test("the encoder that was given is used", .rule("PiuPiu N12"))
    func encoder() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let response = try Response.makeMockJSONResponse(
            with: URLRequest(url: .of("https://example.com/a")), encodable: Name(), statusCode: .created,
            encoder: encoder)
        #expect(response.data == Data(#"{"first_name":"Ann"}"#.utf8))
        #expect(response.statusCode == .created && response.error == nil)
        #expect(response.headers["Content-Type"] == "application/json")
    }

    @Test("without one, dates are written as they are read", .rule("PiuPiu P7"))
    func dates() throws {
        let date = Date(timeIntervalSince1970: 0)
        let request = URLRequest(url: try .of("https://example.com"))
        let response = try Response.makeMockJSONResponse(with: request, encodable: [date], statusCode: .ok)
        #expect(response.data == Data(#"["1970-01-01T00:00:00Z"]"#.utf8))
        #expect(try response.decode([Date].self) == [date])
    }

    @Test("A plain answer has what it was given")
    func plain() throws {
        let request = URLRequest(url: try .of("https://example.com/a"))
        let response = try Response.makeMockResponse(
            with: request, data: Data("no".utf8), statusCode: .notFound, headers: ["X-A": "b"])
        #expect(response.urlRequest == request && response.httpResponse.statusCode == 404)
        #expect(response.headers["x-a"] == "b")
        guard case .notFound = response.error else { throw Broken() }
    }

    @Test("A request without an address has no answer")
    func noAddress() throws {
        var request = URLRequest(url: try .of("https://example.com"))
        request.url = nil
        #expect { try Response.makeMockResponse(with: request, statusCode: .ok) } throws: { error in
            guard case .missingURL = error as? RequestError else { return false }
            return true
        }
    }
}
