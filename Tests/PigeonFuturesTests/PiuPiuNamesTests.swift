import Foundation
import PigeonFutures
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ResponseFuture where Success == Response<Data?> {
    /// An extension as an app of PiuPiu 1.10 declares it.
    fileprivate var checked: ResponseFuture<HTTPResponse<Data?>> {
        then(HTTPResponse<Data?>.self) { response -> HTTPResponse<Data?> in
            let httpResponse = try response.makeHTTPResponse()
            if let error = httpResponse.httpError { throw error }
            return httpResponse
        }
    }
}

extension ResponseInterface where Body == Data? {
    fileprivate var count: Int { data?.count ?? 0 }
}

/// Code of an app of PiuPiu 1.11, with a dispatcher that answers without a network.
@Suite("Code of PiuPiu 1.11", .timeLimit(.minutes(1)))
struct PiuPiuNamesTests {
    private struct Post: Codable, Sendable, Equatable {
        var id: Int
        var userId: Int
    }

    private struct User: Codable, Sendable, Equatable {
        var id: Int
    }

    private let dispatcher = MockURLRequestDispatcher { request in
        if let id = request.integerValue(atIndex: 1, matching: [.constant("posts"), .wildcard(type: .integer)]) {
            try Response.makeMockJSONResponse(with: request, encodable: Post(id: id, userId: 3), statusCode: .ok)
        } else if let id = request.integerValue(atIndex: 1, matching: [.constant("users"), .wildcard(type: .integer)]) {
            try Response.makeMockJSONResponse(with: request, encodable: User(id: id), statusCode: .ok)
        } else if request.pathMatches(pattern: [.constant("none")]) {
            try Response.makeMockResponse(with: request, statusCode: .noContent)
        } else {
            try Response.makeMockResponse(with: request, jsonString: #"{"id":0}"#, statusCode: .notFound)
        }
    }

    private func request(_ path: String) throws -> URLRequest {
        URLRequest(url: try .of("https://example.com\(path)"), method: .get)
    }

    private func user(_ id: Int) -> ResponseFuture<Response<User>> {
        dispatcher.dataFuture { URLRequest(url: try .of("https://example.com/users/\(id)"), method: .get) }
            .decoded(User.self)
    }

    @Test("an answer is checked, decoded and handled in callbacks", .rule("U11"))
    func callbacks() async throws {
        let told = Recorder<String>()
        let future = dispatcher.dataFuture(from: try request("/posts/1"))
            .success { response in
                let httpResponse = try response.makeHTTPResponse()
                if let error = httpResponse.httpError { throw error }
                told.append("post \(try response.decode(Post.self).id)")
            }
            .updated { _ in }
            .error { error in told.append("\(error)") }
            .completion { told.append("completion") }
        future.send()
        await future.finished()
        #expect(told.all == ["post 1", "completion"])
    }

    @Test("an extension on futures of answers turns an error status into an error that has the answer", .rule("U11"))
    func httpError() async throws {
        #expect(
            try await dispatcher.dataFuture(from: request("/posts/1")).checked.decoded(Post.self).fetchResult().data.id
                == 1)
        await #expect {
            _ = try await dispatcher.dataFuture(from: request("/nothing")).checked.fetchResult()
        } throws: { error in
            guard case .status(let answer) = error as? HTTPError else { return false }
            return answer.statusCode == .notFound && answer.data == Data(#"{"id":0}"#.utf8)
        }
    }

    @Test("only a status of 400 or more, or one that is none, is an error of an answer", .rule("U11"))
    func httpErrors() throws {
        for (status, isError) in [(100, false), (200, false), (304, false), (400, true), (503, true), (777, true)] {
            let response = try Response.makeMockResponse(with: request("/"), statusCode: StatusCode(rawValue: status))
            #expect(
                (response.httpError != nil) == isError && response.httpError?.statusCode == (isError ? status : nil))
        }
        let other = HTTPResponse(
            response: try Response.makeMockResponse(with: request("/"), statusCode: .gone), data: 7)
        #expect(other.data == 7 && other.httpError?.statusCode == 410)
        #expect((other.urlResponse as? HTTPURLResponse)?.statusCode == 410)
    }

    @Test("a stage runs on the queue that it names", .rule("U11"))
    func queues() async throws {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "decoding")
        queue.setSpecific(key: key, value: "decoding")
        let future = dispatcher.dataFuture(from: try request("/posts/1")).makeHTTPResponse()
        let named = future.then(HTTPResponse<Post>.self, on: queue) { response -> HTTPResponse<Post> in
            #expect(DispatchQueue.getSpecific(key: key) == "decoding")
            return try response.decoded(Post.self)
        }
        #expect(try await named.fetchResult().data.id == 1)
        let unnamed = future.then(on: queue) { _ in DispatchQueue.getSpecific(key: key) }
        #expect(try await unnamed.fetchResult() == "decoding")
        let mapped = future.map(String?.self, on: queue) { _ in DispatchQueue.getSpecific(key: key) }
        #expect(try await mapped.fetchResult() == "decoding")
        await #expect(throws: Failure()) {
            try await future.then(Int.self, on: .global(qos: .background)) { _ in throw Failure() }.fetchResult()
        }
    }

    @Test("a future that is cancelled before its queue comes to it does not call the closure", .rule("U11"))
    func cancelledOnQueue() async throws {
        let queue = DispatchQueue(label: "busy")
        queue.suspend()
        let told = Recorder<String>()
        let future = ResponseFuture(result: 1).then(on: queue) { told.append("called \($0)") }.start()
        future.cancel()
        queue.resume()
        await future.finished()
        #expect(told.all.isEmpty && future.status == .cancelled)
    }

    @Test("stages name the type that they give", .rule("U11"))
    func namedTypes() async throws {
        let post = dispatcher.dataFuture(from: try request("/posts/1")).then(Post.self) { try $0.decode(Post.self) }
        let joined = post.replace(String.self) { ResponseFuture(result: "post \($0.id)") }
            .seriesJoin(Response<User>.self) { _ in user(3) }
            .parallelJoin(Response<User>.self) { user(4) }
        let (text, three, four) = try await joined.fetchResult()
        #expect(text == "post 1" && three.data.id == 3 && four.data.id == 4)
        await #expect(throws: CancellationError.self) {
            try await post.replace(String.self) { _ in nil }.fetchResult()
        }
    }

    @Test("an answer is decoded with its head, if it has a body", .rule("U11"))
    func decoded() async throws {
        let post = try await dispatcher.dataFuture(from: request("/posts/1")).fetchResult()
        #expect(try post.decoded(Post.self).data == Post(id: 1, userId: 3))
        #expect(try post.decodedIfPresent(Post.self, using: JSONDecoder()).data?.id == 1)
        #expect(try post.decode(Post.self, using: JSONDecoder()).id == 1 && post.count > 0)
        let none = try await dispatcher.dataFuture(from: request("/none")).fetchResult()
        let nothing = try none.decodedIfPresent(Post.self)
        #expect(nothing.data == nil && nothing.statusCode == .noContent && nothing.urlRequest.url?.path == "/none")
        #expect(throws: (any Error).self) { try none.decoded(Post.self) }
        let missing = try await dispatcher.dataFuture(from: request("/nothing")).fetchResult()
        #expect(try missing.decoded(User.self).statusCode == .notFound)
    }

    @Test("a plain request takes bodies of all kinds, and says that they are JSON", .rule("U11"))
    func bodies() throws {
        var request = try request("/posts")
        func body() -> String { String(decoding: request.httpBody ?? Data(), as: UTF8.self) }
        try request.setJSONBody(encodable: User(id: 1))
        #expect(body() == #"{"id":1}"# && request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        request.setValue("application/vnd.api+json", forHTTPHeaderField: "Content-Type")
        try request.setJSONBody(jsonObject: ["id": nil])
        #expect(body() == #"{"id":null}"#)
        try request.setJSONBody(jsonArray: [["id": 2]])
        #expect(body() == #"[{"id":2}]"#)
        request.setJSONBody(string: #"{"id":3}"#)
        #expect(body() == #"{"id":3}"#)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
        try request.setJSONBody(["at": Date(timeIntervalSince1970: 0)])
        #expect(body() == #"{"at":"1970-01-01T00:00:00Z"}"#)
        try request.setJSONBody(["at": Date(timeIntervalSinceReferenceDate: 0)], encoder: JSONEncoder())
        #expect(body() == #"{"at":0}"#)
        #expect(throws: RequestDefect.self) { try request.setJSONBody(jsonObject: ["id": Double.nan]) }
        #expect(throws: RequestDefect.self) { try request.setJSONBody(["id": Double.infinity]) }
    }

    @Test("a request has an address and a form below any base URL", .rule("U11"))
    func baseURLs() throws {
        let request = BasicRequest(method: .get, path: "/posts", queryItems: [URLQueryItem(name: "a", value: "b")])
        let base = try URL.of("https://example.com/v1")
        #expect(try request.url(withBaseURL: base).absoluteString == "https://example.com/v1/posts?a=b")
        #expect(try request.urlRequest(withBaseURL: base).httpMethod == "GET")
    }

    @Test("progress tells which part is done, as far as sizes are known", .rule("U11"))
    func progress() {
        let half = TransferProgress(sent: 4, expectedToSend: 4, received: 0, expectedToReceive: 10)
        #expect(half.percentSent == 1 && half.percentRecieved == 0 && half.percentTransferred == 0.5)
        #expect(TransferProgress(received: 5, expectedToReceive: 10).percentTransferred == 0.5)
        #expect(TransferProgress(sent: 4).percentTransferred == nil)
        #expect(TransferProgress(expectedToSend: 0).percentSent == nil)
    }

    @Test("an unknown time zone is a decoding error that says so by its cause", .rule("U11"))
    func transformError() throws {
        #expect {
            try TimeZoneTransform().from(json: "Nowhere", codingPath: [])
        } throws: { error in
            guard case .dataCorrupted(let context) = error as? DecodingError else { return false }
            return context.underlyingError as? TimeZoneTransform.TransformError == .invalidIdentifier
        }
    }

    @Test("names that were deprecated in 1.9 work as before", .rule("U11"))
    func deprecatedNames() async throws {
        try await (self as any OldNames).useOldNames()
    }
}

/// Not deprecated itself, so that deprecated functions can be called without a warning.
private protocol OldNames {
    func useOldNames() async throws
}

extension PiuPiuNamesTests: OldNames {
    @available(*, deprecated, message: "Tests what is deprecated.")
    func useOldNames() async throws {
        let answers = dispatcher.dataFuture(from: try request("/posts/1"))
        guard case .response(let response) = try await answers.nonFailing().fetchResult() else {
            Issue.record("no answer")
            return
        }
        #expect(try response.decodedResponse(Post.self).data == response.decodedResponseIfPresent(Post.self).data)
        let safe: ResponseFuture<String> = ResponseFuture<Int> { $0.fail(with: Failure()) }.thenError { safe in
            if case .error(let error) = safe { "\(error)" } else { "" }
        }
        #expect(try await safe.fetchResult().contains("failure"))
        let target = ResponseFuture<Int> { $0.fulfill(by: ResponseFuture(result: 1)) }
        #expect(try await target.fetchResult() == 1)
    }
}
