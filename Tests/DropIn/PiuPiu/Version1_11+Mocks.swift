import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A mock that overrides what is open.
private final class CountingMock: MockURLRequestDispatcher, @unchecked Sendable {
    override var delay: TimeInterval {
        get { return 0 }
        set { super.delay = newValue }
    }

    override func dataFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        return ResponseFuture(result: reply("counted"))
    }

    override func uploadFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        return super.uploadFuture(from: urlRequest)
    }

    override func uploadFuture(from urlRequest: URLRequest, with data: Data) -> ResponseFuture<Response<Data?>> {
        return super.uploadFuture(from: urlRequest, with: data)
    }
}

@Suite("PiuPiu 1.11: mocks")
struct Version1_11MocksTests {
    let request = URLRequest(url: URL(string: "https://example.com/posts/7")!, method: .get)

    @Test("MockURLRequestDispatcher: initialisers, properties, and a future of each kind")
    func dispatcher() async throws {
        // guide: addresses of files, for mocks
        let dispatcher = MockURLRequestDispatcher(
            delay: 0.001,
            callback: { request in
                return try Response.makeMockJSONResponse(with: request, encodable: Post(), statusCode: .ok)
            })
        #expect(dispatcher.delay == 0.001 && dispatcher.callback != nil)
        dispatcher.delay = 0
        #expect(try await dispatcher.dataFuture(from: request).fetchResult().decode(Post.self) == Post())
        let callback: MockURLRequestDispatcher.ResponseCallback = { request in
            return try Response.makeMockResponse(
                with: request, jsonString: text(request.httpBody) ?? "none", statusCode: .created)
        }
        let other = MockURLRequestDispatcher(callback: callback)
        #expect(try await other.uploadFuture(from: request).fetchResult().decodeString() == "none")
        let uploaded = try await other.uploadFuture(from: request, with: Data("piu".utf8)).fetchResult()
        #expect(try uploaded.decodeString() == "piu" && uploaded.statusCode == .created)
        // guide: `ResponseError.notHTTPResponse`, `.noResponse`
        other.callback = nil
        await #expect(throws: UnscriptedRequest.self) { try await other.dataFuture(from: request).fetchResult() }
    }

    @Test("MockURLRequestDispatcher: a closure that throws, and a subclass")
    func open() async throws {
        let dispatcher = MockURLRequestDispatcher { _ in throw Trouble() }
        await #expect(throws: Trouble.self) { try await dispatcher.dataFuture(from: request).fetchResult() }
        let counting = CountingMock { _ in throw Trouble() }
        #expect(try await counting.uploadFuture(from: request).fetchResult().decodeString() == "counted")
        #expect(try await counting.uploadFuture(from: request, with: Data()).fetchResult().decodeString() == "counted")
    }

    @Test("Response: mock answers of each kind, with each default left out and given")
    func answers() throws {
        let headers = ["X-App": "Piu"]
        // guide: `makeMockResponse` of data or of a text
        let responses = [
            try Response.makeMockResponse(with: request, statusCode: .noContent),
            try Response.makeMockResponse(with: request, data: Data("piu".utf8), statusCode: .ok, headers: headers),
            try Response.makeMockResponse(with: request, jsonString: "{}", statusCode: .ok),
            try Response.makeMockResponse(
                with: request, jsonString: "é", encoding: .isoLatin1, statusCode: .ok, headers: headers),
            try Response.makeMockResponse(with: request, jsonObject: ["id": nil], statusCode: .ok),
            try Response.makeMockResponse(
                with: request, jsonObject: ["id": 1], options: [], statusCode: .notFound, headers: headers),
            try Response.makeMockJSONResponse(with: request, encodable: [1], statusCode: .ok),
            try Response.makeMockJSONResponse(
                with: request, encodable: Dated(date: Date(timeIntervalSince1970: 0)), statusCode: .ok,
                headers: headers, encoder: JSONEncoder()),
        ]
        let bodies = responses.map { $0.data.map { String(decoding: $0, as: UTF8.self) } }
        let expected: [String?] = [
            nil, "piu", "{}", "\u{FFFD}", #"{"id":null}"#, #"{"id":1}"#, "[1]",
            #"{"date":-978307200}"#,  // guide: N12
        ]
        #expect(bodies == expected)
        #expect(responses.filter { $0.httpResponse.allHeaderFields["X-App"] as? String == "Piu" }.count == 4)
        #expect(try responses[5].makeHTTPResponse().httpError != nil)
    }
}

@Suite("PiuPiu 1.11: paths")
struct Version1_11PathsTests {
    let url = URL(string: "https://example.com/posts/7/of/piu")!
    let pattern: [PathComponent] = [
        .constant("posts"), .wildcard(type: .integer), .constant("of"), .wildcard(type: .string),
    ]

    @Test("PathComponent, WildcardType and PathValue: every case and text")
    func values() {
        let types: [WildcardType] = [.integer, .string]
        for type in types {
            switch type {
            case .integer, .string: break
            }
        }
        #expect(pattern.map(\.displayValue) == ["posts", ":integer", "of", ":string"])
        #expect(pattern.displayValue == "posts/:integer/of/:string" && "\(pattern[1])" == ":integer")
        #expect(pattern[0].description == "posts" && pattern[0] == .constant("posts") && pattern[1] != pattern[3])
        if case .wildcard(let type) = pattern[1] { #expect(type == .integer) }
        if case .constant(let text) = pattern[0] { #expect(text == "posts") }
        let values: [PathValue] = [.string("posts"), .integer(7)]
        #expect(values.string == "posts/7" && values.map(\.string) == ["posts", "7"])
        #expect(values.map(\.description) == ["posts", "7"] && values[0] != values[1])
        switch values[1] {
        case .integer(let number): #expect(number == 7)
        case .string: Issue.record("no number")
        }
    }

    @Test("URL and URLRequest: values of a path that matches a pattern")
    func matching() {
        let request = URLRequest(url: url)
        let expected: [PathValue] = [.string("posts"), .integer(7), .string("of"), .string("piu")]
        #expect(url.pathValues(matching: pattern) == expected && request.pathValues(matching: pattern) == expected)
        #expect(url.pathMatches(pattern: pattern) && request.pathMatches(pattern: pattern))
        #expect(url.integerValue(atIndex: 1, matching: pattern) == 7)
        #expect(request.integerValue(atIndex: 1, matching: pattern) == 7)
        #expect(url.stringValue(atIndex: 3, matching: pattern) == "piu")
        #expect(request.stringValue(atIndex: 3, matching: pattern) == "piu")
        #expect(url.pathValues(matching: [.constant("users")]) == nil)
        // guide: N13
        #expect(url.integerValue(atIndex: 9, matching: pattern) == nil)
        #expect(url.stringValue(atIndex: 9, matching: pattern) == nil)
    }

    @Test("URL.temporaryDirectory")
    func temporary() {
        #expect(URL.temporaryDirectory.isFileURL)
    }
}
