import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request of one's own, by the protocol's requirements alone.
private struct LogIn: Request {
    let method = HTTPMethod.post
    let path = "/login"
    var queryItems: [URLQueryItem] { [URLQueryItem(name: "app", value: "1")] }
    var headers: [String: String] { ["X-App": "Piu"] }
    var httpBody: Data?
}

/// Custom encoding, as the README has it.
extension BasicRequest {
    fileprivate mutating func setJSONBody(mappable: [String: Int]) {
        let text = mappable.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        setJSONBody(string: "{\(text)}")
    }

    fileprivate mutating func setJSONBody(mapEncodable: Data) throws {
        ensureJSONContentType()
        httpBody = mapEncodable
    }
}

@Suite("PiuPiu 1.3.1: requests")
struct RequestsTests {
    let server = Server()

    @Test("BasicRequest: initialisers with each default left out and given")
    func creating() {
        let page = [URLQueryItem(name: "page", value: "2")]
        let requests = [
            BasicRequest(method: .get, path: "/posts"),
            BasicRequest(method: .get, path: "/posts", queryItems: page),
            BasicRequest(method: .get, path: "/posts", headers: ["X-App": "Piu"]),
            BasicRequest(method: .get, path: "/posts", queryItems: page, headers: ["X-App": "Piu"]),
        ]
        #expect(requests.map(\.queryItems.count) == [0, 1, 0, 1])
        #expect(requests.map(\.headers) == [[:], [:], ["X-App": "Piu"], ["X-App": "Piu"]])
        #expect(requests.allSatisfy { $0.method == .get && $0.path == "/posts" && $0.httpBody == nil })
    }

    @Test("BasicRequest: every property can be set")
    func properties() throws {
        var request = BasicRequest(method: .get, path: "/")
        request.method = .put
        request.path = "/posts/1"
        request.queryItems.append(URLQueryItem(name: "draft", value: "true"))
        request.headers["X-App"] = "Piu"
        request.httpBody = Data("{}".utf8)
        let sent = try server.urlRequest(from: request)
        #expect(sent.httpMethod == "PUT" && sent.httpBody == Data("{}".utf8))
        #expect(sent.url?.absoluteString == "https://example.com/posts/1?draft=true")
        #expect(sent.value(forHTTPHeaderField: "X-App") == "Piu")
        request.httpBody = nil
        #expect(request.httpBody == nil)
    }

    @Test("BasicRequest: bodies of Encodable values, both spellings, with and without a strategy for dates")
    func encodables() throws {
        let dated = Dated(date: Date(timeIntervalSince1970: 0))
        var request = BasicRequest(method: .post, path: "/posts")
        try request.setJSONBody(encodable: dated)
        // guide: P7
        #expect(try text(request) == #"{"date":"1970-01-01T00:00:00Z"}"#)
        try request.setJSONBody(encodable: dated, dateEncodingStrategy: .secondsSince1970)
        #expect(try text(request) == #"{"date":0}"#)
        try request.setJSONBody(dated)
        #expect(try text(request) == #"{"date":"1970-01-01T00:00:00Z"}"#)
        try request.setJSONBody(dated, dateEncodingStrategy: .rfc3339)
        #expect(try text(request) == #"{"date":"1970-01-01T00:00:00Z"}"#)
        #expect(request.headers["Content-Type"] == "application/json")
    }

    @Test("BasicRequest: bodies of text; setHTTPBody sets no header")
    func texts() throws {
        var request = BasicRequest(method: .post, path: "/posts")
        request.setHTTPBody(string: "piu")
        #expect(try text(request) == "piu")
        request.setHTTPBody(string: "é", encoding: .isoLatin1)
        #expect(request.httpBody == Data([0xE9]) && request.headers.isEmpty)
        request.setJSONBody(string: "{}")
        #expect(try text(request) == "{}")
        request.setJSONBody(string: "[]", encoding: .utf8)
        #expect(try text(request) == "[]" && request.headers == ["Content-Type": "application/json"])
    }

    @Test("BasicRequest: bodies of JSON objects and arrays, with and without options")
    func objects() throws {
        let object: [String: Any?] = ["name": "Kevin Malone", "desk": nil]
        var request = BasicRequest(method: .post, path: "/users")
        try request.setHTTPBody(jsonObject: object, options: .sortedKeys)
        #expect(try text(request) == #"{"desk":null,"name":"Kevin Malone"}"#)
        try request.setHTTPBody(jsonObject: ["id": 1])
        #expect(try text(request) == #"{"id":1}"#)
        try request.setHTTPBody(jsonArray: [object], options: .sortedKeys)
        #expect(try text(request) == #"[{"desk":null,"name":"Kevin Malone"}]"#)
        try request.setHTTPBody(jsonArray: [["id": 1]])
        #expect(try text(request) == #"[{"id":1}]"# && request.headers.isEmpty)
        try request.setJSONBody(jsonObject: ["id": 1])
        try request.setJSONBody(jsonObject: ["id": 1], options: [])
        try request.setJSONBody(jsonArray: [["id": 1]])
        try request.setJSONBody(jsonArray: [["id": 1]], options: [])
        #expect(try text(request) == #"[{"id":1}]"# && request.headers == ["Content-Type": "application/json"])
    }

    @Test("guide: what is no JSON is RequestDefect.invalidBody (P14)")
    func noJSON() {
        var request = BasicRequest(method: .post, path: "/users")
        // guide: `JSONSerialization` and encoding errors
        // guide: P14
        #expect(throws: RequestDefect.self) { try request.setJSONBody(jsonObject: ["date": Date()]) }
        #expect(throws: RequestDefect.self) { try request.setJSONBody(["number": Double.nan]) }
        #expect(request.httpBody == nil)
    }

    @Test("BasicRequest: ensureJSONContentType keeps a type of one's own (P13), and extensions compile")
    func contentType() throws {
        var request = BasicRequest(method: .post, path: "/", headers: ["content-type": "application/hal+json"])
        request.ensureJSONContentType()
        // guide: P13
        #expect(request.headers == ["content-type": "application/hal+json"])
        request.setJSONBody(mappable: ["id": 1])
        #expect(try text(request) == #"{"id":1}"#)
        try request.setJSONBody(mapEncodable: Data("[]".utf8))
        #expect(try text(request) == "[]")
    }

    @Test("Request: a type of one's own, through url(from:) and urlRequest(from:) of a ServerProvider")
    func ownRequest() throws {
        let request = LogIn(httpBody: Data("secret".utf8))
        #expect(try server.url(from: request).absoluteString == "https://example.com/login?app=1")
        let sent = try server.urlRequest(from: request)
        #expect(sent.httpMethod == "POST" && sent.httpBody == request.httpBody)
        #expect(sent.value(forHTTPHeaderField: "X-App") == "Piu")
        let anyRequest: Request = request
        #expect(anyRequest.headers == ["X-App": "Piu"])
    }

    @Test("ServerProvider: errors of an address; the base URL's path and query stay (P8, P9)")
    func addresses() throws {
        let request = BasicRequest(method: .get, path: "/posts")
        // guide: P9
        #expect {
            try Server(baseURL: nil).urlRequest(from: request)
        } throws: { error in
            if case RequestError.missingURL = error { true } else { false }
        }
        // guide: P8
        let below = Server(baseURL: URL(string: "https://example.com/api?key=1")!)
        #expect(try below.url(from: request).absoluteString == "https://example.com/api/posts?key=1")
        #expect(try server.url(from: BasicRequest(method: .get, path: "posts")).path == "/posts")
        // guide: a `+` in a query item, which servers read as a space
        let sum = BasicRequest(method: .get, path: "/", queryItems: [URLQueryItem(name: "q", value: "a+b c")])
        #expect(try server.url(from: sum).absoluteString == "https://example.com/?q=a%2Bb%20c")
        // guide: the cause of `RequestError.invalidURL`
        #expect {
            try Server(baseURL: URL(string: "file:///")!).urlRequest(from: request)
        } throws: { error in
            if case RequestError.invalidURL(let cause) = error { cause is AddressError } else { false }
        }
    }

    @Test("HTTPMethod: every case and its raw value")
    func methods() {
        let methods: [HTTPMethod] = [.options, .get, .head, .post, .put, .patch, .delete, .trace, .connect]
        let names = ["OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"]
        #expect(methods.map(\.rawValue) == names && names.map { HTTPMethod(rawValue: $0) } == methods)
        for method in methods {
            switch method {  // exhaustive, as before
            case .options, .get, .head, .post, .put, .patch, .delete, .trace, .connect: break
            }
        }
    }

    private func text(_ request: BasicRequest) throws -> String? {
        request.httpBody.flatMap { String(data: $0, encoding: .utf8) }
    }
}
