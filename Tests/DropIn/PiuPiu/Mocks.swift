import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A mock with answers of its own, which overrides what is open.
// guide: a class cannot conform to `Sendable`, or must restate `@unchecked Sendable`
private final class FixedMock: MockDispatcher, @unchecked Sendable {
    override var mockData: Data? {
        get { return Data("fixed".utf8) }
        set { super.mockData = newValue }
    }

    override var mockStatusCode: StatusCode {
        get { return .created }
        set { super.mockStatusCode = newValue }
    }

    override var mockHeaders: [String: String] {
        get { return ["X-App": "Piu"] }
        set { super.mockHeaders = newValue }
    }

    override var delay: TimeInterval {
        get { return 0 }
        set { super.delay = newValue }
    }
}

@Suite("PiuPiu 1.3.1: mocks")
struct MocksTests {
    let request = BasicRequest(method: .get, path: "/posts/1")

    @Test("MockDispatcher: initialiser with headers left out and given, and every property")
    func properties() async throws {
        let plain = MockDispatcher(baseUrl: example, mockStatusCode: .notFound)
        #expect(plain.mockHeaders.isEmpty && plain.mockData == nil && plain.delay == 0)
        #expect(plain.mockStatusCode == .notFound && plain.baseURL == example)
        let dispatcher = MockDispatcher(baseUrl: example, mockStatusCode: .ok, mockHeaders: ["X-App": "Piu"])
        dispatcher.mockData = Data("piu".utf8)
        dispatcher.mockStatusCode = .badRequest
        dispatcher.mockHeaders["X-Other"] = "2"
        dispatcher.delay = 0.001
        dispatcher.baseURL = URL(string: "https://other.example.com")
        let response = try await dispatcher.future(from: request).value
        #expect(try response.decodeString() == "piu" && response.error?.errorKey == "BadRequest")
        #expect(response.httpResponse.allHeaderFields["X-Other"] as? String == "2")
        #expect(response.urlRequest.url?.absoluteString == "https://other.example.com/posts/1")
        #expect(try await plain.future(from: request).value.data == nil)
    }

    @Test("MockDispatcher: data of each kind")
    func data() async throws {
        let dispatcher = MockDispatcher(baseUrl: example, mockStatusCode: .ok)
        try dispatcher.setMockData(encodable: Post())
        #expect(try await dispatcher.future(from: request).value.decode(Post.self) == Post())
        try dispatcher.setMockData(Post(id: 2))
        #expect(try await dispatcher.future(from: request).value.decode(Post.self).id == 2)
        try dispatcher.setMockData(jsonObject: ["id": 3, "name": nil], options: .sortedKeys)
        #expect(try await dispatcher.future(from: request).value.decodeString() == #"{"id":3,"name":null}"#)
        try dispatcher.setMockData(jsonObject: ["id": 4])
        #expect(try await dispatcher.future(from: request).value.decodeString() == #"{"id":4}"#)
        dispatcher.setMockData(jsonString: "[]")
        #expect(try await dispatcher.future(from: request).value.decodeString() == "[]")
        dispatcher.setMockData(jsonString: "é", encoding: .isoLatin1)
        #expect(try await dispatcher.future(from: request).value.data == Data([0xE9]))
    }

    @Test("MockDispatcher: it is a Dispatcher and a ServerProvider, and may have subclasses")
    func roles() async throws {
        let dispatcher: Dispatcher & ServerProvider = FixedMock(baseUrl: example, mockStatusCode: .ok)
        #expect(try dispatcher.url(from: request).absoluteString == "https://example.com/posts/1")
        let response = try await dispatcher.future(from: request).value
        #expect(try response.decodeString() == "fixed" && response.statusCode == .created)
        #expect(response.httpResponse.allHeaderFields["X-App"] as? String == "Piu")
    }
}
