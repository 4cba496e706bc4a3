import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request of one's own. PiuPiu 1.11 asks for `urlRequest(withBaseURL:)` instead.
// guide: a `Request` of your own with `urlRequest(withBaseURL:)`
private struct Search: Request {
    let term: String
    var method: HTTPMethod { .get }
    var path: String { "/search" }
    var queryItems: [URLQueryItem] { [URLQueryItem(name: "q", value: term)] }
    var headers: [String: String] { [:] }
    var httpBody: Data? { nil }
}

@Suite("PiuPiu 1.11: requests")
struct Version1_11RequestsTests {
    let date = Dated(date: Date(timeIntervalSince1970: 0))

    @Test("URLRequest: init(url:method:)")
    func creating() {
        let request = URLRequest(url: example, method: .patch)
        #expect(request.httpMethod == "PATCH" && request.url == example)
    }

    @Test("URLRequest: bodies of Encodable values, both spellings, with the encoder left out and given")
    func encodables() throws {
        var request = URLRequest(url: example, method: .post)
        try request.setJSONBody(encodable: date)
        // guide: dates were numbers of seconds since 2001
        #expect(text(request.httpBody) == #"{"date":"1970-01-01T00:00:00Z"}"#)
        try request.setJSONBody(encodable: date, encoder: JSONEncoder())
        #expect(text(request.httpBody) == #"{"date":-978307200}"#)
        try request.setJSONBody(date)
        #expect(text(request.httpBody) == #"{"date":"1970-01-01T00:00:00Z"}"#)
        try request.setJSONBody(date, encoder: JSONEncoder())
        #expect(text(request.httpBody) == #"{"date":-978307200}"#)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test("URLRequest: bodies of text and of JSON objects, with each default left out and given")
    func bodies() throws {
        var request = URLRequest(url: example, method: .post)
        request.setHTTPBody(string: "piu")
        request.setHTTPBody(string: "é", encoding: .isoLatin1)
        #expect(request.httpBody == Data([0xE9]))
        try request.setHTTPBody(jsonObject: ["id": 1, "name": nil], options: .sortedKeys)
        #expect(text(request.httpBody) == #"{"id":1,"name":null}"#)
        try request.setHTTPBody(jsonObject: ["id": 1])
        try request.setHTTPBody(jsonArray: [["id": 1]])
        try request.setHTTPBody(jsonArray: [["id": 1]], options: [])
        #expect(text(request.httpBody) == #"[{"id":1}]"#)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
        request.setJSONBody(string: "{}")
        request.setJSONBody(string: "{}", encoding: .utf8)
        try request.setJSONBody(jsonObject: ["id": 1])
        try request.setJSONBody(jsonObject: ["id": 1], options: [])
        try request.setJSONBody(jsonArray: [["id": 1]])
        try request.setJSONBody(jsonArray: [["id": 1]], options: [])
        request.ensureJSONContentType()
        #expect(text(request.httpBody) == #"[{"id":1}]"#)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test("BasicRequest: bodies by an encoder or a strategy for dates, and its URL below a base")
    func basic() throws {
        var request = BasicRequest(method: .post, path: "/posts", queryItems: [URLQueryItem(name: "a", value: "1")])
        try request.setJSONBody(encodable: date)
        try request.setJSONBody(encodable: date, encoder: JSONEncoder())
        #expect(text(request.httpBody) == #"{"date":-978307200}"#)
        try request.setJSONBody(date)
        try request.setJSONBody(date, encoder: JSONEncoder())
        #expect(text(request.httpBody) == #"{"date":-978307200}"#)
        try request.setJSONBody(encodable: date, dateEncodingStrategy: .secondsSince1970)
        try request.setJSONBody(date, dateEncodingStrategy: .secondsSince1970)
        #expect(text(request.httpBody) == #"{"date":0}"#)
        #expect(try request.url(withBaseURL: example).absoluteString == "https://example.com/posts?a=1")
        let sent = try request.urlRequest(withBaseURL: example)
        #expect(sent.httpMethod == "POST" && sent.httpBody == request.httpBody)
        #expect(sent.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test("Request: one of one's own makes a URLRequest")
    func own() throws {
        let request = try Search(term: "piu").urlRequest(withBaseURL: example)
        #expect(request.url?.absoluteString == "https://example.com/search?q=piu")
    }
}

/// A body as text.
func text(_ data: Data?) -> String? {
    data.map { String(decoding: $0, as: UTF8.self) }
}
