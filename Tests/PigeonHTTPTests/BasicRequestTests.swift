import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("A request of parts")
struct BasicRequestTests {
    private var request = BasicRequest(method: .post, path: "/users")

    @Test("It begins without query, headers, body, timeout and defect")
    func defaults() {
        #expect(request.method == .post)
        #expect(request.path == "/users")
        #expect(request.queryItems.isEmpty && request.headers.isEmpty)
        #expect(request.httpBody == nil && request.body == nil && request.timeout == nil && request.defect == nil)
    }

    @Test("dates are written as answers are read by default, and otherwise as was asked", .rule("PiuPiu P7"))
    mutating func dates() throws {
        let event = Event(name: "start", at: Date(timeIntervalSince1970: 1_700_000_000))
        try request.setJSONBody(event)
        #expect(try object(of: request)["at"] as? String == "2023-11-14T22:13:20Z")
        #expect(try Answer(body: request.httpBody).decode(Event.self) == event)

        try request.setJSONBody(encodable: event, dateEncodingStrategy: .secondsSince1970)
        #expect(try object(of: request)["at"] as? Int == 1_700_000_000)
        #expect(
            try Answer(body: request.httpBody).decode(Event.self, dateDecodingStrategy: .secondsSince1970) == event)
    }

    @Test("An encoder of one's own is used as it is")
    mutating func ownEncoder() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try request.setJSONBody(["firstName": "Kevin"], encoder: encoder)
        #expect(request.httpBody == Data(#"{"firstName":"Kevin"}"#.utf8))
        try request.setJSONBody(Person(firstName: "Kevin"), encoder: encoder)
        #expect(request.httpBody == Data(#"{"first_name":"Kevin"}"#.utf8))
        #expect(request.headers == ["Content-Type": "application/json"])
    }

    @Test("a content type is kept, however its name is written", .rule("PiuPiu P13"))
    mutating func contentType() throws {
        request.headers["content-type"] = "application/vnd.api+json"
        try request.setJSONBody(["a": 1])
        #expect(request.headers == ["content-type": "application/vnd.api+json"])
        let sent = try FixedServer(URL(string: "https://h")).transportRequest(from: request)
        #expect(sent.headers.values(of: "Content-Type") == ["application/vnd.api+json"])
    }

    @Test("Plain bodies set no header")
    mutating func plainBodies() throws {
        request.setHTTPBody(string: "a")
        #expect(request.httpBody == Data("a".utf8))
        try request.setHTTPBody(jsonObject: ["a": 1])
        #expect(request.httpBody == Data(#"{"a":1}"#.utf8))
        try request.setHTTPBody(jsonArray: [["a": 1]])
        #expect(request.httpBody == Data(#"[{"a":1}]"#.utf8))
        #expect(request.headers.isEmpty)
    }

    @Test("A text is written in the encoding that was asked for")
    mutating func textEncoding() {
        request.setJSONBody(string: "ü", encoding: .isoLatin1)
        #expect(request.httpBody == Data([0xFC]))
        #expect(request.headers == ["Content-Type": "application/json"])
    }

    @Test("A text that its encoding cannot express is thrown in place of sending, until there is another body")
    mutating func textDefect() throws {
        let server = FixedServer(URL(string: "https://h"))
        request.setJSONBody(string: "日本", encoding: .ascii)
        #expect(request.httpBody == nil)
        #expect {
            try server.transportRequest(from: request)
        } throws: {
            guard case .defect(.invalidBody) = $0 as? HTTPError else { return false }
            return !"\($0)".contains("日本")
        }
        request.httpBody = Data()
        #expect(request.defect == nil)
        _ = try server.transportRequest(from: request)
    }

    @Test("nil is written as null, however deep", .rule("PiuPiu P14"))
    mutating func null() throws {
        let inner: [String: Any?] = ["b": nil, "c": [1, nil] as [Int?]]
        try request.setJSONBody(jsonObject: ["a": nil, "d": inner], options: .sortedKeys)
        #expect(request.httpBody == Data(#"{"a":null,"d":{"b":null,"c":[1,null]}}"#.utf8))
        try request.setJSONBody(jsonArray: [["a": nil], [:]])
        #expect(request.httpBody == Data(#"[{"a":null},{}]"#.utf8))
    }

    @Test("Numbers, truth values and texts are written as such")
    mutating func plainValues() throws {
        let values: [String: Any?] = [
            "a": true, "b": 1, "c": -1.5, "d": UInt64.max, "e": "x", "f": NSNull(), "g": [], "h": [:] as [String: Any],
            "i": Optional<Int>.some(7) as Any, "j": Int8(3), "k": Float(0.5), "l": NSNumber(value: 4),
        ]
        try request.setJSONBody(jsonObject: values, options: .sortedKeys)
        let text = String(decoding: try #require(request.httpBody), as: UTF8.self)
        #expect(
            text == #"{"a":true,"b":1,"c":-1.5,"d":18446744073709551615,"e":"x","f":null,"g":[],"h":{},"#
                + #""i":7,"j":3,"k":0.5,"l":4}"#)
    }

    @Test(
        "what JSON cannot express is an error that names it, not the end of the process", .rule("PiuPiu P14"),
        arguments: [
            ("NaN", Double.nan as any Sendable), ("an infinite number", -Double.infinity), ("NaN", Float.nan),
            ("NaN", Decimal.nan), ("a Date", Date()), ("a Data", Data()), ("a Set<Int>", Set([1])),
            ("a Dictionary<Int, Int>", [1: 1]),
        ])
    mutating func inexpressible(name: String, value: any Sendable) {
        #expect {
            try request.setJSONBody(jsonObject: ["a": [["b": value]]])
        } throws: {
            guard case .invalidBody = $0 as? RequestDefect else { return false }
            return "\($0)" == "nothing was sent: JSON cannot express \(name) at .a[0].b"
        }
        #expect(request.httpBody == nil && request.headers.isEmpty)
    }

    @Test("A value that cannot be encoded is an error that names its place; the body stays as it was")
    mutating func unencodable() {
        request.setHTTPBody(string: "old")
        #expect {
            try request.setJSONBody(["a": [1, Double.nan]])
        } throws: {
            guard case .invalidBody(_, let cause) = $0 as? RequestDefect, cause is EncodingError else { return false }
            return "\($0)".contains("a number that is not finite at .a[1]")
        }
        #expect(request.httpBody == Data("old".utf8))
    }

    @Test("Validators become the headers of a conditional request, and replace older ones")
    mutating func validators() {
        request.headers = ["if-none-match": "\"old\"", "If-Modified-Since": "never"]
        request.setValidators(FetchValidators(eTag: "\"new\""))
        #expect(request.headers == ["If-None-Match": "\"new\""])
        request.setValidators(FetchValidators(lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(request.headers == ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"])
        request.setValidators(FetchValidators())
        #expect(request.headers.isEmpty)
    }

    @Test("a POST or a PUT can have no body, and a path in a literal can have a query")
    func noBody() throws {
        let path = "/users/1/star"
        let requests: [BasicRequest] = [
            .post("/runs?dry=1", headers: ["A": "b"]), .post(path), .put("/stars"), .put(path),
        ]
        #expect(requests.map(\.method) == [.post, .post, .put, .put])
        #expect(requests.allSatisfy { $0.body == nil && $0.defect == nil })
        #expect(requests.map(\.path) == ["/runs", path, "/stars", path])
        #expect(requests[0].queryItems == [URLQueryItem(name: "dry", value: "1")])
    }

    @Test("an idempotency key becomes a header, and replaces an older one", .rule("O5"))
    mutating func idempotencyKey() {
        request.headers = ["idempotency-key": "old"]
        request.setIdempotencyKey("new")
        #expect(request.headers == ["Idempotency-Key": "new"])
    }

    @Test("The short forms make the same requests")
    func shortForms() throws {
        let items = [URLQueryItem(name: "a", value: "1")]
        let get = BasicRequest.get("/users", queryItems: items, headers: ["B": "2"])
        #expect(get.method == .get && get.path == "/users" && get.queryItems == items && get.headers == ["B": "2"])
        #expect(BasicRequest.head("/users").method == .head)
        #expect(BasicRequest.delete("/users/1").method == .delete)

        let posts = [
            BasicRequest.post("/users", json: ["a": 1]), .put("/users", json: ["a": 1]),
            .patch("/users", json: ["a": 1]),
        ]
        #expect(posts.map(\.method) == [.post, .put, .patch])
        for request in posts {
            #expect(request.httpBody == Data(#"{"a":1}"#.utf8))
            #expect(request.headers == ["Content-Type": "application/json"])
        }
        #expect(path(of: .get("/users")) == "/users")
    }

    @Test("A short form with a value that cannot be encoded is thrown in place of sending")
    func shortFormDefect() {
        let request = BasicRequest.post("/users", json: [Double.infinity])
        #expect(throws: RequestDefect.self) {
            try FixedServer(URL(string: "https://h")).urlRequest(from: request)
        }
    }

    private func path(of request: some Request) -> String { request.path }

    private func object(of request: BasicRequest) throws -> [String: Any] {
        let body = try #require(request.httpBody)
        return try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }
}

private struct Person: Codable {
    let firstName: String
}

private struct Event: Codable, Equatable {
    let name: String
    let at: Date
}
